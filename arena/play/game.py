"""A game between a person and an engine: moves, clocks, takebacks, result and PGN.

python-chess applies the rules. No clock runs here, and no process: each move comes with the time
that it took.
"""

import contextlib
import re
from datetime import datetime

import chess
import chess.pgn

from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.formats.text import printable
from zobra.arena.model.adjudication import (
    DRAW,
    TIME_WITHOUT_LOSS,
    WIN_FOR,
    Ending,
    ending_by_failure,
    ending_on_board,
)
from zobra.arena.model.clock import GameClock, TimeControl
from zobra.arena.model.opening_names import opening_name

PLAYER = "Player"  # the person's name in PGN
RESIGNATION = "resignation"
AGREEMENT = "agreement"
TIME = "time"

# By how many milliseconds the engine may be late, because a busy machine delays it.
_MARGIN_ON_CLOCK = 200
_MARGIN_FOR_MOVETIME = 2000

_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?", re.IGNORECASE)
_CASTLING = re.compile(r"[o0]-?[o0](-?[o0])?", re.IGNORECASE)
_WAYS = {"mate": "by checkmate", TIME: "on time", RESIGNATION: "by resignation"}
_TERMINATIONS = {TIME: "time forfeit", TIME_WITHOUT_LOSS: "time forfeit"}


class Game:
    """One game. `human` is the person's colour, `opponent` the engine's name with its level."""

    def __init__(
        self,
        start: chess.Board,
        human: chess.Color,
        control: TimeControl,
        opponent: str,
        elo: int | None = None,
    ) -> None:
        self.start = start.copy(stack=False)
        self.board = start.copy(stack=False)
        self.human = human
        self.control = control
        self.opponent = opponent
        self.elo = elo
        self.moves: list[PlayedMove] = []
        self.ending: Ending | None = None
        self.began = datetime.now()

    @property
    def engine(self) -> chess.Color:
        """The engine's colour."""
        return not self.human

    @property
    def human_to_move(self) -> bool:
        """Whether the game goes on and it is the person's turn."""
        return self.ending is None and self.board.turn == self.human

    @property
    def engine_to_move(self) -> bool:
        """Whether the game goes on and it is the engine's turn."""
        return self.ending is None and self.board.turn == self.engine

    @property
    def has_clock(self) -> bool:
        """Whether both sides play with a clock."""
        return self.control.base_ms is not None

    # Moves

    def read_move(self, text: str) -> chess.Move:
        """Read a move in SAN or UCI, in upper or lower case.

        Raise ValueError that says what is wrong with it.
        """
        word = re.sub(r"\s+|e\.p\.|[!?]+$", "", text)
        if not word:
            raise ValueError("no move: type one as Nf3 or g1f3")
        if _UCI.fullmatch(word):
            return self._read_uci(word.lower())
        castling = _CASTLING.fullmatch(word)
        if castling is not None:
            word = "O-O-O" if castling[1] else "O-O"

        problem = ""
        for spelling in _spellings(word):
            try:
                move = self.board.parse_san(spelling)
            except ValueError as error:
                problem = problem or self._explain(spelling, error)
            else:
                if move:
                    return move
        raise ValueError(problem or f"{printable(word, 20)} is not legal here")

    def _read_uci(self, uci: str) -> chess.Move:
        with contextlib.suppress(ValueError):
            return self.board.parse_uci(uci)
        promotions = {move.uci() for move in self.board.legal_moves if move.promotion}
        if f"{uci}q" in promotions:
            raise ValueError(f"{uci} needs a piece: {uci}q")
        raise ValueError(f"{uci} is not legal here")

    def _explain(self, san: str, error: ValueError) -> str:
        """Return in words why a move cannot be read."""
        shown = printable(san, 20)
        if isinstance(error, chess.AmbiguousMoveError):
            candidates = [
                self.board.san(move)
                for move in self.board.legal_moves
                if self.board.san(move)[0] == san[0] and chess.square_name(move.to_square) in san
            ]
            return f"{shown} is ambiguous: {' or '.join(candidates)}"
        if isinstance(error, chess.InvalidMoveError):
            return f"{shown} is not a move: type one as Nf3 or g1f3"
        with contextlib.suppress(ValueError):
            self.board.parse_san(f"{san}=Q")
            return f"{shown} needs a piece: {shown}=Q"
        return f"{shown} is not legal here"

    def play(self, move: chess.Move, milliseconds: float) -> None:
        """Play the person's move, which took this long. Raise ValueError if it cannot be played.

        A move that exceeds the person's clock loses.
        """
        if self.ending is not None:
            raise ValueError(f"the game is over: {self.ending_text}")
        if not self.human_to_move:
            raise ValueError("it is not your turn")
        if not self.board.is_legal(move):
            raise ValueError(f"{move} is not legal here")
        clock = self.clocks()[self.human]
        if clock.spend(milliseconds) > 0:
            self.lose(self.human, TIME)
            return
        self._push(PlayedMove(move, milliseconds=milliseconds, clock_ms=clock.remaining_ms))

    def add(self, played: PlayedMove) -> None:
        """Add the engine's move."""
        assert self.engine_to_move
        self._push(played)

    def _push(self, played: PlayedMove) -> None:
        self.moves.append(played)
        self.board.push(played.move)
        self.ending = ending_on_board(self.board)

    @property
    def can_take_back(self) -> bool:
        """Whether the person has made a move."""
        engine_began = self.start.turn == self.engine
        return len(self.moves) > engine_began

    def take_back(self) -> None:
        """Go back to the position before the person's last move, clocks included.

        Raise ValueError if there is none.
        """
        if not self.can_take_back:
            raise ValueError("there is no move to take back")
        self.ending = None
        while True:
            self.moves.pop()
            self.board.pop()
            if self.board.turn == self.human:
                return

    # Clocks

    def clocks(self) -> dict[chess.Color, GameClock]:
        """Return both clocks as they stand after the moves so far."""
        margin = _MARGIN_ON_CLOCK if self.has_clock else _MARGIN_FOR_MOVETIME
        clocks = {
            self.human: GameClock(self.control if self.has_clock else TimeControl()),
            self.engine: GameClock(self.control, margin),
        }
        turn = self.start.turn
        for played in self.moves:
            clock = clocks[turn]
            if clock.remaining_ms is not None and played.clock_ms is not None:
                clock.remaining_ms = played.clock_ms
            if clock.control.moves:
                clock.moves_to_go -= 1
                clock.moves_to_go = clock.moves_to_go or clock.control.moves
            turn = not turn
        if self._is_over_by_time and self.has_clock:
            clocks[self.board.turn].remaining_ms = 0.0
        return clocks

    @property
    def _is_over_by_time(self) -> bool:
        return self.ending is not None and self.ending.reason in (TIME, TIME_WITHOUT_LOSS)

    # Results

    def lose(self, loser: chess.Color, reason: str) -> None:
        """End the game by a loss, or by a draw if time ran out and the opponent cannot mate."""
        self.ending = ending_by_failure(self.board, loser, reason)

    def agree_to_draw(self) -> None:
        """End the game by agreement."""
        self.ending = Ending(DRAW, AGREEMENT)

    @property
    def ending_text(self) -> str:
        """How the game ended, for the person: "You win by checkmate"; empty if it goes on."""
        if self.ending is None:
            return ""
        reason = self.ending.reason
        if self.ending.result == DRAW:
            return f"Draw by {reason}"
        way = _WAYS.get(reason, f"by {reason}")
        if self.ending.result == WIN_FOR[self.human]:
            return f"You win {way}"
        return f"{self.opponent} wins {way}"

    def to_pgn(self) -> chess.pgn.Game:
        """Return the game as a PGN tree; an unfinished one has the result "*"."""
        game = chess.pgn.Game()
        game.setup(self.start)
        code, opening = opening_name(self.start, [played.move for played in self.moves])
        # The opponent's name has its level, so that a report keeps the levels apart
        names = {self.human: PLAYER, self.engine: self.opponent}
        headers = {
            "Event": "Casual game",
            "Orientation": "" if self.human == chess.WHITE else "black",
            "Site": "?",
            "Date": f"{self.began:%Y.%m.%d}",
            "Round": "-",
            "White": names[chess.WHITE],
            "Black": names[chess.BLACK],
            "Result": "*" if self.ending is None else self.ending.result,
            "TimeControl": str(self.control),
            "Termination": self._termination(),
            "ECO": code,
            "Opening": opening,
        }
        if self.elo is not None:
            side = "White" if self.engine == chess.WHITE else "Black"
            headers[f"{side}Elo"] = str(self.elo)
        game.headers.update({name: text for name, text in headers.items() if text})

        node: chess.pgn.GameNode = game
        for played in self.moves:
            comment = "" if played.depth is None else played.to_comment()
            node = node.add_main_variation(played.move, comment=comment)
            if played.clock_ms is not None:
                node.set_clock(played.clock_ms / 1000)
        if self.ending is not None:
            ending = re.sub(r"[{}]", "", self.ending_text.replace("You win", f"{PLAYER} wins"))
            node.comment = f"{node.comment} {ending}".strip()
        return game

    def _termination(self) -> str:
        if self.ending is None:
            return "unterminated"
        return _TERMINATIONS.get(self.ending.reason, "normal")


def _spellings(word: str) -> list[str]:
    """Return a move as it was typed, then with the usual upper and lower case."""
    capitalised = word[0].upper() + word[1:].lower()
    if capitalised[-1:] in "qrbn":  # a promotion
        capitalised = capitalised[:-1] + capitalised[-1].upper()
    return list(dict.fromkeys([word, capitalised, word.lower()]))
