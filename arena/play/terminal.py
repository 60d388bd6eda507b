"""The game in the terminal: moves and words are typed, the board is drawn with the signs of the
pieces, or with letters.
"""

import contextlib
import sys
import threading
from collections.abc import Callable
from dataclasses import replace

import chess

from zobra.arena.play.background import Background
from zobra.arena.play.new_game import COLORS, NewGame, read_level
from zobra.arena.play.session import Session
from zobra.arena.play.view import score_text

HELP = """Type a move as Nf3 or g1f3, or a word:
  undo     take your last move back
  hint     show the best move
  draw     offer a draw
  resign   resign
  flip     turn the board
  board    draw the board again
  moves    list the moves
  fen      print the position
  new      begin another game; "new black", "new FEN", "new 960" choose colour or position
  elo      begin another game at a level: "elo 1200", "elo full"
  tc       begin another game with a clock of seconds: "tc 300+3"
  help     print this
  quit     end; the game is saved"""


class Terminal:
    """The front end. `echo` prints a line, `ask` reads one after a prompt.

    The pieces are letters if `ascii_only`, or where the terminal has no signs for them.
    """

    def __init__(
        self,
        session: Session,
        background: Background,
        echo: Callable[[str], None],
        ask: Callable[[str], str] = input,
        ascii_only: bool = False,
    ) -> None:
        self._session = session
        self._background = background
        self._echo = echo
        self._ask = ask
        self._flipped = False
        self._in_unicode = not ascii_only and _has_pieces()
        self._printed_moves = 0
        self._game_number = 0
        self._printed_problem = ""
        self._told_ending = False
        self._changed = threading.Event()
        self._is_asking = False
        session.on_change = self._on_change
        self._words: dict[str, Callable[[], None]] = {
            "undo": self._undo,
            "back": self._undo,
            "hint": self._hint,
            "draw": self._draw,
            "resign": self._resign,
            "retry": lambda: self._call(session.retry),
            "flip": self._flip,
            "board": self._print_board,
            "moves": self._print_moves,
            "fen": lambda: self._echo(session.game.board.fen()),
            "help": lambda: self._echo(HELP),
            "?": lambda: self._echo(HELP),
        }

    def run(self) -> None:
        """Play until `quit`, the end of the input, or Ctrl-C."""
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (edits the line that is typed)
        self._echo('Type "help" for the list of commands.')
        while True:
            self._wait_for_turn()
            self._print_news()
            try:
                self._is_asking = True
                line = self._ask(self._prompt()).strip()
            except EOFError:
                self._echo("")
                return
            finally:
                self._is_asking = False
            if line.lower() in ("quit", "exit", "q"):
                return
            try:
                self._obey(line)
            except ValueError as error:
                self._echo(str(error))

    def _on_change(self) -> None:
        """Wake the thread that waits. While a line is typed, only the clock can end the game."""
        self._changed.set()
        if self._is_asking and self._session.game.ending is not None:
            self._echo("")
            self._print_ending()

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        self._background.call(function, *arguments)

    def _wait_for_turn(self) -> None:
        """Wait while the engine thinks. Its failures are told at once."""
        session = self._session
        if session.thinking:
            self._echo(f"{session.game.opponent} is thinking …")
        while session.thinking:
            self._changed.wait(0.1)
            self._changed.clear()
            self._print_problem()

    def _prompt(self) -> str:
        board = self._session.game.board
        if self._session.game.ending is not None:
            return "new, undo or quit> "
        side = chess.COLOR_NAMES[board.turn].capitalize()
        dots = "." if board.turn == chess.WHITE else "..."
        clock = ""
        if self._session.game.has_clock:
            clock = f"{self._clock_text(board.turn, self._session.spent_ms())} "
        return f"{side} {board.fullmove_number}{dots} {clock}> "

    def _clock_text(self, color: chess.Color, spent_ms: float = 0.0) -> str:
        left = self._session.game.clocks()[color].remaining_ms or 0.0
        seconds = max(0, round((left - spent_ms) / 1000))
        return f"{seconds // 60}:{seconds % 60:02d}"

    def _obey(self, line: str) -> None:
        """Carry out a line that was typed. Raise ValueError if that is impossible."""
        if not line:
            return
        word, _, rest = line.partition(" ")
        if word.lower() == "new":
            usual_start = replace(self._session.wishes, fen="", chess960=False, number=None)
            self._begin_another(_read_wishes(rest, usual_start))
        elif word.lower() in ("elo", "tc") and rest:
            self._begin_another(_read_wishes(line, self._same_start()))
        elif word.lower() in self._words and not rest:
            self._words[word.lower()]()
        else:
            self._call(self._session.move, line)

    def _begin_another(self, wishes: NewGame) -> None:
        self._call(self._session.check, wishes)  # before a question is asked
        if self._confirm("End this game?"):
            self._call(self._session.new_game, wishes)

    def _resign(self) -> None:
        if self._confirm("Resign this game?"):
            self._call(self._session.resign)

    def _confirm(self, question: str) -> bool:
        """Ask before a running game is ended."""
        game = self._session.game
        if game.ending is not None or not game.can_take_back:
            return True
        try:
            return self._ask(f"{question} [y/N] ").strip().lower() in ("y", "yes")
        except EOFError:
            return False

    def _same_start(self) -> NewGame:
        """Return the settings of this game, with its start position."""
        wishes = self._session.wishes
        if wishes.chess960 and not wishes.fen:
            wishes = replace(wishes, number=self._session.game.start.chess960_pos())
        return wishes

    def _undo(self) -> None:
        self._call(self._session.take_back)
        self._printed_moves = len(self._session.game.moves)
        self._told_ending = False
        self._print_board()

    def _hint(self) -> None:
        self._call(self._session.ask_for_hint)
        while self._session.waits_for_hint:
            self._changed.wait(0.1)
            self._changed.clear()
        hint = self._session.hint_san
        if hint:
            self._echo(f"hint: {hint} ({score_text(self._session.advice[0].score)})")
        else:
            self._echo(self._session.notice or self._session.problem)

    def _draw(self) -> None:
        self._call(self._session.offer_draw)
        if self._session.notice:
            self._echo(self._session.notice)

    def _flip(self) -> None:
        self._flipped = not self._flipped
        self._print_board()

    def _print_moves(self) -> None:
        game = self._session.game
        self._echo(game.start.variation_san([played.move for played in game.moves]))

    def _print_news(self) -> None:
        """Print what the person has not seen: the engine's move, the board, the result."""
        session = self._session
        game = session.game
        is_new = self._game_number != session.number
        if is_new:
            self._game_number = session.number
            self._printed_moves = 0
            self._told_ending = False
            side = chess.COLOR_NAMES[game.human]
            level = "" if game.elo is None else f" at {game.elo} Elo"
            name = game.opponent.removesuffix(f" ({game.elo})")
            self._echo(f"You play {side} against {name}{level}.")
        self._print_problem()
        if len(game.moves) > self._printed_moves or is_new:
            self._printed_moves = len(game.moves)
            self._print_last_move()
            self._print_board()
        if game.ending is not None:
            self._print_ending()

    def _print_ending(self) -> None:
        ending = self._session.game.ending
        if ending is not None and not self._told_ending:
            self._told_ending = True
            self._echo(f"{self._session.game.ending_text} ({ending.result})")

    def _print_problem(self) -> None:
        problem = self._session.problem
        if problem and problem != self._printed_problem:
            self._echo(problem)
            if self._session.is_broken:
                self._echo('Type "retry" to start it again.')
        self._printed_problem = problem

    def _print_last_move(self) -> None:
        game = self._session.game
        if not game.moves or game.board.turn != game.human:
            return
        before = game.board.copy()
        move = before.pop()
        clock = f" (its clock: {self._clock_text(game.engine)})" if game.has_clock else ""
        self._echo(f"{game.opponent} plays {before.san(move)}{clock}")

    def _print_board(self) -> None:
        game = self._session.game
        self._echo("")
        for line in board_lines(game.board, game.human != self._flipped, self._in_unicode):
            self._echo(line)
        self._echo("")


def _read_wishes(text: str, wishes: NewGame) -> NewGame:
    """Return settings with the changes that were typed. Raise ValueError."""
    words = text.split()
    if words and words[0].lower() in COLORS:
        wishes = replace(wishes, color=words.pop(0).lower())
    if len(words) > 1 and words[0].lower() == "elo":
        wishes = replace(wishes, elo=read_level(words[1]))
        words = words[2:]
    if len(words) > 1 and words[0].lower() == "tc":
        wishes = replace(wishes, time=words[1])
        words = words[2:]
    if words and words[0] == "960":
        words.pop(0)
        number = None
        if words and words[0].isdigit() and len(words[0]) <= 3:
            number = int(words.pop(0))
        wishes = replace(wishes, chess960=True, number=number)
    if words:
        wishes = replace(wishes, fen=" ".join(words))
    return wishes


def board_lines(board: chess.Board, orientation: chess.Color, in_unicode: bool) -> list[str]:
    """Return the board with coordinates; the last move's squares are in brackets."""
    last = board.move_stack[-1] if board.move_stack else None
    marked = () if last is None else (last.from_square, last.to_square)
    ranks = range(7, -1, -1) if orientation == chess.WHITE else range(8)
    file_order = range(8) if orientation == chess.WHITE else range(7, -1, -1)
    lines = []
    for rank in ranks:
        cells = []
        for file in file_order:
            square = chess.square(file, rank)
            sign = _sign(board.piece_at(square), in_unicode)
            cells.append(f"[{sign}]" if square in marked else f" {sign} ")
        lines.append(f"{rank + 1} {''.join(cells)}")
    letters = "".join(f" {chess.FILE_NAMES[file]} " for file in file_order)
    lines.append(f"  {letters}")
    return lines


def _sign(piece: chess.Piece | None, in_unicode: bool) -> str:
    if piece is None:
        return "·" if in_unicode else "."
    return piece.unicode_symbol() if in_unicode else piece.symbol()


def _has_pieces() -> bool:
    """Whether the terminal's encoding has the pieces of chess."""
    try:
        "♔·".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
