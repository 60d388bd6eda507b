"""The console: bytes to lines, whole lines out, the debug log of both, and an end on signals."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.prober import Prober
from zobra.uci.console import IN, OUT, Console

LOG = "setoption name debug log file value"
LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (>>|<<) (.*)")
SIGNALS = """
import os, signal, threading
from zobra.uci.console import leave_on_signals
leave_on_signals()
threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.{name})).start()
os.read(0, 1)  # the signal goes to the other thread, and this read sleeps on
"""


def read(path):
    """(direction, text) of each line of a log, which must all be whole."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [LOG_LINE.fullmatch(line).groups() for line in lines]


CUT_LETTER = "setoption name BookFile value /ö/ñ.bin".encode().partition(b"\xb6")


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        *(
            ((b"uci" + end + b"isready" + end,), ["uci", "isready"])
            for end in (b"\n", b"\r\n", b"\r", b"\n\n\r")
        ),
        ((b"u", b"c", b"i\nisre", b"ady\nquit"), ["uci", "isready", "quit"]),
        (CUT_LETTER, ["setoption name BookFile value /ö/ñ.bin"]),
        (("/Übungen".encode("latin-1"),), ["/Übungen"]),
        (("uci\nquit\n".encode("utf-8-sig"),), ["uci", "quit"]),  # with a byte-order mark
        ((bytes(range(128, 256)),), [bytes(range(128, 256)).decode("latin-1")]),
    ],
)
def test_input_is_split_into_lines(chunks, lines):
    assert [line for line in Console(iter([*chunks, b""]).__next__).lines() if line] == lines


def test_info_strings_are_one_line_of_bounded_length():
    said: list[bytes] = []
    console = Console(write=said.append)
    console.info("a\nbestmove e2e4\r" + "x" * 10_000)
    console.debug("not wanted")
    (line,) = said
    assert line.count(b"\n") == 1
    assert b"\r" not in line
    assert len(line) < 500


@pytest.mark.skipif(os.name == "nt", reason="needs pthread_kill")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_that_wakes_nobody_still_ends_the_process(name):
    with subprocess.Popen(
        [sys.executable, "-c", SIGNALS.format(name=name)], stdin=subprocess.PIPE
    ) as process:
        assert process.wait(20) == 0


def quiet() -> Console:
    """A console that hears nothing and whose words are lost."""
    return Console(lambda: b"", lambda line: None)


def test_log_lines_are_written_at_once_and_appended(tmp_path):
    path = tmp_path / "log.txt"
    console = quiet()
    console.send("before there is a log")
    for text in ("first", "second"):
        console.open_log(str(path))
        console.send(f"{text} \N{BLACK CHESS KING} and \udcff")
        assert list(console.lines()) == [""]  # which is not noted
    console.open_log("")
    console.send("after it")
    assert read(path) == [(OUT, "first ♚ and ?"), (OUT, "second ♚ and ?")]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no/such/folder/log.txt", "No such file"),
        (".", "regular file"),
        ("x" * 5_000, "too long"),
        ("a\0b", "null"),
    ],
)
def test_a_log_that_cannot_be_written_is_named_and_the_old_one_stays(tmp_path, name, reason):
    console = quiet()
    good = tmp_path / "good.txt"
    with pytest.raises(ValueError, match=f"^no debug log: .*{reason}") as caught:
        console.open_log(str(tmp_path / name))
    assert str(tmp_path) in str(caught.value)
    console.open_log(str(good))
    with pytest.raises(ValueError, match=f"^the debug log is still {good}: .*{reason}"):
        console.open_log(str(tmp_path / name))
    console.send("it goes on")
    assert read(good) == [(OUT, "it goes on")]


def test_a_log_on_a_full_disk_ends_with_one_message(tmp_path):
    pytest.importorskip("resource", reason="files cannot be limited here")
    from tests.support.kernel_tree import full_disk

    said: list[bytes] = []
    console = Console(iter([b"isready\nuci\n", b""]).__next__, said.append)
    log = str(tmp_path / "log.txt")
    with full_disk():
        console.open_log(log)
        console.send("readyok")
        console.send("id name Zobra")
        console.open_log(log)
        assert list(console.lines()) == ["isready", "uci", ""]
    ended = b"info string error: the debug log has ended: File too large\n"
    assert said == [b"readyok\n", ended, b"id name Zobra\n", ended]


def test_log_lines_of_several_threads_stay_whole(tmp_path):
    path = tmp_path / "log.txt"
    console = quiet()
    console.open_log(str(path))
    texts = [f"{number} {'x' * 500}" for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda text: [console.send(text) for _ in range(200)], texts))
    console.open_log("")
    assert sorted(read(path)) == sorted([(OUT, text) for text in texts] * 200)


def test_a_conversation_is_logged_from_the_option_on(tmp_path):
    with Prober(folder=tmp_path) as prober:
        prober.ask("uci", answer="uciok")
        said = prober.ask(f"{LOG} my log.txt", "isready", answer="readyok")
        said += prober.ask("go depth 2", answer="bestmove")
        prober.ask(f"{LOG} <empty>", "isready", answer="readyok")
        prober.ask("go depth 1", answer="bestmove")
        refused = prober.ask(f"{LOG} {tmp_path}", "go nodes 100", answer="bestmove")
    reason = "cannot be written: it is not a regular file"
    assert f"info string error: no debug log: {tmp_path} {reason}" in refused
    lines = read(tmp_path / "my log.txt")
    assert [text for direction, text in lines if direction == OUT] == said
    heard = [text for direction, text in lines if direction == IN]
    # `isready` may come too soon or late.
    assert [text for text in heard if text != "isready"] == ["go depth 2", f"{LOG} <empty>"]
