"""Games given by their moves."""

from zobra.engine.fen import parse_fen
from zobra.engine.position import Game


def play(fen: str, *texts: str) -> Game:
    game = Game(parse_fen(fen))
    for text in texts:
        game.push(game.position.parse_move(text))
    return game
