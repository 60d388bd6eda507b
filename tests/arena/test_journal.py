"""The folder of a match: kept game by game, taken up after any end, guarded against mix-ups."""

import io
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn
import pytest

from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.adjudication import AdjudicationRules
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.journal import Journal, read_game
from zobra.arena.model.openings import Opening
from zobra.arena.model.settings import Settings
from zobra.arena.model.statistics import Sprt

SETTINGS = Settings(
    (
        EngineSpec("A {1}", ("a",), {"Hash": 4}),
        EngineSpec("B", ("b", "-x"), time_control="nodes=9"),
    ),
    "10+0.1",
    5,
    rules=AdjudicationRules(draw=(30, 4, 10), resign=(3, 500)),
    sprt=Sprt(0, 5),
)
MOVE = chess.Move.from_uci("e2e4")
OPENING = Opening(chess.STARTING_FEN, ("e2e4",), "one")
MOVES = [
    ["e7e5", -20, None, 9, 1000, 12.3],
    ["f1c4", None, 3, 8, None, 1.0],
    ["b8c6", None, -2, None, None, 0.4],
    ["d1h5", None, None, None, None, 5.0],
]


def record(index: int = 0, **more) -> GameRecord:
    white, black = ("A {1}", "B") if index % 2 == 0 else ("B", "A {1}")
    values = {
        "result": "1-0",
        "reason": "time",
        "detail": "35 ms over",
        "start": "2030-01-02T03:04:05+00:00",
    }
    values["moves"] = list(map(PlayedMove.from_json, MOVES))
    return GameRecord(
        index, index // 2, index // 2 + 1, white, black, OPENING.entry(False), **values | more
    )


def keep(folder: Path, *records: GameRecord, settings: Settings = SETTINGS) -> list[GameRecord]:
    """Adds games to a match, which is begun or resumed; the games that were there."""
    with closing(Journal(folder, settings)) as journal:
        for one in records:
            journal.add(one)
        return journal.records


def test_games_are_there_again(tmp_path):
    games = [record(0), record(1, result="0-1")]
    assert keep(tmp_path / "m", *games) == [] and keep(tmp_path / "m") == [
        replace(game, moves=[]) for game in games
    ]
    run = json.loads((tmp_path / "m" / "run.json").read_text())
    assert (
        run["kind"] == "match"
        and run["engines"][0]["name"] == "A {1}"
        and run["sprt"]["elo1"] == 5
        and run["created"]
    )
    assert Journal.settings_in(tmp_path / "m") == SETTINGS
    assert [
        read_game(line, "", SETTINGS)
        for line in (tmp_path / "m" / "journal.jsonl").read_text().splitlines()
    ] == games


def test_half_a_line_at_the_end_is_forgotten(tmp_path):
    keep(tmp_path, record(0), record(1))
    path, pgn = tmp_path / "journal.jsonl", tmp_path / "games.pgn"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    pgn.write_text("torn")
    assert keep(tmp_path, record(1)) == [record(0, moves=[])] and path.read_bytes() == whole
    assert pgn.read_text().count("[Event ") == 2
    pgn.write_text(pgn.read_text().replace("Zobra match", "mine", 1))
    assert (
        len(keep(tmp_path)) == 2 and pgn.read_text().count("mine") == 1
    )  # whole, so it is not made anew


def test_a_broken_line_is_named(tmp_path):
    keep(tmp_path)
    good = record().to_json()
    changes = ({"white": "C"}, {"moves": [["e2e4"]]}, {"result": "2-0"}, {"opening": {}})
    for line in ("nonsense", *(json.dumps(good | change) for change in changes)):
        (tmp_path / "journal.jsonl").write_text(f"{json.dumps(good)}\n{line}\n")
        with pytest.raises(ValueError, match=r"journal\.jsonl:2: not a game"):
            keep(tmp_path)


@pytest.mark.parametrize("name", ["games.pgn", "journal.jsonl"])
def test_files_of_something_else_stay_as_they_are(tmp_path, name):
    (tmp_path / name).write_text("mine\n")
    with pytest.raises(ValueError, match=f"holds a {name}"):
        keep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name] and (
        tmp_path / name
    ).read_text() == "mine\n"


def test_another_match_is_refused(tmp_path):
    keep(tmp_path)
    with pytest.raises(ValueError, match="another match: different --tc, --seed"):
        keep(tmp_path, settings=replace(SETTINGS, time_control="5", seed=3))
    with closing(Journal(tmp_path, SETTINGS)), pytest.raises(ValueError, match="another process"):
        keep(tmp_path)
    settings = json.loads((tmp_path / "run.json").read_text())
    for content in ({"kind": "suite"}, settings | {"rules": []}, settings | {"time_control": 10}):
        (tmp_path / "run.json").write_text(json.dumps(content))
        with pytest.raises(ValueError, match="not a match"):
            keep(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps(settings | {"concurrency": 0}))
    with pytest.raises(ValueError, match="concurrency must be at least 1, not 0"):
        Journal.conditions_in(tmp_path)


def test_pgn_is_what_python_chess_reads(tmp_path):
    drawn = record(1, result="1/2-1/2", reason="move limit", detail="", moves=[])
    drawn = replace(
        drawn, opening=drawn.opening | {"name": "book\new"}
    )  # what becomes of an EPD's id with a backslash
    keep(tmp_path, record(detail="35 ms over {sic}"), drawn)
    file = io.StringIO((tmp_path / "games.pgn").read_text())
    game, second = chess.pgn.read_game(file), chess.pgn.read_game(file)
    assert game.errors == [] and second.errors == [] and chess.pgn.read_game(file) is None
    headers = game.headers
    assert (headers["White"], headers["Black"], headers["Result"], headers["Date"]) == (
        "A {1}",
        "B",
        "1-0",
        "2030.01.02",
    )
    assert (headers["WhiteTimeControl"], headers["BlackTimeControl"]) == ("10+0.1", "nodes=9")
    assert (headers["Termination"], headers["PlyCount"], headers["Opening"]) == (
        "time forfeit",
        "5",
        "one",
    )
    assert [node.move.uci() for node in game.mainline()] == ["e2e4", *(move[0] for move in MOVES)]
    assert [node.comment for node in game.mainline()] == [
        "book",
        "-0.20/9 0.012s, n=1000",
        "+M5/8 0.001s",
        "-M4/0 0.000s",
        "0.005s, Black loses on time (35 ms over sic)",
    ]
    assert (second.headers["Termination"], second.headers["Opening"]) == (
        "adjudication",
        r"book\new",
    )
    assert list(second.mainline())[-1].comment == "book, Draw by move limit"


def test_pgn_has_short_lines_and_the_name_of_the_opening(tmp_path):
    lines = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "g8f6")
    opening = Opening(chess.STARTING_FEN, lines, "book:17")
    text = replace(record(detail="word " * 60, moves=[]), opening=opening.entry(False)).pgn_text(
        SETTINGS
    )
    assert (
        '[ECO "C65"]' in text
        and '[Opening "Ruy Lopez, Berlin"]' in text
        and '[PlyCount "6"]' in text
    )
    moves = [line for line in text.splitlines() if not line.startswith("[")]
    assert max(map(len, moves)) <= 80 and len(moves) > 4
    assert [node.move.uci() for node in chess.pgn.read_game(io.StringIO(text)).mainline()] == list(
        lines
    )


def test_chess960_games_say_so(tmp_path):
    fen = "bnrkbrqn/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w G - 0 1"
    castling = record(moves=[PlayedMove(chess.Move.from_uci("f1g1"), 0, None, 1, 1, 1.0)])
    keep(
        tmp_path,
        replace(castling, opening=Opening(fen).entry(True)),
        settings=replace(SETTINGS, chess960=True),
    )
    game = chess.pgn.read_game(io.StringIO((tmp_path / "games.pgn").read_text()))
    assert game.errors == [] and game.headers["Variant"] == "Chess960"
    assert game.board() == chess.Board(fen, chess960=True)
    assert game.next().san() == "O-O"


COMMENTS = {
    "+0.31/12 0.101s, n=52311": PlayedMove(MOVE, 31, None, 12, 52311, 101),
    "-M4/9 0.5s": PlayedMove(MOVE, None, -2, 9, None, 500),
    "+M5/0 0.000s": PlayedMove(MOVE, None, 3, None, None, 0),
    "0.005s": PlayedMove(MOVE, milliseconds=5),
    "book": PlayedMove(MOVE),
    "-1.50/7 2s, White makes an illegal move: a1/3": PlayedMove(MOVE, -150, None, 7, None, 2000),
    "[%eval -0.25,17] [%clk 0:01:05.5] [%emt 0:00:02]": PlayedMove(
        MOVE, -25, None, 17, None, 2000, 65500
    ),
    "[%eval #-3]": PlayedMove(MOVE, None, -3),
}


@pytest.mark.parametrize(("comment", "played"), COMMENTS.items(), ids=lambda value: str(value)[:20])
def test_comments_of_match_tools_are_read(comment, played):
    game = chess.pgn.Game()
    assert PlayedMove.from_node(game.add_main_variation(MOVE, comment=comment)) == played


def test_black_reads_evaluations_from_its_own_side():
    node = (
        chess.pgn.Game()
        .add_main_variation(MOVE)
        .add_main_variation(chess.Move.from_uci("e7e5"), comment="[%eval 0.40]")
    )
    assert PlayedMove.from_node(node).score == -40


@pytest.mark.parametrize("entry", [MOVES[0], [*MOVES[1], 900]])
def test_played_moves_are_written_and_read(entry):
    played = PlayedMove.from_json(entry)
    assert played.to_json() == [*entry, None][:7] and played.pawns(10) in (-0.2, 10)
    again = PlayedMove.from_node(
        chess.pgn.Game().add_main_variation(played.move, comment=played.to_comment())
    )
    assert (again.score, again.mate, again.depth, again.nodes) == (
        played.score,
        played.mate,
        played.depth,
        played.nodes,
    )
    for bad in (
        None,
        "e2e4",
        ["e2e4"],
        [5, 1, 1, 1, 1, 1],
        ["e9", *[None] * 5],
        ["e2e4", "1", *[None] * 4],
    ):
        with pytest.raises(ValueError):
            PlayedMove.from_json(bad)
