"""Games in PGN, as any program writes them: each game is read, or left out with the reason.

Where only moves are to be seen, a game with a mistake is read up to there.

python-chess does the reading. It silently skips text that it does not understand, so every game is
first read token by token, and python-chess gets it in a plain form.
"""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import chess
import chess.pgn

from zobra.arena.formats.fen import read_fen
from zobra.arena.formats.text import printable

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")

# A comment without an end stops where the next game begins: at a line with the tag Event, or at
# that tag with another one in the next line.
_NEXT_GAME = r'(?<=\n\[)Event[ ]"|Event[ ]"[^\n]*"\]\s*\n\['
_COMMENT = rf"\{{[^}}\[]*(?:\[(?!{_NEXT_GAME})[^}}\[]*)*\}}?"
_LINE_COMMENT = r";[^\n]*"
_ESCAPE = r"^%[^\n]*"
_RESULT = r"(?<![\w/-])(?:1-0|0-1|1/2-1/2|1/2|½-½|\*)(?![\w/-])"
_NAME = r"[A-Za-z0-9][A-Za-z0-9_+\#=:-]*"
# Some programs write quotes in a value as they are; then the value ends with the line.
_TAG = rf'\[\s*{_NAME}\s+"(?:[^"\\\n]|\\.)*"\s*\]|^[ \t]*\[\s*{_NAME}\s+"[^\n]*"\s*\][ \t]*$'

_BORDERS = re.compile(
    rf"""
    {_COMMENT} | {_LINE_COMMENT} | {_ESCAPE}
    | (?P<tag>{_TAG})
    | (?P<bad_tag>^\[[^\n]*)
    | (?P<result>{_RESULT})
    | (?P<open>\()
    | (?P<close>\))
    | (?P<first_move>\n[ \t]*\n[ \t]*(?=1\.(?!\.)))
    """,
    re.VERBOSE | re.MULTILINE,
)
_TOKENS = re.compile(
    rf"""
    (?P<comment>{_COMMENT})
    | (?P<line_comment>{_LINE_COMMENT})
    | (?P<escape>{_ESCAPE})
    | (?P<tag>{_TAG})
    | (?P<bad_tag>^\[[^\n]*)
    | (?P<result>{_RESULT})
    | (?P<open>\()
    | (?P<close>\))
    | (?P<nag>\$[0-9]{{1,3}}(?![0-9]))
    | (?P<number>[0-9]+[ ]*[.…]+|[0-9]{{1,3}}(?=\s|$)|[.…]+)
    | (?P<word>[^\s(){{}};$\[\]]+(?:\([QRBN]\))?)
    | (?P<other>\S)
    """,
    re.VERBOSE | re.MULTILINE,
)
_TAG_PARTS = re.compile(rf'\s*\[\s*(?P<name>{_NAME})\s+"(?P<value>.*)"\s*\]\s*', re.DOTALL)
_SEARCH_TEXT = re.compile(r"\S").search

_GLYPHS = {
    "!": 1,
    "?": 2,
    "!!": 3,
    "??": 4,
    "!?": 5,
    "?!": 6,
    "□": 7,
    "=": 10,
    "∞": 13,
    "+=": 14,
    "+/=": 14,
    "⩲": 14,
    "=+": 15,
    "=/+": 15,
    "⩱": 15,
    "+/-": 16,
    "±": 16,
    "-/+": 17,
    "∓": 17,
    "+-": 18,
    "-+": 19,
    "N": 146,
}
_WORDLESS = ("ep", "e.p.", "+", "++", "#")  # say nothing that the move does not
_FIGURINES = str.maketrans("♔♕♖♗♘♚♛♜♝♞", "KQRBNKQRBN", "♙♟")
_CASTLINGS = {"o-o": "O-O", "o-o-o": "O-O-O"}
_MOVE = re.compile(
    r"(?P<move>[Oo]-[Oo](?:-[Oo])?|0-0(?:-0)?|--|Z0|0000|@@@@"
    r"|[NBKRQ]?[a-h]?[1-8]?[x-]?[a-h][1-8](?:[=/]?(?P<promotion>[nbrqNBRQ]|\([NBRQ]\)))?)"
    r"(?:e\.?p\.?)?(?:\+{0,2}|\#|†|‡)"
    rf"(?P<glyph>{'|'.join(map(re.escape, sorted(_GLYPHS, key=len, reverse=True)))})?"
)

# What programs call chess in the header Variant, besides the names that python-chess knows.
_CHESS = ("", "?", "-", "regular", "orthodox", "classic", "standard chess", "international chess")


class GameError(ValueError):
    """A game that is left out, with its number in the file, from 1, and the reason.

    The name of the file is said where there are several.
    """

    def __init__(self, number: int, reason: str, file: str = "") -> None:
        super().__init__(f"{_prefix(file)}game {number} is left out: {reason}")
        self.number = number
        self.reason = reason


class MovesLeftOut(ValueError):
    """A mistake in a game, such as an illegal move: what follows it in its line is left out."""


def read_games(
    text: str, *, up_to_mistakes: bool = False, file: str = ""
) -> Iterator[chess.pgn.Game | GameError]:
    """Read the games of a PGN text; one that cannot be read is left out alone.

    `errors` of a game names what was dropped from it: a castling right without its rook, an
    en-passant square that cannot be or, `up_to_mistakes`, the moves from a mistake on. Messages
    begin with the `file`, if it is named.
    """
    for number, game_text in enumerate(split_games(text), start=1):
        try:
            game = read_game(game_text, up_to_mistakes=up_to_mistakes)
        except ValueError as error:
            yield GameError(number, printable(str(error)), file)
        else:
            game.errors = [
                type(notice)(f"{_prefix(file)}game {number}: {printable(str(notice))}")
                for notice in game.errors
            ]
            yield game


def _prefix(file: str) -> str:
    return f"{file}: " if file else ""


def is_whole(game: chess.pgn.Game) -> bool:
    """Return whether no move of a game was left out."""
    return not any(isinstance(error, MovesLeftOut) for error in game.errors)


def split_games(text: str) -> list[str]:
    """Return the text of each game; together they are the whole text.

    A game ends at its result, and where the tags of another game begin.
    """
    starts = [0]
    current = _CurrentGame()
    for kind, start, token in _borders(text):
        if current.ends_before(kind, token):
            starts.append(start)
            current = _CurrentGame()
        current.take(kind, token)
    games = [text[start:end] for start, end in pairwise([*starts, len(text)])]
    return [game for game in games if game.strip()]


@dataclass
class _CurrentGame:
    """What has been seen of a game so far."""

    has_event: bool = False
    has_moves: bool = False
    result: str = ""
    depth: int = 0  # of variations

    def ends_before(self, kind: str, token: str) -> bool:
        """Return whether this is the first token of another game."""
        if kind == "tag":
            is_second_event = self.has_event and _is_event(token)
            return self.has_moves or bool(self.result) or is_second_event
        if kind == "first_move":
            return self.has_moves and not self.result and not self.depth
        if kind == "result":  # which some programs write twice
            return not self.depth and self.result not in ("", token)
        return bool(self.result)

    def take(self, kind: str, token: str) -> None:
        """Add a token to this game."""
        if kind == "tag":
            self.has_event = self.has_event or _is_event(token)
        elif kind == "result":
            if not self.depth:
                self.result = token
        elif kind == "open":
            self.has_moves = True
            self.depth += 1
        elif kind == "close":
            self.depth = max(0, self.depth - 1)
        elif kind == "text":
            self.has_moves = True


def _is_event(tag: str) -> bool:
    return tag.startswith('[Event "')


def _borders(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield kind, start and text of all that may end a game or begin one; comments do neither."""
    position = 0
    for match in _BORDERS.finditer(text):
        between = _SEARCH_TEXT(text, position, match.start())
        if between is not None:
            yield "text", between.start(), ""
        position = match.end()
        kind = match.lastgroup
        if kind == "first_move":
            yield kind, match.end(), ""
        elif kind is not None:
            yield kind, match.start(), match[0]
    rest = _SEARCH_TEXT(text, position)
    if rest is not None:
        yield "text", rest.start(), ""


def read_game(text: str, *, up_to_mistakes: bool = False) -> chess.pgn.Game:
    """Read the one game of a text. Raise ValueError with the reason if that cannot be done.

    With `up_to_mistakes` the moves before the first mistake are enough: it and what follows it are
    left out of the main line or, for a mistake in a variation, out of that variation.
    """
    tags, movetext = _plain(text)
    if not tags and not movetext:
        raise ValueError("neither tags nor moves")
    notices = [ValueError(notice) for notice in _check_start(tags)]
    try:
        game = _built(tags, movetext)
    except ValueError as first_mistake:
        if not up_to_mistakes:
            raise
        movetext, mistakes = _up_to_mistakes(tags, movetext)
        if not movetext:
            raise first_mistake from None
        game = _built(tags, movetext)
        if game.next() is None:
            raise first_mistake from None
        notices += mistakes
    game.errors.extend(notices)
    return game


def _built(tags: dict[str, str], movetext: Sequence[str | ValueError]) -> chess.pgn.Game:
    """Return the game that python-chess makes of tags and tokens. Raise ValueError."""
    lines = [f'[{name} "{value}"]' for name, value in tags.items()]
    tokens = []
    for token in movetext:
        if isinstance(token, ValueError):
            raise token
        tokens.append(token)
    plain = "\n".join([*lines, "", *tokens, ""])
    game = chess.pgn.read_game(io.StringIO(plain), Visitor=_GameBuilder)
    assert game is not None
    return game


def _up_to_mistakes(
    tags: dict[str, str], movetext: Sequence[str | ValueError]
) -> tuple[list[str | ValueError], list[MovesLeftOut]]:
    """Return the tokens without those from a mistake to the end of its line, and the mistakes."""
    kept: list[str | ValueError] = []
    mistakes = []
    boards = [chess.pgn.Headers(tags).board()]  # of the main line and the variations that are open
    depth = 0
    cut_depth: int | None = None  # of the line whose rest is left out
    for token in movetext:
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
        if cut_depth is not None and depth >= cut_depth:
            if token in RESULTS:  # of the game
                kept.append(token)
            continue

        cut_depth = None
        del boards[depth + 1 :]
        try:
            _follow(boards, token)
        except ValueError as error:
            mistakes.append(MovesLeftOut(f"{error}; only the moves before it are read"))
            cut_depth = len(boards) - 1
        else:
            kept.append(token)
    return kept, mistakes


def _follow(boards: list[chess.Board], token: str | ValueError) -> None:
    """Play a token on the boards of the lines that are open. Raise ValueError for a mistake."""
    board = boards[-1]
    if isinstance(token, ValueError):
        raise ValueError(f"{token} {_place(board, len(boards) > 1)}")
    if token == "(":
        if not board.move_stack:
            raise ValueError("a variation before the first move")
        boards.append(board.copy())
        boards[-1].pop()
    elif token != ")" and token[0] not in "{$" and token not in RESULTS:
        board.push(_move(board, token, len(boards) > 1))


def _move(board: chess.Board, san: str, in_variation: bool) -> chess.Move:
    """Read a move. Raise ValueError that names the move and its number."""
    try:
        move = board.parse_san(san)
        if not move and board.is_check():
            raise chess.IllegalMoveError(san)
    except ValueError as error:
        kind = "ambiguous" if isinstance(error, chess.AmbiguousMoveError) else "illegal"
        raise ValueError(f"{kind} move {san} {_place(board, in_variation)}") from None
    return move


def _place(board: chess.Board, in_variation: bool) -> str:
    """Return where in a game a mistake stands."""
    return f"{'in a variation of' if in_variation else 'at'} move {board.fullmove_number}"


class _GameBuilder(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Builds a game, and gives it up at its first error."""

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        """Read a move. Raise ValueError that names the move and its number."""
        return _move(board, san, len(self.variation_stack) > 1)

    def visit_result(self, result: str) -> None:
        """Take the result behind the moves where the tags have none."""
        if self.game.headers["Result"] not in RESULTS:
            self.game.headers["Result"] = result
        super().visit_result(result)

    def handle_error(self, error: Exception) -> None:
        """Raise the error, which python-chess would log, and read on."""
        raise error


def _check_start(tags: dict[str, str]) -> list[str]:
    """Rewrite the tags Variant and FEN for python-chess, and return what was dropped.

    Raise ValueError for other variants, and for positions that chess cannot be played from.
    """
    variant = tags.get("Variant")
    if variant is not None and variant.lower() in _CHESS:
        tags["Variant"] = "Standard"
    headers = chess.pgn.Headers(tags)
    kind = headers.variant()
    if kind is not chess.Board:
        raise ValueError(f"its variant is {kind.uci_variant}")
    if "FEN" not in tags:
        return []
    try:
        board, notices = read_fen(tags["FEN"], chess960=headers.is_chess960())
    except ValueError as error:
        raise ValueError(f"its FEN: {error}") from error
    if notices:
        tags["FEN"] = board.fen()
    return notices


def _plain(text: str) -> tuple[dict[str, str], list[str | ValueError]]:
    """Return the tags of a game, and its tokens as python-chess reads them.

    A ValueError stands in the place of a token that is not understood.
    """
    tags: dict[str, str] = {}
    tokens: list[str | ValueError] = []
    depth = 0  # of variations
    for match in _TOKENS.finditer(text):
        kind = str(match.lastgroup)
        token = match[0]
        if kind == "tag":
            name, value = _tag(token)
            tags[name] = value
            continue
        if kind == "open":
            if not tokens or tokens[-1] == "(":
                raise ValueError("a variation before the first move")
            depth += 1
        elif kind == "close":
            depth -= 1
            if depth < 0:
                raise ValueError("the end of a variation that did not begin")
        try:
            tokens += _plain_tokens(kind, token, depth > 0)
        except ValueError as error:
            tokens.append(error)
    if depth:
        raise ValueError("a variation without end")
    return tags, tokens


def _plain_tokens(kind: str, token: str, in_variation: bool) -> list[str]:
    """Return what python-chess reads in the place of a token. Raise ValueError."""
    if kind in ("open", "close", "nag"):
        return [token]
    if kind in ("escape", "number"):
        return []
    if kind == "word":
        return _plain_word(token)
    if kind == "comment":
        if not token.endswith("}"):
            raise ValueError("a comment without end")
        return [token]
    if kind == "line_comment":
        inside = token.removeprefix(";").translate({ord("{"): "(", ord("}"): ")"})
        return [f"{{{inside.strip()}}}"]
    if kind == "result":
        result = "1/2-1/2" if token in ("1/2", "½-½") else token
        return [f"{{{result}}}" if in_variation else result]
    raise ValueError(f"not understood: {printable(token, 40)}")


def _plain_word(word: str) -> list[str]:
    """Return a move with its annotation, or an annotation alone, as python-chess reads them."""
    if word in _GLYPHS:
        return [f"${_GLYPHS[word]}"]
    if word in _WORDLESS:
        return []
    match = _MOVE.fullmatch(word.translate(_FIGURINES))
    if match is None:
        raise ValueError(f"not understood: {printable(word, 40)}")
    move = _CASTLINGS.get(match["move"], match["move"])
    promotion = match["promotion"]
    if promotion is not None:
        square = move.removesuffix(promotion).rstrip("=/")
        move = f"{square}={promotion.strip('()').upper()}"
    if match["glyph"] is None:
        return [move]
    return [move, f"${_GLYPHS[match['glyph']]}"]


def _tag(text: str) -> tuple[str, str]:
    """Return the name and value of a tag, in which a backslash escapes a quote or a backslash."""
    match = _TAG_PARTS.fullmatch(text)
    assert match is not None
    return match["name"], re.sub(r'\\(["\\])', r"\1", match["value"])


def write_game(game: chess.pgn.Game, columns: int | None = 80) -> str:
    """Return a game as PGN text, without a line break at its end."""
    return game.accept(_Exporter(columns=columns))


class _Exporter(chess.pgn.StringExporter):
    """Writes tags and results as the standard has them."""

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        """Write a tag; python-chess would not escape quotes."""
        escaped = tagvalue.replace("\\", "\\\\").replace('"', '\\"')
        super().visit_header(tagname, escaped)

    def visit_result(self, result: str) -> None:
        """Write the result; anything else would be taken for a move."""
        super().visit_result(result if result in RESULTS else "*")
