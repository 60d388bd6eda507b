"""`zobra play` as a person starts it."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest

from tests.support.arena_runs import ENGINE, any_alive, flat, run, start
from zobra.arena.commands import play as play_module
from zobra.arena.model.clock import TimeControl


def page_address(process: subprocess.Popen) -> str:
    """Return the address that the command prints."""
    line = process.stdout.readline()
    found = re.search(r"http://\S+", line)
    assert found, line
    return found[0]


def request(address: str, name: str = "", method: str = "GET") -> http.client.HTTPResponse:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    headers = {} if method == "GET" else {"Origin": f"http://{parts.netloc}"}
    connection.request(method, parts.path + name, headers=headers)
    return connection.getresponse()


@pytest.fixture
def pids(tmp_path):
    """A folder in which the engines leave their process ids."""
    folder = tmp_path / "pids"
    folder.mkdir()
    return folder


@pytest.fixture
def begin(tmp_path, pids):
    """A function that starts the command with the scripted engine until the test ends."""
    processes = []

    def begin(*arguments) -> subprocess.Popen:
        engine = f"{ENGINE} --pids {pids}"
        folder = tmp_path / "games"
        process = start("play", "--no-browser", "-e", engine, "--folder", folder, *arguments)
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
def test_ctrl_c_ends_the_game_and_saves_it(tmp_path, pids, begin):
    process = begin("--color", "black", "--tc", "nodes=1")
    address = page_address(process)
    events = request(address, "events")
    while b'"san"' not in events.readline():
        pass
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert not errors
    saved = re.search(r"saved: (\S+\.pgn)", output)
    assert saved
    assert '[Result "*"]' in (tmp_path / "games" / saved[1]).read_text()
    assert b"event: end" in events.read()
    assert not any_alive(pids)


def test_closing_the_page_ends_the_game_after_some_seconds(pids, begin):
    process = begin()
    address = page_address(process)
    events = request(address, "events")
    events.readline()
    assert request(address, "goodbye", "POST").status == 204
    begun = time.monotonic()
    events.close()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert time.monotonic() - begun > 5
    assert not any_alive(pids)


def test_the_terminal_plays_what_is_typed(tmp_path, pids):
    command = [sys.executable, "-m", "zobra.cli", "play", "--terminal", "-e", ENGINE]
    command += ["--folder", str(tmp_path / "games"), "--tc", "nodes=1"]
    done = subprocess.run(
        command,
        input="e4\nhello\nundo\nd4\nresign\ny\nquit\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Scripted plays" in done.stdout
    assert "hello is not a move" in done.stdout
    assert "The clock" not in done.stdout
    assert "wins by resignation" in done.stdout
    game = next((tmp_path / "games").iterdir()).read_text()
    assert "1. d4" in game
    assert "Player" in game
    assert '"0-1"' in game


@pytest.mark.parametrize(
    ("arguments", "rank"),
    [([], "2  ♙  ♙  ♙  ♙  ♙  ♙  ♙  ♙ "), (["--ascii"], "2  P  P  P  P  P  P  P  P ")],
)
def test_the_terminal_draws_the_board_with_signs_or_letters(tmp_path, arguments, rank):
    command = [sys.executable, "-m", "zobra.cli", "play", "--terminal", "-e", ENGINE, *arguments]
    done = subprocess.run(
        [*command, "--folder", str(tmp_path / "games")],
        input="quit\n",
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        timeout=120,
        check=True,
    )
    assert rank in done.stdout.splitlines()
    assert done.stdout.isascii() == bool(arguments)


@pytest.mark.parametrize(
    ("tc", "note"),
    [
        ("5+3", "The clock: 5 s + 3 s per move for each side. For 5 minutes, give --tc 300+3.\n"),
        ("300+3", "The clock: 5 min + 3 s per move for each side.\n"),
        ("nodes=1", ""),
    ],
)
def test_a_clock_is_told_with_its_units(tc, note):
    assert play_module._clock_note(TimeControl.parse(tc)) == note


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-e", "no-such-engine"], "no program no-such-engine"),
        (["-e", "false"], "false"),
        (["--elo", "strong"], "must be a number or 'full'"),
        (["--elo", "1600", "-e", ENGINE], "has no levels"),
        (["--elo", "1500", "-e", ENGINE], "has no levels"),
        (["--color", "green"], "must be white, black or random"),
        (["--fen", "hello"], "hello"),
        (["--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "-e", ENGINE], "the game is over"),
        (["--tc", "soon", "-e", ENGINE], "time control"),
        (["--tc", "60", "--movetime", "5"], "either --movetime or --tc"),
        (["--port", "99999"], "65535"),
        (["--ascii"], "--ascii is for --terminal"),
    ],
)
def test_bad_input_is_answered_with_a_message(arguments, problem, tmp_path):
    text = run("play", "--no-browser", "--folder", tmp_path, *arguments, code=2)
    assert problem in flat(text)


def test_a_taken_port_is_named(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        arguments = ("play", "--no-browser", "-e", ENGINE, "--port", port, "--folder", tmp_path)
        assert f"--port {port}: address already in use" in flat(run(*arguments, code=2)).lower()


def test_a_folder_that_takes_no_games_is_refused_before_the_game(tmp_path):
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "games"
    text = run("play", "--no-browser", "-e", ENGINE, "--folder", folder, code=2)
    assert "file" in flat(text)
    assert "The game is at" not in text


@pytest.mark.parametrize(
    ("platform", "variables", "opened"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"BROWSER": "firefox"}, True),
        ("darwin", {}, True),
        ("win32", {}, True),
    ],
)
def test_the_browser_is_opened_where_there_is_a_screen(monkeypatch, platform, variables, opened):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    addresses = []
    monkeypatch.setattr(play_module.sys, "platform", platform)
    monkeypatch.setattr(play_module.webbrowser, "open", addresses.append)
    thread = play_module._open("http://127.0.0.1:1/x/")
    if thread is not None:
        thread.join()
    assert bool(addresses) == opened
