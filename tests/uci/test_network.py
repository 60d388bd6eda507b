"""The option EvalFile, and what `eval` shows of a network."""

import os
import re
import threading
from pathlib import Path

import pytest

from tests.support.commands import zobra
from tests.support.networks import random_network
from zobra.engine.fen import START, parse_fen
from zobra.engine.network import load_network
from zobra.engine.network_file import WIDTH, Network
from zobra.engine.position import Game
from zobra.search.evaluation import evaluate_position
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher
from zobra.search.wdl import normalised
from zobra.uci.board_text import piece_values
from zobra.uci.commands import SetOption, Simple, parse
from zobra.uci.console import Console
from zobra.uci.dispatcher import Dispatcher


class Conversation:
    """A conversation that keeps what is printed in `said`."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.dispatcher = Dispatcher(
            Console(write=lambda line: self.said.append(line.decode().rstrip("\n")))
        )
        self.engine = self.dispatcher.engine
        self.engine.load().wait()

    def execute(self, command) -> None:
        self.dispatcher.execute(command)
        self.engine.wait()

    def evaluate_start(self) -> int:
        return self.engine.evaluate(parse_fen(START))


@pytest.fixture
def conversation():
    return Conversation()


def small(seed: int = 1, width: int = WIDTH) -> Network:
    """Outputs of the size of real scores."""
    network = random_network(width, seed)
    return Network(
        network.rows, network.bias, network.output // 20, 0 * network.output_bias, network.qb, {}
    )


def saved(tmp_path, network: Network) -> str:
    path = tmp_path / "a network.file"
    path.write_bytes(network.to_bytes())
    return str(path)


def test_a_network_is_loaded_shown_and_taken_back(conversation, tmp_path):
    before = conversation.evaluate_start()
    conversation.execute(SetOption("EvalFile", saved(tmp_path, small())))
    after = conversation.evaluate_start()
    assert not conversation.said and after != before
    conversation.execute(Simple("eval"))
    table, evaluation = conversation.said[-1].split("\n\n")
    assert len(re.findall(r"\|\s+[PNBRQpnbrq]\s+(?=\|)|\|\s+[Kk]\s+(?=\|)", table)) == 32
    assert len(re.findall(r"[+-]\d+\.\d\d", table)) == 30  # all but the kings
    assert evaluation == f"Evaluation: {normalised(after) / 100:+.2f} pawns (White's side)"
    conversation.execute(SetOption("EvalFile", ""))
    assert conversation.evaluate_start() == before


def test_what_cannot_be_loaded_is_reported_and_changes_nothing(conversation, tmp_path):
    conversation.execute(SetOption("EvalFile", saved(tmp_path, small())))
    value = conversation.evaluate_start()
    (tmp_path / "noise").write_bytes(b"noise")
    (tmp_path / "wide").write_bytes(random_network(WIDTH + 32).to_bytes())
    wide = f"it has {WIDTH + 32} neurons, not a multiple of 32 up to {WIDTH}"
    for path, complaint in (
        ("noise", "not a file of"),
        ("nothing", "No such file"),
        ("wide", wide),
    ):
        conversation.execute(SetOption("EvalFile", str(tmp_path / path)))
        assert conversation.said.pop().startswith(
            f"info string error: {tmp_path / path}: {complaint}"
        )
    assert conversation.evaluate_start() == value
    assert conversation.engine.options["EvalFile"].endswith("a network.file")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--network", "nothing", "bench"], "nothing: No such file"),
        (["--network", "", "--tunable"], "not an ordinary file"),
        (["--network"], "--network needs a file"),
        (["--network", "noise", "bench"], "noise: not a file of"),
    ],
)
def test_a_network_that_cannot_be_used_ends_the_program(
    monkeypatch, tmp_path, arguments, complaint
):
    (tmp_path / "noise").write_bytes(b"noise")
    monkeypatch.chdir(tmp_path)
    done = zobra(*arguments)
    assert (
        done.returncode == 1
        and complaint in done.stderr
        and "Traceback" not in done.stderr
        and not done.stdout
    )


def test_the_search_uses_the_network_and_forgets_what_it_knew():
    searcher, game = Searcher(1), Game(parse_fen(START))

    def score(network: Network | None) -> int:
        reports = []
        searcher.use_network(network)
        searcher.search(game, Limits(depth=1), reports.append)
        return reports[-1].score

    built_in = score(None)
    assert len({built_in, score(small(1)), score(small(2))}) == 3
    assert score(None) == built_in


def test_commands_begin_with_the_network_that_is_named(tmp_path):
    path = saved(tmp_path, small(3, width=32))
    built_in = zobra("eval").stdout
    by_network = zobra("--network", path, "eval").stdout
    talked = zobra("--network", path, typed="eval\nquit\n").stdout
    assert by_network != built_in and by_network in talked


@pytest.mark.parametrize("width", [32, 96, WIDTH])
def test_two_engines_have_two_networks_and_none_is_compiled_for_a_narrow_one(tmp_path, width):
    """Alternating, in one process, they give the values of plain arithmetic."""
    engines = [Conversation(), Conversation()]
    position = parse_fen(START)
    networks = [small(1, width), small(2, width)]
    for conversation, network in zip(engines, networks, strict=True):
        conversation.execute(SetOption("EvalFile", saved(tmp_path, network)))
    expected = [evaluate_position(position, load_network(network)) for network in networks]
    for _ in range(2):
        assert [each.evaluate_start() for each in engines] == expected
        for each in engines:
            each.execute(parse("go depth 3"))
    assert expected[0] != expected[1]


def test_values_are_differences_for_white():
    searcher = Searcher(1)
    searcher.use_network(small())
    position = parse_fen("4k3/8/8/3q4/8/8/8/R3K3 b - - 0 1")
    values = piece_values(position, searcher.evaluate)
    assert set(values) == {0, 35}
    without_queen = parse_fen("4k3/8/8/8/8/8/8/R3K3 b - - 0 1")
    assert values[35] == -searcher.evaluate(position) + searcher.evaluate(without_queen)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
@pytest.mark.parametrize("option", ["EvalFile", "BookFile", "Debug Log File"])
@pytest.mark.parametrize("kind", ["FIFO", "device", "directory"])
def test_what_is_no_ordinary_file_is_refused_at_once(conversation, tmp_path, option, kind):
    path = {"FIFO": tmp_path / "fifo", "device": Path("/dev/zero"), "directory": tmp_path}[kind]
    if kind == "FIFO":
        os.mkfifo(path)
    asking = threading.Thread(
        target=lambda: conversation.execute(SetOption(option, str(path))), daemon=True
    )
    asking.start()
    asking.join(10)
    assert not asking.is_alive()
    (line,) = conversation.said
    assert line.startswith("info string error: ") and str(path) in line and "file" in line
