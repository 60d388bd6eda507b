"""A program that uses what docs/python.md shows. Its types are checked by mypy --strict."""

import sys
from pathlib import Path

import chess
import chess.engine
import numpy as np
import numpy.typing as npt
from chess.engine import InfoDict, Limit, PlayResult

from zobra.api import (
    ALL,
    CONSTANTS,
    CONSTANTS_TYPE,
    INT,
    MOVE_LIST,
    POSITION,
    Analysis,
    Engine,
    EngineError,
    Position,
    entry,
    evaluate,
    find_checks,
    generate,
    make,
    move_text,
    parse_fen,
    perft,
    position,
    record,
)

if sys.version_info >= (3, 11):
    from typing import assert_type
else:
    from typing_extensions import assert_type

NODE = np.dtype([("position", POSITION), ("following", POSITION), ("moves", MOVE_LIST)], align=True)


@entry(INT, record(NODE), CONSTANTS_TYPE)
def count_checks(node, constants):  # type: ignore[no-untyped-def]  # types are those of `entry`
    """Return the number of legal moves that give check."""
    node.moves.count = np.uint64(0)
    checks = 0
    for index in range(generate(node.position, constants, node.moves, ALL)):
        make(node.position, node.following, np.uint64(node.moves.moves[index]), constants)
        find_checks(node.following, constants)
        if node.following.checkers:
            checks += 1
    return checks


def search() -> None:
    """Use each method of an engine that the page shows."""
    board = chess.Board()
    with Engine(hash=1, threads=1) as engine:
        engine.configure({"Skill Level": 20, "Move Overhead": 0})
        assert_type(engine.options["Skill Level"], chess.engine.Option)
        assert_type(engine.analyse(board, Limit(nodes=100)), InfoDict)
        assert_type(engine.analyse(board, Limit(nodes=100), multipv=2), list[InfoDict])
        with engine.analysis(board, multipv=2) as analysis:
            assert_type(analysis, Analysis)
            for info in analysis:
                assert_type(info, InfoDict)
                break
        assert_type(analysis.wait().move, chess.Move | None)

        played = engine.play(board, Limit(time=0.01), game="first", ponder=True)
        assert_type(played, PlayResult)
        engine.new_game()
        engine.stop()
        try:
            engine.play(board, Limit())
        except EngineError as error:
            assert_type(str(error), str)
        engine.quit()


def compute() -> None:
    """Use each function that the page shows."""
    start = position(chess.Board())
    assert_type(start, Position)
    assert_type(start.legal_moves(), list[int])
    assert_type(move_text(start.parse_move("e2e4")), str)
    assert_type(start.after(start.parse_move("e2e4")).to_board(), chess.Board)
    assert_type(perft(start, 2), int)
    assert_type(parse_fen(chess.STARTING_FEN), Position)
    assert_type(evaluate([chess.Board(), start]), npt.NDArray[np.int64])

    node = np.zeros(1, NODE)
    node["position"] = start.record
    assert count_checks(node[0], CONSTANTS) == 0


if __name__ == "__main__":
    search()
    compute()
    print("done", Path(__file__).name)
