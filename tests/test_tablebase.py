"""Endgame tables: what is found at a path, and what is said of what cannot be used."""

import os
import shutil

import chess
import pytest

from tests.endgames import TABLES, needs_tables
from zobra.search.tablebase import Tablebase

KRK = "8/8/8/8/8/2k5/8/KR6 w - - 0 1"


def test_no_path_is_no_tables():
    tables = Tablebase()
    assert tables.open("") == [] and tables.largest == 0
    with pytest.raises(KeyError):
        tables.wdl(chess.Board(KRK))


def test_a_path_that_no_folder_could_have_is_named():
    tables = Tablebase()
    assert "no endgame tables in a\0b" in tables.open("a\0b")[0]
    assert tables.largest == 0


def test_a_missing_folder_is_named(tmp_path):
    tables = Tablebase()
    remarks = tables.open(str(tmp_path / "nowhere"))
    assert "nowhere: No such file" in remarks[0] and remarks[-1].startswith("0 WDL and 0 DTZ")
    assert tables.largest == 0


@needs_tables
def test_tables_of_several_folders_are_counted(tmp_path):
    for folder, name in (("one", "KRvK"), ("two", "KBNvK")):
        (tmp_path / folder).mkdir()
        for suffix in (".rtbw", ".rtbz"):
            shutil.copy(TABLES / (name + suffix), tmp_path / folder)
    tables = Tablebase()
    path = os.pathsep.join([str(tmp_path / "one"), str(tmp_path / "gone"), str(tmp_path / "two")])
    remarks = tables.open(path)
    assert len(remarks) == 2 and "gone" in remarks[0] and remarks[1] == "2 WDL and 2 DTZ tables of up to 4 men"
    board = chess.Board(KRK)
    assert (tables.wdl(board), tables.dtz(board) > 0, tables.hits) == (2, True, 2)
    remarks = tables.open(str(tmp_path / "gone"))
    assert len(remarks) == 2 and "gone" in remarks[0] and remarks[1] == "endgame tables of up to 4 men are used still"
    assert tables.largest == 4 and tables.wdl(board) == 2
    assert tables.open("") == [] and tables.largest == 0


@needs_tables
@pytest.mark.parametrize("damage", ["halved", "empty", "foreign"])
def test_damaged_tables_are_named_and_passed_over(tmp_path, damage):
    for suffix in (".rtbw", ".rtbz"):
        shutil.copy(TABLES / f"KRvK{suffix}", tmp_path)
        shutil.copy(TABLES / f"KQvK{suffix}", tmp_path)
    file = tmp_path / "KRvK.rtbw"
    content = {"halved": file.read_bytes()[:-30], "empty": b"", "foreign": bytes(80)}[damage]
    file.chmod(0o644)
    file.write_bytes(content)
    tables = Tablebase()
    remarks = tables.open(str(tmp_path))
    assert len(remarks) == 2 and "damaged" in remarks[0] and "KRvK.rtbw" in remarks[0]
    assert remarks[1] == "1 WDL and 2 DTZ tables of up to 3 men"
    with pytest.raises(KeyError):
        tables.wdl(chess.Board(KRK))


@needs_tables
def test_many_damaged_tables_are_not_all_named(tmp_path):
    for file in sorted(TABLES.glob("*.rtbw"))[:10]:
        (tmp_path / file.name).write_bytes(b"nothing")
    assert "and 7 more" in Tablebase().open(str(tmp_path))[0]
