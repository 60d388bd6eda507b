"""The console: bytes to lines, whole lines out, and an end on signals."""

import os
import subprocess
import sys

import pytest

from tests.test_debug_log import FullDisk
from zobra.uci.console import Console, decode

SIGNALS = """
import os, signal, threading
from zobra.uci.console import leave_on_signals
leave_on_signals()
threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.{name})).start()
os.read(0, 1)  # the signal goes to the other thread, and this read sleeps on
"""


def lines_of(*chunks: bytes) -> list[str]:
    return [line for line in Console(iter([*chunks, b""]).__next__).lines() if line]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r", b"\n\n\r"])
def test_lines_end_in_any_way(end):
    assert lines_of(b"uci" + end + b"isready" + end) == ["uci", "isready"]


def test_lines_may_come_in_pieces():
    assert lines_of(b"u", b"c", b"i\nisre", b"ady\nquit") == ["uci", "isready", "quit"]


def test_a_letter_may_be_cut_in_two():
    text = "setoption name BookFile value /ö/ñ.bin"
    data = text.encode()
    cut = data.index("ö".encode()) + 1
    assert lines_of(data[:cut], data[cut:] + b"\n") == [text]


def test_what_is_not_utf_8_is_latin_1():
    assert decode("/Übungen".encode("latin-1")) == "/Übungen"
    assert decode(bytes(range(128, 256))) == bytes(range(128, 256)).decode("latin-1")


def test_remarks_are_one_line_of_bounded_length():
    said: list[bytes] = []
    console = Console(write=said.append)
    console.inform("a\nbestmove e2e4\r" + "x" * 10_000)
    console.remark("not wanted")
    assert len(said) == 1 and said[0].count(b"\n") == 1 and b"\r" not in said[0] and len(said[0]) < 500


def test_a_log_on_a_full_disk_ends_with_one_message(tmp_path):
    said: list[bytes] = []
    console = Console(iter([b"isready\nuci\n", b""]).__next__, said.append)
    console.log.open(str(tmp_path / "log.txt"))
    console.log._file = FullDisk()
    console.say("readyok")
    assert said == [b"readyok\n", b"info string error: the debug log has ended: No space left on device\n"]
    console.log._file = FullDisk()
    assert list(console.lines()) == ["isready", "uci", ""] and len(said) == 3


@pytest.mark.skipif(os.name == "nt", reason="needs pthread_kill")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_that_wakes_nobody_still_ends_the_process(name):
    with subprocess.Popen([sys.executable, "-c", SIGNALS.format(name=name)], stdin=subprocess.PIPE) as process:
        assert process.wait(20) == 0
