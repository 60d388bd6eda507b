"""PGN from other programs: each game is read as it was meant, or left out with the reason."""

import chess
import pytest

from zobra.arena.formats.files import decoded, read_toml
from zobra.arena.formats.pgn import (
    GameError,
    is_whole,
    read_game,
    read_games,
    split_games,
    write_game,
)
from zobra.arena.formats.played_move import PlayedMove

GAME = """[Event "{name}"]
[White "White {name}"]
[Black "Black {name}"]
[Result "{result}"]

{moves} {result}

"""


def game_of(name: str, moves: str, result: str = "1-0") -> str:
    return GAME.format(name=name, moves=moves, result=result)


def moves_of(game: chess.pgn.Game) -> str:
    return " ".join(node.san() for node in game.mainline())


def read_all(text: str) -> list[chess.pgn.Game]:
    assert "".join(split_games(text)) == text
    games = list(read_games(text))
    assert not any(isinstance(game, GameError) for game in games), games
    return games


FIRST = game_of("a", "1. e4 e5 2. Nf3")
SECOND = game_of("b", "1. d4 d5", "0-1")


@pytest.mark.parametrize(
    "text",
    [
        FIRST + SECOND,
        FIRST.rstrip() + "\n" + SECOND.lstrip(),
        FIRST.rstrip() + SECOND,
        (FIRST + SECOND).replace('"]\n\n', '"]\n'),
        (FIRST + SECOND).replace('"]\n\n', '"]\n\n\n\n'),
        (FIRST + SECOND).replace('"]\n', '"] '),
        FIRST.replace(" 1-0\n", " 1-0 1-0\n") + SECOND,
        FIRST.replace(" 1-0\n", "\n") + SECOND,
        FIRST.replace(" 1-0\n", " 1-0 {White won}\n") + SECOND,
        FIRST.replace("e5 2.", "e5\n\n2.") + SECOND,
        FIRST.replace("e5 2.", "e5 {one\n\ntwo (1-0)} 2.") + SECOND,
        FIRST.replace("e5 2.", "e5 (1... c5 1-0) 2.") + SECOND,
        "% made by hand\n; a remark\n" + FIRST + "% between\n\n" + SECOND,
        FIRST.replace("[Event", "\t[ Event") + SECOND,
    ],
)
def test_where_games_end(text):
    first, second = read_all(text)
    assert (first.headers["White"], first.headers["Result"]) == ("White a", "1-0")
    assert (second.headers["White"], second.headers["Result"]) == ("White b", "0-1")
    assert (moves_of(first), moves_of(second)) == ("e4 e5 Nf3", "d4 d5")


def test_games_without_tags():
    games = read_all("1. e4 e5 *\n\n1. d4 d5\n2. c4\n\n1. c4 1/2-1/2 1. f4 *\n")
    assert [moves_of(game) for game in games] == ["e4 e5", "d4 d5 c4", "c4", "f4"]
    assert [game.headers["Result"] for game in games] == ["*", "*", "1/2-1/2", "*"]


@pytest.mark.parametrize("blank", ["", " \n\n"])
def test_nothing_is_no_game(blank):
    assert split_games(blank) == []
    assert list(read_games(blank)) == []


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ("1. e4 e5 2. Ke3", "illegal move Ke3 at move 2"),
        ("1. e4 (1. Ke3) (1. d4) 1... e5", "illegal move Ke3 in a variation of move 1"),
        ("1. Nf3 a6 2. Nc3 b6 3. e3 c6 4. Ne2 d6 5. Nd4", "ambiguous move Nd4 at move 5"),
        ("1. e4 e5 2. Sf3", "not understood: Sf3"),
        ("1. e4 e5 2. nf3", "not understood: nf3"),
        ("1. e4 e5 2. Pf3", "not understood: Pf3"),
        ("1. e4 e5 and so on", "not understood: and"),
        ("1. e4 e5 2. Nf3]", "not understood: ]"),
        ("1. e4 e5 $4711", "not understood: $"),
        ("1. e4 {good e5", "a comment without end"),
        ("1. e4 (1. d4 e5", "a variation without end"),
        ("1. e4) e5", "the end of a variation that did not begin"),
        ("(1. e4) e5", "a variation before the first move"),
        ("1. e4 e5 2. Qh5 Nc6 3. Qxf7+ --", "illegal move -- at move 3"),
        ("1. e4 f5 2. exf5 g6 3. fxg6 Nf6 4. gxh7 Ng8 5. hxg8", "illegal move hxg8 at move 5"),
    ],
)
def test_what_is_not_understood_costs_its_game_only(moves, reason):
    bad = game_of("x", moves)
    before, error, after = read_games(FIRST + bad + SECOND)
    assert isinstance(error, GameError)
    assert (error.number, error.reason) == (2, reason)
    assert str(error) == f"game 2 is left out: {reason}"
    assert (moves_of(before), moves_of(after)) == ("e4 e5 Nf3", "d4 d5")


@pytest.mark.parametrize(
    ("moves", "read", "mistakes"),
    [
        ("1. e4 e5 2. Ke3 Nc6 3. d4", "1. e4 e5", ["illegal move Ke3 at move 2"]),
        ("1. e4 e5 2. Nf9 (2. d4 d5) Nc6", "1. e4 e5", ["not understood: Nf9 at move 2"]),
        (
            "1. e4 e5 {good} 2. Nf3 {fine",
            "1. e4 e5 { good } 2. Nf3",
            ["a comment without end at move 2"],
        ),
        (
            "1. e4 e5 (1... c5 2. Ke3 (2. d4 d5) 2... d6) (1... e6 2. d4) 2. Nf3 Nf6 (2... Nx)",
            "1. e4 e5 ( 1... c5 ) ( 1... e6 2. d4 ) 2. Nf3 Nf6",
            [
                "illegal move Ke3 in a variation of move 2",
                "not understood: Nx in a variation of move 2",
            ],
        ),
        (
            "1. e4 e5 (1... Ke3) 2. Nf3 (2. d4 exd4 (2... d5 3. a9 dxe4)) Ke3",
            "1. e4 e5 2. Nf3 ( 2. d4 exd4 ( 2... d5 ) )",
            [
                "illegal move Ke3 in a variation of move 1",
                "not understood: a9 in a variation of move 3",
                "illegal move Ke3 at move 2",
            ],
        ),
    ],
)
def test_a_game_can_be_read_up_to_its_mistakes(moves, read, mistakes):
    before, game, after = read_games(FIRST + game_of("x", moves) + SECOND, up_to_mistakes=True)
    exporter = chess.pgn.StringExporter(headers=False, columns=None)
    assert game.accept(exporter) == f"{read} 1-0"
    assert not is_whole(game)
    left_out = "; only the moves before it are read"
    assert [str(error) for error in game.errors] == [
        f"game 2: {mistake}{left_out}" for mistake in mistakes
    ]
    assert is_whole(before)
    assert is_whole(after)


@pytest.mark.parametrize("moves", ["1. Ke3 e5", "?x", "(1. e4) e5", "1. e4) e5"])
def test_a_game_without_a_beginning_is_left_out(moves):
    _, error, _ = read_games(FIRST + game_of("x", moves) + SECOND, up_to_mistakes=True)
    assert isinstance(error, GameError)


def test_the_result_behind_a_mistake_counts():
    text = "1. e4 e5 2. Ke3 Nc6 0-1 {a long fight}\n"
    (game,) = read_games(text, up_to_mistakes=True)
    assert game.headers["Result"] == "0-1"
    assert not game.end().comment


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        ('[FEN "8/8/8/8 w - - 0 1"]', "its FEN: the board has 8 ranks, this one 4"),
        ('[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]', "its FEN: Black has no king"),
        ('[Variant "Moon chess"]', "unsupported variant: moon chess"),
        ('[Variant "Atomic"]', "its variant is atomic"),
        ('[White "Ann]', 'not understood: [White "Ann]'),
        ("[White Ann]", "not understood: [White Ann]"),
    ],
)
def test_tags_that_cannot_be_right_cost_their_game_only(tags, reason):
    bad = FIRST.replace('"]\n[White', f'"]\n{tags}\n[White')
    before, error, after = read_games(FIRST + bad + SECOND)
    assert isinstance(error, GameError)
    assert reason.lower() in error.reason.lower()
    assert (moves_of(before), moves_of(after)) == ("e4 e5 Nf3", "d4 d5")


@pytest.mark.parametrize(
    ("moves", "read"),
    [
        ("1.e4 e5 2.Nf3 Nc6", "e4 e5 Nf3 Nc6"),
        ("1 e4 e5 2 Nf3 Nc6", "e4 e5 Nf3 Nc6"),
        ("1. e2-e4 e7e5 2. Ng1-f3 Nb8c6", "e4 e5 Nf3 Nc6"),
        ("1. e4 e5 2. ♘f3 ♞c6", "e4 e5 Nf3 Nc6"),
        ("1. e4! 1… e5?! 2. Nf3!! +- Nc6=", "e4 e5 Nf3 Nc6"),
        ("e4 e5 Nf3 Nc6", "e4 e5 Nf3 Nc6"),
        ("1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. o-o 0-0", "Nf3 Nf6 g3 g6 Bg2 Bg7 O-O O-O"),
        ("1. e4 -- 2. d4 Z0 3. c4 0000", "e4 -- d4 -- c4 --"),
        ("1. e4 a6 2. e5 d5 3. exd6ep cxd6", "e4 a6 e5 d5 exd6 cxd6"),
        ("1. e4 a6 2. e5 d5 3. exd6 e.p. cxd6", "e4 a6 e5 d5 exd6 cxd6"),
        ("1. e4 f5 2. Qh5++ g6", "e4 f5 Qh5+ g6"),
    ],
)
def test_ways_to_write_moves(moves, read):
    (game,) = read_all(game_of("a", moves))
    assert moves_of(game) == read


@pytest.mark.parametrize("promotion", ["gxh8=Q", "gxh8(Q)", "gxh8/Q", "gxh8q"])
def test_ways_to_write_promotions(promotion):
    (game,) = read_all(game_of("a", f"1. e4 f5 2. exf5 g6 3. fxg6 Nf6 4. g7 Ng8 5. {promotion}"))
    assert game.end().san() == "gxh8=Q"


def test_annotations_and_comments_are_kept():
    moves = "1. e4! {king's} e5 $6 ; the pawn {again}\n2. Nf3 ± N (2. f4 exf4 (2... d5 {Falkbeer}))"
    (game,) = read_all(game_of("a", moves))
    nodes = list(game.mainline())
    assert [node.nags for node in nodes] == [{1}, {6}, {16, 146}]
    assert [node.comment for node in nodes] == ["king's", "the pawn (again)", ""]
    assert nodes[1].variations[1].next().parent.variations[1].comment == "Falkbeer"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (r"O'Neil \"Red\" Smith", 'O\'Neil "Red" Smith'),
        ('The "Big" One', 'The "Big" One'),
        (r"C:\games\new", r"C:\games\new"),
        (r"a \\ b", r"a \ b"),
        ("x\\", "x\\"),
        ("brackets ] [ and } {", "brackets ] [ and } {"),
    ],
)
def test_values_of_tags_come_back(written, value):
    game = read_game(FIRST.replace("White a", written))
    assert game.headers["White"] == value
    assert read_game(write_game(game)).headers["White"] == value


def test_a_result_of_another_kind_is_not_written_as_a_move():
    game = read_game(FIRST.replace('"1-0"', '"White won (2)"'))
    assert game.headers["Result"] == "1-0"
    game.headers["Result"] = "forfeit (x)"
    assert len(read_all(write_game(game) + "\n\n" + SECOND)) == 2


@pytest.mark.parametrize("name", ["Regular", "standard", "Chess", "Normal", "From Position", ""])
def test_names_of_chess(name):
    assert moves_of(read_game(f'[Variant "{name}"]\n' + FIRST)) == "e4 e5 Nf3"


def test_dropped_rights_are_said():
    fen = "4k3/8/8/8/8/8/8/4K2R w KQ e3 0 1"
    (game,) = read_all(f'[FEN "{fen}"]\n[White "a"]\n\n1. O-O *\n')
    assert [str(error) for error in game.errors] == [
        "game 1: castling rights KQ without king or rook are dropped",
        "game 1: en-passant square e3 is dropped: no pawn has just passed it",
    ]
    assert game.headers["FEN"] == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


def test_encodings():
    text = "Björn\nŽofia\n"
    assert decoded(text.encode()) == decoded(text.encode("utf-8-sig")) == text
    assert decoded(b"Bj\xf6rn\r\n\xc5\xbdofia\r\x1a\0") == text
    assert decoded("a\ufeff[b".encode()) == "a[b"


# A game as each program writes it, and what is read of its first moves: score, mate, depth, nodes,
# milliseconds and clock
MANNERS = {
    "ChessBase": (
        """[Event "Vereinsabend"]
[Site "Bonn"]
[Date "2023.05.04"]
[Round "?"]
[White "Müller, K."]
[Black "Meier, P."]
[Result "1-0"]
[ECO "C20"]
[PlyCount "5"]
[SourceVersionDate "2023.05.04"]

{[%evp 0,5,19,31,25]} 1. e4 {[%eval 0,0] [%emt 0:00:04]} e5 $1 {[%eval 31,12] [%emt 0:00:09]
Normal.} (1... c5 $5 {[#]} 2. Nf3 (2. c3 $14) 2... d6) 2. Qh5 $2 {[%eval -45,14] [%csl Rh5]} Nc6
3. Bc4 1-0

""",
        [
            (None, None, None, None, 4000, None),
            (-31, None, 12, None, 9000, None),
            (-45, None, 14, None, None, None),
        ],
    ),
    "SCID": (
        """[Event "Casual"]
[Site "?"]
[Date "2023.??.??"]
[Round "?"]
[White "Ann"]
[Black "Bob"]
[Result "1/2-1/2"]
[EventDate "????.??.??"]

1.e4 $1 {+0.35 d4 would do too} 1...e5
  ( 1...-- {threat} 2.d4 )
2.Nf3 $13 $11 Nc6
1/2-1/2

""",
        [(None,) * 6, (None,) * 6],
    ),
    "lichess": (
        """[Event "Rated blitz game"]
[Site "https://lichess.org/abcdefgh"]
[White "ann"]
[Black "bob"]
[Result "0-1"]
[UTCDate "2024.01.02"]
[Variant "Standard"]
[TimeControl "180+2"]
[Termination "Time forfeit"]

1. f3 { [%eval -0.4] [%clk 0:03:00] } 1... e5 { [%eval -0.45] [%clk 0:02:59] } 2. g4?? \
{ [%eval #-1] [%clk 0:02:58] } { Checkmate is now unavoidable. } 0-1


""",
        [
            (-40, None, None, None, None, 180_000),
            (45, None, None, None, None, 179_000),
            (None, -1, None, None, None, 178_000),
        ],
    ),
    "chess.com": (
        """[Event "Live Chess"]
[Site "Chess.com"]
[White "ann"]
[Black "bob"]
[Result "1-0"]
[CurrentPosition "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -"]
[Timezone "UTC"]
[Link "https://www.chess.com/game/live/1"]
[Termination "ann won on time"]

1. e4 {[%clk 0:09:58.3]} 1... e5 {[%clk 0:10:00]} 1-0
""",
        [(None, None, None, None, None, 598_300), (None, None, None, None, None, 600_000)],
    ),
    "Arena": (
        """[Event "Computer Chess Game"]
[Site "HOME"]
[White "Engine A"]
[Black "Engine B"]
[Result "1/2-1/2"]
[BlackElo "2200"]
[Time "12:00:00"]
[TimeControl "40/300"]
[Termination "adjudication"]
[PlyCount "4"]

1. e4 {(e7-e5 g1-f3) +0.25/14 7} e5 {-0.10/13 12} 2. Nf3 {0.00/1} Nc6 {+M7/15 3
Arena Adjudication} 1/2-1/2

""",
        [
            (25, None, 14, None, 7000, None),
            (-10, None, 13, None, 12_000, None),
            (0, None, 1, None, None, None),
            (None, 4, 15, None, 3000, None),
        ],
    ),
    "cutechess": (
        """[Event "?"]
[White "A"]
[Black "B"]
[Result "1-0"]
[GameDuration "00:00:09"]
[PlyCount "4"]
[Termination "adjudication"]
[TimeControl "10+0.1"]

1. e4 {book} e5 {+0.31/12 0.50s} 2. Nf3 {-M4/9 0.1s} Nc6 {-0.20/11 0.40s,
White wins by adjudication} 1-0

""",
        [
            (None,) * 6,
            (31, None, 12, None, 500, None),
            (None, -2, 9, None, 100, None),
            (-20, None, 11, None, 400, None),
        ],
    ),
    "fastchess": (
        """[Event "Fastchess Tournament"]
[White "A"]
[Black "B"]
[Result "0-1"]
[Termination "normal"]

1. e4 {+0.31/12, 0.609s} e5 {-0.12/13 0.583s, n=363004, sd=28, nps=622648}
2. Nf3 {+M5/20 0.010s, n=12, pv="f3e5 d8h4"} 0-1

""",
        [
            (31, None, 12, None, 609, None),
            (-12, None, 13, 363_004, 583, None),
            (None, 3, 20, 12, 10, None),
        ],
    ),
    "OpenBench": (
        """[Event "?"]
[White "Dev"]
[Black "Base"]
[Result "*"]
[TimeControl "8+0.08"]

1. e4 {+0.44 16/27 410 250111} e5 {-M6 19/30 90 71000} 2. Nf3 {+0.52/17 0.583s} *

""",
        [
            (44, None, 16, 250_111, 410, None),
            (None, -3, 19, 71_000, 90, None),
            (52, None, 17, None, 583, None),
        ],
    ),
}


@pytest.mark.parametrize("program", MANNERS)
def test_manners_of_programs(program):
    text, values = MANNERS[program]
    for game in read_all(text * 2):
        nodes = list(game.mainline())
        played = [PlayedMove.from_node(node) for node in nodes[: len(values)]]
        found = [(p.score, p.mate, p.depth, p.nodes, p.milliseconds, p.clock_ms) for p in played]
        assert found == values
        assert game.headers["Result"] in text.split()[-1]


def test_quotes_and_backslashes_are_written_as_the_standard_has_them():
    game = read_game(FIRST)
    game.headers["White"] = 'a\\b "c"\\'
    assert r'[White "a\\b \"c\"\\"]' in write_game(game)


@pytest.mark.timeout(100)
def test_many_blank_lines_take_no_time():
    """In quadratic time this would take a quarter of an hour."""
    text = FIRST + "\n" * 400_000 + FIRST
    assert len(split_games(text)) == 2


def test_a_file_that_powershell_wrote(tmp_path):
    """It writes UTF-16, with a byte-order mark."""
    for name in ("utf-16-le", "utf-16-be"):
        assert decoded(("\ufeffBjörn\r\n[").encode(name)) == "Björn\n["
    path = tmp_path / "p.toml"
    path.write_bytes("\ufeff[parameter.Hash]\r\nlow = 16\r\n".encode("utf-16-le"))
    assert read_toml(path) == {"parameter": {"Hash": {"low": 16}}}
