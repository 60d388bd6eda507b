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
from zobra.arena.model.journal import RUN_FILES, Journal, read_game
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
        "moves": list(map(PlayedMove.from_json, MOVES)),
    } | more
    pair = index // 2
    return GameRecord(index, pair, pair + 1, white, black, OPENING.entry(False), **values)


def keep(folder: Path, *records: GameRecord, settings: Settings = SETTINGS) -> list[GameRecord]:
    """Add games to a match, which is begun or resumed. Return the games that were there."""
    with closing(Journal(folder, settings)) as journal:
        for one in records:
            journal.add(one)
        return journal.records


def test_games_are_there_again(tmp_path):
    games = [record(0), record(1, result="0-1")]
    assert keep(tmp_path, *games) == []
    assert keep(tmp_path) == [replace(game, moves=[]) for game in games]
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["kind"] == "match"
    assert run["engines"][0]["name"] == "A {1}"
    assert run["sprt"]["elo1"] == 5
    assert run["created"]
    assert Journal.settings_in(tmp_path) == SETTINGS
    lines = (tmp_path / "journal.jsonl").read_text().splitlines()
    assert [read_game(line, "", SETTINGS) for line in lines] == games


def test_half_a_line_at_the_end_is_forgotten(tmp_path):
    keep(tmp_path, record(0), record(1))
    path = tmp_path / "journal.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert keep(tmp_path, record(1)) == [record(0, moves=[])]
    assert path.read_bytes() == whole
    assert (tmp_path / "games.pgn").read_text().count("[Event ") == 2


def test_games_are_written_anew_only_where_some_are_missing(tmp_path):
    keep(tmp_path, record(0), record(1))
    pgn = tmp_path / "games.pgn"
    whole = pgn.read_text()
    for part in ("torn", whole[: len(whole) // 3], whole[whole.rindex("[Event ") :]):
        pgn.write_text(part)
        keep(tmp_path)
        assert pgn.read_text() == whole
    pgn.write_text(pgn.read_text().replace("Zobra match", "mine", 1))
    keep(tmp_path)
    assert pgn.read_text().count("mine") == 1


def test_a_broken_line_is_named(tmp_path):
    keep(tmp_path)
    good = record().to_json()
    changes = ({"white": "C"}, {"moves": [["e2e4"]]}, {"result": "2-0"}, {"opening": {}})
    for line in ("nonsense", *(json.dumps(good | change) for change in changes)):
        (tmp_path / "journal.jsonl").write_text(f"{json.dumps(good)}\n{line}\n")
        with pytest.raises(ValueError, match=r"journal\.jsonl:2: not a game"):
            keep(tmp_path)


@pytest.mark.parametrize("name", RUN_FILES)
def test_files_of_something_else_stay_as_they_are(tmp_path, name):
    (tmp_path / name).write_text("mine\n")
    with pytest.raises(ValueError, match=f"has a {name} but no run.json"):
        keep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine\n"


def test_another_match_is_refused(tmp_path):
    keep(tmp_path)
    with pytest.raises(ValueError, match="another match: --tc, --seed differ"):
        keep(tmp_path, settings=replace(SETTINGS, time_control="5", seed=3))
    with closing(Journal(tmp_path, SETTINGS)), pytest.raises(ValueError, match="another process"):
        keep(tmp_path)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"kind": "suite"}, "not a match: it is a suite"),
        ({"concurrency": 0}, "concurrency must be at least 1, not 0"),
    ],
)
def test_another_run_is_no_match(tmp_path, changes, problem):
    keep(tmp_path)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(ValueError, match=problem):
        Journal.conditions_in(tmp_path)
        Journal.settings_in(tmp_path)


def test_pgn_is_what_python_chess_reads(tmp_path):
    drawn = record(1, result="1/2-1/2", reason="move limit", detail="", moves=[])
    # As an id of an EPD line may be written
    drawn = replace(drawn, opening=drawn.opening | {"name": "book\new"})
    settings = replace(SETTINGS, event='a "b" \\')
    keep(tmp_path, record(detail="35 ms over {sic}"), drawn, settings=settings)
    file = io.StringIO((tmp_path / "games.pgn").read_text())
    first = chess.pgn.read_game(file)
    second = chess.pgn.read_game(file)
    assert first.errors == second.errors == []
    assert chess.pgn.read_game(file) is None

    assert r'[Event "a \"b\" \\"]' in (tmp_path / "games.pgn").read_text()
    expected = {
        "White": "A {1}",
        "Black": "B",
        "Result": "1-0",
        "Date": "2030.01.02",
        "WhiteTimeControl": "10+0.1",
        "BlackTimeControl": "nodes=9",
        "Termination": "time forfeit",
        "PlyCount": "5",
        "Opening": "one",
    }
    assert {name: first.headers[name] for name in expected} == expected
    nodes = list(first.mainline())
    assert [node.move.uci() for node in nodes] == ["e2e4", *(move[0] for move in MOVES)]
    assert [node.comment for node in nodes] == [
        "book",
        "-0.20/9 0.012s, n=1000",
        "+M5/8 0.001s",
        "-M4/0 0.000s",
        "0.005s, Black loses on time (35 ms over sic)",
    ]

    assert second.headers["Termination"] == "adjudication"
    assert second.headers["Opening"] == r"book\\new"  # escaped: python-chess leaves it so
    assert second.end().comment == "book, Draw by move limit"


def test_pgn_has_short_lines_and_the_name_of_the_opening():
    moves = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "g8f6")
    opening = Opening(chess.STARTING_FEN, moves, "book:17").entry(False)
    game = replace(record(detail="word " * 60, moves=[]), opening=opening)
    text = game.pgn_text(SETTINGS)
    for header in ('ECO "C65"', 'Opening "Ruy Lopez, Berlin"', 'PlyCount "6"'):
        assert f"[{header}]" in text
    lines = [line for line in text.splitlines() if not line.startswith("[")]
    assert len(lines) > 4
    assert max(map(len, lines)) <= 80
    read = chess.pgn.read_game(io.StringIO(text))
    assert tuple(node.move.uci() for node in read.mainline()) == moves


def test_chess960_games_say_so(tmp_path):
    fen = "bnrkbrqn/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w G - 0 1"
    castling = record(moves=[PlayedMove(chess.Move.from_uci("f1g1"), 0, None, 1, 1, 1.0)])
    castling = replace(castling, opening=Opening(fen).entry(True))
    keep(tmp_path, castling, settings=replace(SETTINGS, chess960=True))
    game = chess.pgn.read_game(io.StringIO((tmp_path / "games.pgn").read_text()))
    assert game.errors == []
    assert game.headers["Variant"] == "Chess960"
    assert game.board() == chess.Board(fen, chess960=True)
    assert game.next().san() == "O-O"


@pytest.mark.parametrize("entry", [MOVES[0], [*MOVES[1], 900]])
def test_played_moves_are_written_and_read(entry):
    played = PlayedMove.from_json(entry)
    assert played.to_json() == [*entry, None][:7]  # the clock is not always known
    node = chess.pgn.Game().add_main_variation(played.move, comment=played.to_comment())
    again = PlayedMove.from_node(node)
    assert (again.score, again.mate) == (played.score, played.mate)
    assert (again.depth, again.nodes) == (played.depth, played.nodes)


def test_a_score_in_pawns_is_cut_off_where_mates_stand():
    move = chess.Move.from_uci("e2e4")
    scores = [PlayedMove(move, -20), PlayedMove(move, 2000), PlayedMove(move, mate=-2)]
    assert [played.pawns(10) for played in scores] == [-0.2, 10, -10]


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "e2e4",
        ["e2e4"],
        [5, 1, 1, 1, 1, 1],
        ["e9", None, None, None, None, None],
        ["e2e4", "1", None, None, None, None],
    ],
)
def test_what_is_no_played_move_is_refused(entry):
    with pytest.raises(ValueError):
        PlayedMove.from_json(entry)
