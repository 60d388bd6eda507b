"""Creates a workload on OpenBench's server: openbench_form.py SERVER test|tune|datagen DEV BASE.

Prints its number.
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
    """Upload the network, and fill in the server's form."""
    session, upload = (
        requests.Session(),
        {"action": "UPLOAD_NETWORK", "engine": "Zobra", "name": "zobra.network"},
    )
    user = {"username": "zobra", "password": "zobra"}
    session.post(
        f"{server}/scripts/", data=upload | user, files={"netfile": NETWORK.read_bytes()}
    )  # logs in, too
    forms = json.loads((ROOT / "docs" / "openbench" / "workloads.json").read_text())
    network = hashlib.sha256(NETWORK.read_bytes()).hexdigest()[:8].upper()
    form = (
        forms["all"]
        | forms[kind]
        | {"spsa_inputs": subprocess.check_output(TUNED, text=True).strip()}
    )
    form |= {
        "dev_branch": dev,
        "base_branch": base,
        "dev_network": network,
        "base_network": network,
    }
    page = session.post(
        f"{server}/{kind}/new/", form, headers={"X-CSRFToken": session.cookies["csrftoken"]}
    )
    if refused := re.search('class="error-message"><pre>(.*?)</pre>', page.text, re.S):
        sys.exit(f"the server refuses the form: {refused[1]}")
    return max(int(number) for number in re.findall(r"/(?:test|tune|datagen)/(\d+)", page.text))


if __name__ == "__main__":
    print(submit(*sys.argv[1:]))
