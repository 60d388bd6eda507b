"""The option EvalFile, and what `eval` shows of a network."""

import os
import re
import threading
from pathlib import Path

import pytest

from tests.support.commands import zobra
from tests.support.conversation import Conversation
from tests.support.networks import random_network
from zobra.engine.fen import START, parse_fen
from zobra.engine.network import load_network
from zobra.engine.network_file import WIDTH, Network
from zobra.search.evaluation import evaluate_position
from zobra.search.searcher import Searcher
from zobra.search.wdl import normalised
from zobra.uci.board_text import piece_values

POSITION = parse_fen(START)


@pytest.fixture
def conversation():
    made = Conversation()
    made.engine.load().wait()
    return made


def small(seed: int = 1, width: int = WIDTH) -> Network:
    """A network with outputs of the size of real scores."""
    network = random_network(width, seed)
    return Network(
        network.rows, network.bias, network.output // 20, 0 * network.output_bias, network.qb, {}
    )


def saved(folder: Path, network: Network) -> str:
    path = folder / f"a network of {network.hidden}.file"
    path.write_bytes(network.to_bytes())
    return str(path)


def evaluation(conversation: Conversation) -> int:
    return conversation.engine.evaluate(POSITION)


def test_a_network_is_loaded_shown_and_taken_back(conversation, tmp_path):
    before = evaluation(conversation)
    assert not conversation.send(f"setoption name EvalFile value {saved(tmp_path, small())}")
    after = evaluation(conversation)
    assert after != before
    table, shown = conversation.send("eval")[-1].split("\n\n")
    assert len(re.findall(r"\|\s+[PNBRQpnbrq]\s+(?=\|)|\|\s+[Kk]\s+(?=\|)", table)) == 32
    assert len(re.findall(r"[+-]\d+\.\d\d", table)) == 30  # all but the kings
    assert shown == f"Evaluation: {normalised(after) / 100:+.2f} pawns (White's side)"
    conversation.send("setoption name EvalFile value <empty>")
    assert evaluation(conversation) == before


def test_an_invalid_network_is_reported_and_changes_nothing(conversation, tmp_path):
    good = saved(tmp_path, small())
    conversation.send(f"setoption name EvalFile value {good}")
    value = evaluation(conversation)
    (tmp_path / "noise").write_bytes(b"noise")
    too_wide = saved(tmp_path, random_network(WIDTH + 32))
    for path, complaint in (
        (tmp_path / "noise", "not a file of"),
        (tmp_path / "nothing", "No such file"),
        (too_wide, f"it has {WIDTH + 32} neurons, not a multiple of 32 up to {WIDTH}"),
    ):
        (said,) = conversation.send(f"setoption name EvalFile value {path}")
        assert said.startswith(f"info string error: {path}: {complaint}")
    assert evaluation(conversation) == value
    assert conversation.engine.options["EvalFile"] == good


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--network", "nothing", "bench"], "nothing: No such file"),
        (["--network", "", "--tunable"], "not a regular file"),
        (["--network"], "--network needs a file"),
    ],
)
def test_a_network_that_cannot_be_used_ends_the_program(arguments, complaint):
    done = zobra(*arguments)
    assert done.returncode == 1
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


def test_commands_begin_with_the_network_that_is_named(tmp_path):
    path = saved(tmp_path, small(3, width=32))
    built_in = zobra("eval").stdout
    by_network = zobra("--network", path, "eval").stdout
    talked = zobra("--network", path, typed="eval\nquit\n").stdout
    assert by_network != built_in
    assert by_network in talked


@pytest.mark.parametrize("command", ["genfens", "match", "suite", "doctor"])
def test_commands_that_would_ignore_a_network_refuse_it(tmp_path, command):
    done = zobra("--network", saved(tmp_path, small()), command, "4")
    assert done.returncode == 2
    said = " ".join(re.sub(r"[│╭╮╰╯─]", " ", done.stderr).split())
    assert "--network FILE goes before bench and commands of UCI only." in said
    assert not done.stdout


@pytest.mark.parametrize("width", [32, WIDTH])
def test_two_engines_in_one_process_have_two_networks(tmp_path, width):
    """Alternating, they give the values of the networks alone."""
    networks = [small(1, width), small(2, width)]
    expected = [evaluate_position(POSITION, load_network(network)) for network in networks]
    assert expected[0] != expected[1]
    conversations = []
    for network in networks:
        conversations.append(Conversation())
        conversations[-1].send(f"setoption name EvalFile value {saved(tmp_path, network)}")
    for _ in range(2):
        assert [evaluation(each) for each in conversations] == expected
        for each in conversations:
            each.send("go depth 3")


def test_the_value_of_a_piece_is_what_the_evaluation_loses_without_it():
    searcher = Searcher(1)
    searcher.use_network(small())
    position = parse_fen("4k3/8/8/3q4/8/8/8/R3K3 b - - 0 1")
    values = piece_values(position, searcher.evaluate)
    assert set(values) == {0, 35}
    without_queen = parse_fen("4k3/8/8/8/8/8/8/R3K3 b - - 0 1")
    assert values[35] == searcher.evaluate(without_queen) - searcher.evaluate(position)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
@pytest.mark.parametrize("option", ["EvalFile", "BookFile", "Debug Log File"])
def test_special_files_are_refused_at_once(conversation, tmp_path, option):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path in (fifo, "/dev/zero", tmp_path):
        line = f"setoption name {option} value {path}"
        asking = threading.Thread(target=conversation.send, args=(line,), daemon=True)
        asking.start()
        asking.join(10)
        assert not asking.is_alive()
        (said,) = conversation.said
        assert said.startswith("info string error: ")
        assert str(path) in said
        assert "file" in said
