"""Files with one damaged game: all others come through unchanged."""

import random

import chess
import chess.pgn

from zobra.arena.formats.files import decoded
from zobra.arena.formats.pgn import GameError, read_games, write_game
from zobra.arena.pages.reported_games import read_pgn

GAMES = 10


def random_game(source: random.Random, name: str) -> chess.pgn.Game:
    """A game with comments, variations and annotations here and there."""
    game = chess.pgn.Game()
    game.headers.update({"White": f"Wörld {name}", "Black": f"Bläck {name}"})
    node: chess.pgn.GameNode = game
    for _ in range(source.randrange(4, 30)):
        moves = list(node.board().legal_moves)
        if not moves:
            break
        parent = node
        node = node.add_variation(source.choice(moves))
        if source.random() < 0.3:
            node.comment = source.choice(["+0.31/12 0.50s", "good\n\nor [not]?", "[%clk 0:01:00]"])
        if source.random() < 0.1:
            node.nags.add(source.randrange(1, 20))
        if source.random() < 0.1:
            parent.add_variation(source.choice(moves), comment="instead")
    game.headers["Result"] = source.choice(["1-0", "0-1", "1/2-1/2"])
    return game


def damaged(source: random.Random, game: bytes) -> bytes:
    """A game with bytes dropped, doubled or exchanged, or lines joined, at a random place."""
    kind = source.choice(["drop", "double", "exchange", "join"])
    begin = source.randrange(len(game))
    end = min(len(game), begin + source.choice([1, 2, 5, 20, 100]))
    part = game[begin:end]
    if kind == "drop":
        return game[:begin] + game[end:]
    if kind == "double":
        return game[:end] + part + game[end:]
    if kind == "exchange":
        return game[:begin] + part[::-1] + game[end:]
    return game[:begin] + part.replace(b"\n", b"") + game[end:]


def identity(game: chess.pgn.Game) -> tuple:
    moves = tuple(node.move for node in game.mainline())
    return game.headers["White"], game.headers["Black"], game.headers["Result"], moves


def test_nine_games_come_through(tmp_path):
    path = tmp_path / "games.pgn"
    for seed in range(20):
        source = random.Random(seed)
        games = [random_game(source, f"{seed}.{number}") for number in range(GAMES)]
        texts = [f"{write_game(game)}\n\n".encode() for game in games]
        bad = source.randrange(GAMES)
        texts[bad] = damaged(source, texts[bad])
        path.write_bytes(b"".join(texts))

        found = []
        for game in read_games(decoded(path.read_bytes())):
            if isinstance(game, GameError):
                assert game.reason
            else:
                found.append(identity(game))
        expected = [identity(game) for number, game in enumerate(games) if number != bad]
        assert [one for one in found if one in expected] == expected, f"seed {seed}"
        assert len(found) <= GAMES + 1, f"seed {seed}"  # the damaged game may become two
        assert len(read_pgn(path).games) >= GAMES - 1
