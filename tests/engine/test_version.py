"""The version tells two builds of a development version apart."""

import re

from tests.support.commands import zobra
from tests.support.kernel_tree import copy_zobra
from zobra.engine import version
from zobra.engine.version import full_version


def test_builds_of_a_development_version_differ(tmp_path, monkeypatch):
    monkeypatch.setattr(version, "VERSION", "2.0.0.dev1")
    assert re.fullmatch(r"2\.0\.0\.dev1\+[0-9a-f]{8}", full_version.__wrapped__())
    environment = copy_zobra(tmp_path)
    stated = tmp_path / "zobra" / "engine" / "version.py"
    stated.write_text(
        re.sub('^VERSION = ".*"', 'VERSION = "2.0.0.dev1"', stated.read_text(), flags=re.M)
    )
    first = zobra("--version", environment=environment).stdout
    with (tmp_path / "zobra" / "search" / "wdl.py").open("a") as source:
        source.write("# another build\n")
    edited = zobra("--version", environment=environment).stdout
    network = tmp_path / "zobra" / "engine" / "data" / "zobra.network"
    network.write_bytes(network.read_bytes().replace(b'"sha256": "', b'"sha256": "f', 1))
    assert len({first, edited, zobra("--version", environment=environment).stdout}) == 3


def test_a_released_version_has_no_checksum(monkeypatch):
    monkeypatch.setattr(version, "VERSION", "2.0.0")
    assert full_version.__wrapped__() == "2.0.0"
