"""What memory a control group leaves, in made-up trees of either version."""

from pathlib import Path

import pytest

from zobra.engine.memory import available_megabytes
from zobra.tt.table import Table

MB = 1 << 20
FILES = {
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes"),
    2: ("memory.max", "memory.current"),
}
UNLIMITED = {1: str(0x7FFFFFFFFFFFF000), 2: "max"}


def write_group(
    tmp_path: Path, version: int, path: str, limit: str, used: int = 0, cached: int = 0
) -> None:
    folder = tmp_path / "mount" / ("memory" if version == 1 else ".") / path
    folder.mkdir(parents=True, exist_ok=True)
    limit_name, use_name = FILES[version]
    (folder / limit_name).write_text(f"{limit}\n")
    (folder / use_name).write_text(f"{used}\n")
    prefix = "total_" if version == 1 else ""
    (folder / "memory.stat").write_text(f"anon 5\n{prefix}inactive_file {cached}\n")


def available(tmp_path: Path, version: int, path: str = "/service/zobra") -> int:
    membership = tmp_path / "membership"
    lines = {1: f"9:name=systemd:/\n5:cpu,memory:{path}\n0::/elsewhere\n", 2: f"0::{path}\n"}
    membership.write_text(lines[version])
    found = available_megabytes(tmp_path / "mount", membership)
    assert found is not None
    return found


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("groups", "path", "left"),
    [
        pytest.param([("service/zobra", 50, 20, 0)], "/service/zobra", 30, id="its limit counts"),
        pytest.param(
            [("service/zobra", 50, 49, 40)], "/service/zobra", 41, id="cached files can be dropped"
        ),
        pytest.param(
            [("service/zobra", 50, 0, 0), ("service", 40, 30, 0)],
            "/service/zobra",
            10,
            id="a group around it",
        ),
        pytest.param(
            [(".", 12, 0, 0)], "/docker/0123", 12, id="a container sees its own group at the root"
        ),
        pytest.param([(".", 12, 13, 0)], "/", 0, id="more use than the limit leaves nothing"),
    ],
)
def test_available_memory_in_control_groups(tmp_path, version, groups, path, left):
    for group, limit, used, cached in groups:
        write_group(tmp_path, version, group, str(limit * MB), used * MB, cached * MB)
    assert available(tmp_path, version, path) == left


@pytest.mark.parametrize("version", [1, 2])
def test_a_table_respects_the_limit_of_a_control_group(tmp_path, version, monkeypatch):
    write_group(tmp_path, version, "service/zobra", UNLIMITED[version], used=7)
    without_groups = available_megabytes(tmp_path, tmp_path / "no such file")
    assert abs(available(tmp_path, version) - without_groups) < 500
    write_group(tmp_path, version, "service/zobra", str(50 * MB), used=20 * MB)
    monkeypatch.setattr("zobra.tt.table.available_megabytes", lambda: available(tmp_path, version))
    table = Table(16)
    with pytest.raises(MemoryError, match="64 MB does not fit: 30 MB of memory are available"):
        table.resize(64)
    assert table.megabytes == 16
