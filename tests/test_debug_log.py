"""The debug log: what it writes, and what happens when it cannot."""

import errno
import re
import subprocess
import sys
import threading

import pytest

from tests.prober import Prober
from zobra.uci.debug_log import IN, OUT, DebugLog

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (>>|<<) (.*)")


class FullDisk:
    """A file to which nothing can be written."""

    def write(self, _):
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self):
        raise OSError(errno.ENOSPC, "No space left on device")


def read(path):
    """(direction, text) of each line, which must all be whole."""
    return [LINE.fullmatch(line).groups() for line in path.read_text(encoding="utf-8").splitlines()]


def test_lines_are_written_at_once_and_appended(tmp_path):
    path = tmp_path / "log.txt"
    log = DebugLog()
    log.note(IN, "before there is a log")
    for text in ("first", "second"):
        log.open(str(path))
        log.note(IN, text)
        log.note(OUT, "\N{BLACK CHESS KING} and \udcff")
    log.open("")
    log.note(IN, "after it")
    assert read(path) == [
        (IN, "first"),
        (OUT, "\N{BLACK CHESS KING} and ?"),
        (IN, "second"),
        (OUT, "\N{BLACK CHESS KING} and ?"),
    ]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("no/such/folder/log.txt", "No such file"), (".", "ordinary file"), ("x" * 5_000, "too long"), ("a\0b", "null")],
)
def test_a_file_that_cannot_be_written_is_named(tmp_path, name, reason):
    log = DebugLog()
    with pytest.raises(ValueError, match=f"^no debug log: .*{reason}") as caught:
        log.open(str(tmp_path / name))
    assert str(tmp_path) in str(caught.value)
    assert log.note(IN, "nothing happens") == ""
    good = tmp_path / "good.txt"
    log.open(str(good))
    with pytest.raises(ValueError, match=f"^the debug log is still {good}: .*{reason}"):
        log.open(str(tmp_path / name))
    log.note(IN, "it goes on")
    assert read(good) == [(IN, "it goes on")]


def test_a_full_disk_ends_the_log_and_is_told_once(tmp_path):
    log = DebugLog()
    log.open(str(tmp_path / "log.txt"))
    log._file = FullDisk()
    assert "No space left" in log.note(OUT, "lost")
    assert log.note(OUT, "not written any more") == ""


def test_lines_of_several_threads_stay_whole(tmp_path):
    path, log = tmp_path / "log.txt", DebugLog()
    log.open(str(path))
    threads = [threading.Thread(target=lambda n=n: [log.note(OUT, f"{n} {'x' * 500}") for _ in range(200)]) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.open("")
    assert sorted({text for _, text in read(path)}) == [f"{n} {'x' * 500}" for n in range(4)] and len(read(path)) == 800


def test_a_conversation_is_logged_from_the_option_on(tmp_path):
    with Prober(folder=tmp_path) as prober:
        prober.ask("uci", answer="uciok")
        said = prober.ask("setoption name debug log file value my log.txt", "isready", answer="readyok")
        said += prober.ask("go depth 2", answer="bestmove")
        prober.send("setoption name Debug Log File value <empty>", "isready")
        prober.expect("readyok")
        prober.ask("go depth 1", answer="bestmove")
    lines = read(tmp_path / "my log.txt")
    assert [text for direction, text in lines if direction == OUT] == said
    heard = [text for direction, text in lines if direction == IN and text != "isready"]  # that one may come too soon or late
    assert heard == ["go depth 2", "setoption name Debug Log File value <empty>"]


def test_a_log_that_cannot_be_written_is_told_and_costs_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "zobra.uci"],
        check=True,
        input=f"setoption name Debug Log File value {tmp_path}\ngo nodes 100\nquit\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert f"info string error: no debug log: {tmp_path} cannot be written" in done.stdout
    assert done.stdout.count("bestmove") == 1 and done.stderr == ""
