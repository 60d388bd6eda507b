"""What memory a control group leaves, in made-up trees of either version."""

from pathlib import Path

import pytest

from zobra.tt.memory import available_megabytes
from zobra.tt.table import Table

MB = 1 << 20
UNLIMITED = {1: str(0x7FFFFFFFFFFFF000), 2: "max"}


def write_group(tmp_path: Path, version: int, path: str, limit: str, used: int = 0, cached: int = 0) -> None:
    folder = tmp_path / "mount" / ("memory" if version == 1 else ".") / path
    folder.mkdir(parents=True, exist_ok=True)
    names = ("memory.limit_in_bytes", "memory.usage_in_bytes") if version == 1 else ("memory.max", "memory.current")
    for name, text in zip(names, (limit, str(used)), strict=True):
        (folder / name).write_text(text + "\n")
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
class TestControlGroup:
    def test_its_limit_counts(self, tmp_path, version):
        write_group(tmp_path, version, "service/zobra", str(50 * MB), used=20 * MB)
        assert available(tmp_path, version) == 30

    def test_cached_files_can_be_dropped(self, tmp_path, version):
        write_group(tmp_path, version, "service/zobra", str(50 * MB), used=49 * MB, cached=40 * MB)
        assert available(tmp_path, version) == 41

    def test_a_group_around_it_may_leave_less(self, tmp_path, version):
        write_group(tmp_path, version, "service/zobra", str(50 * MB))
        write_group(tmp_path, version, "service", str(40 * MB), used=30 * MB)
        assert available(tmp_path, version) == 10

    def test_a_container_sees_its_own_group_at_the_root(self, tmp_path, version):
        write_group(tmp_path, version, ".", str(12 * MB))
        assert available(tmp_path, version, "/docker/0123") == 12

    def test_more_use_than_the_limit_leaves_nothing(self, tmp_path, version):
        write_group(tmp_path, version, ".", str(12 * MB), used=13 * MB)
        assert available(tmp_path, version, "/") == 0

    def test_no_limit_leaves_what_the_machine_has(self, tmp_path, version):
        write_group(tmp_path, version, "service/zobra", UNLIMITED[version], used=7)
        assert abs(available(tmp_path, version) - available_megabytes(tmp_path, tmp_path / "no such file")) < 500

    def test_a_table_respects_it(self, tmp_path, version, monkeypatch):
        write_group(tmp_path, version, "service/zobra", str(50 * MB), used=20 * MB)
        monkeypatch.setattr("zobra.tt.table.available_megabytes", lambda: available(tmp_path, version))
        table = Table(16)
        with pytest.raises(MemoryError, match="64 MB does not fit: 30 MB of memory are available"):
            table.resize(64)
        assert table.megabytes == 16
