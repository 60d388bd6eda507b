"""Where commands write: never over the file of something else, and under any name."""

import bz2
import os
import sys
from pathlib import Path

import pytest

from tests.support.arena_runs import flat, run
from tests.support.play_sessions import MATERIAL
from zobra.arena.formats.files import check_writable, write_safely

GAME = '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n'
SUITE = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id "one";\n'


def analyse(source: Path, *arguments: object, code: int = 0) -> str:
    return run("analyse", source, "-e", MATERIAL, "--depth", "1", *arguments, code=code)


def test_pages_of_other_commands_are_kept(tmp_path):
    source = tmp_path / "x.pgn"
    page = tmp_path / "x.html"
    source.write_text(GAME)
    for _ in range(2):  # its own page is rewritten
        analyse(source, "--html", page)
    before = page.read_bytes()
    assert "is not the page that `zobra report` made" in flat(run("report", source, code=2))
    assert page.read_bytes() == before
    run("report", source, "--force")
    run("report", source)
    reported = page.read_bytes()
    (tmp_path / "x.analysed.pgn").unlink()
    assert "--force" in flat(analyse(source, "--html", page, code=2))
    assert not (tmp_path / "x.analysed.pgn").exists()  # refused before the work began
    assert page.read_bytes() == reported
    analyse(source, "--html", page, "--force")


@pytest.mark.parametrize("content", ["my notes\n", "other suite"])
def test_results_of_another_suite_are_kept(tmp_path, content):
    suite = tmp_path / "a.epd"
    results = tmp_path / "suite.json"
    suite.write_text(SUITE)
    arguments = ["-e", MATERIAL, "--depth", "1", "--json", results]
    if content == "other suite":
        (tmp_path / "b.epd").write_text(SUITE)
        run("suite", tmp_path / "b.epd", *arguments)
    else:
        results.write_text(content)
    before = results.read_bytes()
    text = flat(run("suite", suite, *arguments, code=2))
    assert "does not hold results of a suite" in text or "holds results with other suites" in text
    assert results.read_bytes() == before
    run("suite", suite, *arguments, "--force")
    run("suite", suite, *arguments)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are any bytes on Linux only")
def test_names_that_are_not_utf_8(tmp_path):
    source = tmp_path / os.fsdecode(b"g\xfcnther.pgn")
    source.write_text(GAME)
    run("report", source)
    analyse(source, "--html", tmp_path / "page.html")
    suite = source.with_suffix(".epd")
    suite.write_text(SUITE)
    results = tmp_path / os.fsdecode(b"\xfc.json")
    run("suite", suite, "-e", MATERIAL, "--depth", "1", "--json", results)
    run("report", results)
    analyse(suite, "--output", tmp_path / os.fsdecode(b"\xfc.out.pgn"))
    assert not list(tmp_path.glob("*.new"))
    assert len(list(tmp_path.glob("*.html"))) == 3


def test_a_text_that_cannot_be_encoded_leaves_nothing_behind(tmp_path):
    write_safely(tmp_path / "a", "x\udcfcy")
    assert (tmp_path / "a").read_text() == "x\\udcfcy"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_file_of_the_user_is_no_place_for_unfinished_content(tmp_path):
    mine = tmp_path / "a.new"
    mine.write_text("mine")
    write_safely(tmp_path / "a", "x")
    check_writable(tmp_path / "a")
    assert mine.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "a.new"]


def test_a_compressed_file_that_is_cut_off_is_named(tmp_path):
    path = tmp_path / "games.pgn.bz2"
    path.write_bytes(bz2.compress(GAME.encode())[:-9])
    assert f"{path}: " in run("report", path, code=2)
