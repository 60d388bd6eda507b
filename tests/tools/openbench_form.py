"""Create a workload on OpenBench's server, and print its number.

python openbench_form.py SERVER test|tune|datagen DEV BASE
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import requests

ROOT = Path(__file__).resolve().parents[2]
NETWORK = ROOT / "engine" / "data" / "zobra.network"
TUNED = [
    sys.executable,
    "-m",
    "zobra.cli",
    "parameters",
    "--openbench",
    "reverse_futility_margin",
    "aspiration_margin",
]


def submit(server: str, kind: str, dev: str, base: str) -> int:
    """Upload the network, fill in the server's form, and return the number of the workload."""
    session = requests.Session()
    upload = {"action": "UPLOAD_NETWORK", "engine": "Zobra", "name": "zobra.network"}
    user = {"username": "zobra", "password": "zobra"}
    content = NETWORK.read_bytes()
    # This logs in, too
    session.post(f"{server}/scripts/", data=upload | user, files={"netfile": content})

    forms = json.loads((ROOT / "docs" / "openbench" / "workloads.json").read_text())
    network = hashlib.sha256(content).hexdigest()[:8].upper()
    form = forms["all"] | forms[kind]
    form |= {
        "spsa_inputs": subprocess.check_output(TUNED, text=True).strip(),
        "dev_branch": dev,
        "base_branch": base,
        "dev_network": network,
        "base_network": network,
    }
    headers = {"X-CSRFToken": session.cookies["csrftoken"]}
    page = session.post(f"{server}/{kind}/new/", form, headers=headers)
    refused = re.search('class="error-message"><pre>(.*?)</pre>', page.text, re.S)
    if refused:
        sys.exit(f"the server refuses the form: {refused[1]}")
    return max(int(number) for number in re.findall(r"/(?:test|tune|datagen)/(\d+)", page.text))


if __name__ == "__main__":
    print(submit(*sys.argv[1:]))
