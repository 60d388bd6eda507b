"""The page of a match or a PGN file, with games to replay."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from statistics import mean

from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.formats.text import counted
from zobra.arena.model.accuracy import winning_chance
from zobra.arena.model.results import Results
from zobra.arena.model.settings import GAUNTLET
from zobra.arena.model.statistics import Estimate, estimate, sweep_bound
from zobra.arena.pages.charts import COLOURS, GREEN, Chart, bands_by_move, chart
from zobra.arena.pages.replay import RESULTS, replay
from zobra.arena.pages.reported_games import NOT_STATED, WEB_ADDRESS, ReportedGame, ReportedGames
from zobra.arena.pages.templates import render

MOST_REPLAYED = 1_000  # games that the page holds for its viewer; the rest is in the PGN file
MOST_LISTED = 5_000  # games in the list of games; browsers become slow with more
_LONG_LIST = 10  # games, from which the list has a search
_MOST_IN_CROSSTABLE = 20
_MOST_PAWNS = 10.0  # evaluations are shown no further than this
_POINTS_OF_CURVE = 40
_POINTS_OF_STRENGTH = 250
_SLOW_MS = 2000.0  # mean time per move, from which times are shown in seconds
_SIDES = ("White", "Black")
_UNKNOWN = "unknown"  # Elo, after too few games
# How games end, where matches and PGN files call it otherwise
_ENDING_NAMES = {
    "mate": "checkmate",
    "fifty moves": "fifty-move rule",
    "time forfeit": "time",
    "unterminated": "not finished",
}
# Outcomes by half points, with their colours
_OUTCOMES = {"games lost": COLOURS[1], "games drawn": COLOURS[4], "games won": GREEN}
_RESULT_HEADER = ["points", "won, drawn, lost", "score", "Elo", "± 95%"]

Table = tuple[list[str], list[list[str]]]  # header and rows
Moves = dict[str, list[tuple[int, PlayedMove]]]  # by engine, with full-move numbers
Figure = tuple[str, str, str]  # name, value and a remark


def match_page(games: ReportedGames) -> str:
    """Return the page as HTML."""
    moves = _moves(games)
    accuracies = _accuracies(games)
    is_single = len(games.games) == 1
    return render(
        "match.html",
        title=_title(games),
        subtitle=_subtitle(games),
        names=games.engines,
        figures=[] if is_single else _figures(games),
        strength=_strength(games),
        standings=_standings(games),
        crosstable=None if is_single else _crosstable(games),
        accuracies=[] if is_single else accuracies,
        engines=[] if accuracies else _engines(moves),
        endings=_endings(games),
        times=_times(moves),
        most_timed=len(COLOURS),
        evaluations=_evaluations(games),
        evaluation_caption=_evaluation_caption(games),
        games=[] if is_single else [_game_row(game) for game in games.games[:MOST_LISTED]],
        total=len(games.games),
        has_search=len(games.games) > _LONG_LIST,
        replays=[replay(game) for game in games.games[:MOST_REPLAYED]],
        games_first=games.settings is None,
        openings=any(game.opening for game in games.games),
        conditions=[(name, text) for name, text in games.conditions.items() if text],
        is_address=WEB_ADDRESS.fullmatch,
        problems=games.problems,
    )


def _title(games: ReportedGames) -> str:
    if len(games.engines) == 2 and games.engines != list(_SIDES):
        return " – ".join(games.engines)
    return games.source if games.settings is None else "Tournament"


def _subtitle(games: ReportedGames) -> str:
    """Return the number of games, or the end of a single one, with time control and date."""
    parts = [counted(len(games.games), "game")]
    if len(games.games) == 1:
        record = games.games[0].record
        reason = "" if record.reason in (NOT_STATED, "normal") else _ending_name(record.reason)
        parts = [f"{RESULTS.get(record.result, '')} {reason}".strip()]
    parts.append(games.conditions.get("time control", ""))
    parts.append(games.conditions.get("played", ""))
    return ", ".join(part for part in parts if part)


def _ending_name(reason: str) -> str:
    return _ENDING_NAMES.get(reason, reason)


def _moves(games: ReportedGames) -> Moves:
    """Return the moves of each player."""
    moves = Moves((name, []) for name in games.engines)
    for game in games.games:
        for number, player, move, _ in game.moves():
            moves[player].append((number, move))
    return moves


def _signed(value: float) -> str:
    """Return a number with its sign and one decimal, or "–" if it is not finite."""
    return f"{value:+.1f}".replace("-", "−") if math.isfinite(value) else "–"


def _margin(value: float) -> str:
    """Return a 95 % margin: "± 12.3", or "± –" if it is not finite."""
    return f"± {value:.1f}" if math.isfinite(value) else "± –"


def _figures(games: ReportedGames) -> list[Figure]:
    """Return the key figures."""
    if len(games.engines) != 2 or not games.finished:
        return [("games", f"{len(games.games):,}", ""), ("players", str(len(games.engines)), "")]

    first = games.engines[0]
    counts = games.results.best_counts(first)
    wins, draws, losses = games.score(first)
    guess = estimate(counts)
    shown = [
        (f"score of {first}", f"{games.score_share(first):.1%}", f"+{wins} ={draws} −{losses}"),
        _elo_figure(guess, len(games.finished)),
    ]
    if math.isfinite(guess.normalized_elo):
        margin = f"{_margin(guess.normalized_margin)}, 95%"
        shown.append(("normalised Elo", _signed(guess.normalized_elo), margin))
    shown.append(("likelihood of superiority", f"{guess.superiority:.1%}", ""))
    shown.append(("draws", f"{draws / len(games.finished):.1%}", ""))
    if len(counts) == 5:
        shown.append(("pairs by points", " ".join(map(str, counts)), "0, ½, 1, 1½ and 2 of 2"))

    sprt = games.settings.sprt if games.settings is not None else None
    if sprt is not None:
        low, high = sprt.limits
        remark = f"from {low:.2f} to {high:.2f}, {sprt.text}"
        ratio = sprt.llr(games.results.pentanomial(first))
        shown.append(("log-likelihood ratio", f"{ratio:+.2f}", remark))
    return shown


def _elo_figure(guess: Estimate, games: int) -> Figure:
    """Return the Elo difference with its margin, or its bound after a clean sweep."""
    if math.isfinite(guess.elo):
        return "Elo", _signed(guess.elo), f"{_margin(guess.elo_margin)}, 95%"
    text = _elo_text(guess, games)
    if text == _UNKNOWN:
        return "Elo", text, "too few games"
    every = "won" if guess.elo > 0 else "lost"
    return "Elo", text, f"95%, as every game was {every}"


def _elo_text(guess: Estimate, games: int) -> str:
    """Return the Elo difference: "+12.3", "> +443.7" if all games were won, or "< −443.7".

    It is unknown after so few games that the bound would include equal strength.
    """
    if math.isfinite(guess.elo):
        return _signed(guess.elo)
    if sweep_bound(games) <= 0:
        return _UNKNOWN
    if guess.elo > 0:
        return f"> {_signed(sweep_bound(games))}"
    return f"< {_signed(-sweep_bound(games))}"


def _strength(games: ReportedGames) -> list[Chart]:
    """Return charts of how the strength of the first of two engines appeared, game by game.

    They have a few hundred points at most.
    """
    if len(games.engines) != 2 or len(games.finished) < 4:
        return []
    first = games.engines[0]
    step = max(2, 2 * math.ceil(len(games.finished) / 2 / _POINTS_OF_STRENGTH))
    results = Results(games.engines)
    numbers = []
    seen = []
    pairs = []
    for number, game in enumerate(games.finished, start=1):
        results.add(game.record)
        if number % step == 0 or number == len(games.finished):
            numbers.append(number)
            seen.append(results.best_counts(first))
            pairs.append(results.pentanomial(first))

    charts = [_elo_chart(first, numbers, [estimate(counts) for counts in seen])]
    sprt = games.settings.sprt if games.settings is not None else None
    if sprt is not None:
        ratio = {
            "label": "log-likelihood ratio",
            "colour": COLOURS[1],
            "y": _rounded(sprt.llr(counts) for counts in pairs),
        }
        charts.append(chart(numbers, [ratio], "games", "LLR", levels=list(sprt.limits)))
    return charts


def _elo_chart(name: str, numbers: list[int], guesses: list[Estimate]) -> Chart:
    """Return the chart of Elo with its interval; after a clean sweep, of its bound."""
    if math.isinf(guesses[-1].elo):
        is_won = guesses[-1].elo > 0
        bounds = [sweep_bound(number) if is_won else -sweep_bound(number) for number in numbers]
        label = f"Elo of {name}, at {'least' if is_won else 'most'}"
        line: Chart = {"label": label, "colour": COLOURS[0], "y": _rounded(bounds)}
        return chart(numbers, [line], "games", "Elo", levels=[0])

    elo = _rounded(guess.elo for guess in guesses)
    low = _rounded(guess.elo - guess.elo_margin for guess in guesses)
    high = _rounded(guess.elo + guess.elo_margin for guess in guesses)
    # The first games' intervals would squeeze the rest of the chart
    settled = [0.0]
    for column in (elo, low, high):
        settled += [value for value in column[len(column) // 8 :] if value is not None]
    span = [min(-1.0, *settled) - 5, max(1.0, *settled) + 5]
    line = {"label": f"Elo of {name}", "colour": COLOURS[0], "y": elo, "low": low, "high": high}
    return chart(numbers, [line], "games", "Elo", levels=[0], range=span)


def _rounded(values: Iterable[float]) -> list[float | None]:
    """Return numbers for a chart, None for one that is not finite."""
    return [round(value, 3) if math.isfinite(value) else None for value in values]


def _standings(games: ReportedGames) -> Table | None:
    """Return the rating list of a ladder, or the engines of a tournament by score."""
    if len(games.engines) < 3 or len(games.finished) < len(games.engines):
        return None
    results = {name: _result_cells(games, name) for name in games.engines if sum(games.score(name))}
    rows = []
    if games.ratings:
        header = ["engine", "rating", "± 95%", "before", *_RESULT_HEADER[:3]]
        for name, rating, error, before in sorted(games.ratings, key=lambda rated: -rated[1]):
            earlier = "" if before is None else f"{before:.0f}"
            rows.append(
                [name, f"{rating:.0f}", _margin(error), earlier, *results.get(name, [])[:3]]
            )
    else:
        header = ["engine", *_RESULT_HEADER]
        for name in sorted(results, key=games.score_share, reverse=True):
            rows.append([name, *results[name]])
    return ["", *header], [[str(rank), *row] for rank, row in enumerate(rows, start=1)]


def _result_cells(games: ReportedGames, name: str, rival: str | None = None) -> list[str]:
    """Return an engine's result against one rival or all, in the columns of _RESULT_HEADER."""
    wins, draws, losses = games.score(name, rival)
    played = wins + draws + losses
    guess = estimate(games.results.best_counts(name, rival))
    return [
        f"{wins + draws / 2:g} of {played}",
        f"+{wins} ={draws} −{losses}",
        f"{games.score_share(name, rival):.1%}",
        _elo_text(guess, played),
        _margin(guess.elo_margin),
    ]


def _crosstable(games: ReportedGames) -> Table | None:
    """Return the crosstable: the score of each engine against each other.

    For a gauntlet it has only the first engine against each of the others.
    """
    names = games.engines
    if not 2 <= len(names) <= _MOST_IN_CROSSTABLE or len(games.finished) < len(names):
        return None
    is_gauntlet = games.settings is not None and games.settings.tournament == GAUNTLET
    if len(names) == 2 or is_gauntlet:
        rows = []
        for rival in names[1:]:
            if sum(games.score(names[0], rival)):
                rows.append([rival, *_result_cells(games, names[0], rival)])
        return [f"{names[0]} against", *_RESULT_HEADER], rows

    ranked = sorted(names, key=games.score_share, reverse=True)
    rows = []
    for rank, name in enumerate(ranked, start=1):
        met = [_points(games, name, rival) for rival in ranked]
        rows.append([str(rank), name, *met, _points(games, name)])
    return ["", "", *map(str, range(1, len(ranked) + 1)), "points"], rows


def _points(games: ReportedGames, name: str, rival: str | None = None) -> str:
    """Return an engine's points and games: "3.5/6", or "" if it has played none."""
    wins, draws, losses = games.score(name, rival)
    played = wins + draws + losses
    return f"{wins + draws / 2:g}/{played}" if played else ""


def _accuracies(games: ReportedGames) -> list[list[str]]:
    """Return the accuracy of each side in each analysed game.

    The mean of each player of several games comes first. `zobra analyse` writes the accuracies into
    the headers.
    """
    rows = []
    by_player: dict[str, list[float]] = defaultdict(list)
    for number, game in enumerate(games.games, start=1):
        players = (game.record.white, game.record.black)
        for side, player in zip(_SIDES, players, strict=True):
            accuracy = game.headers.get(f"{side}Accuracy")
            if accuracy is not None:
                marks = game.headers.get(f"{side}Errors", "")
                rows.append([str(number), player, side, f"{accuracy}%", marks])
                with suppress(ValueError):
                    by_player[player].append(float(accuracy))
    means = []
    for player, found in by_player.items():
        if len(found) > 1:
            games_of_player = counted(len(found), "game")
            means.append(["all", player, "", f"{mean(found):.1f}%", f"mean of {games_of_player}"])
    return [*means, *rows]


def _engines(moves: Moves) -> list[list[str]]:
    """Return moves, mean depth, mean time per move and nodes per second of each engine.

    The list is empty if no engine reported them.
    """
    rows = []
    is_known = False
    for name, played in moves.items():
        depths = [move.depth for _, move in played if move.depth]
        times = [move.milliseconds for _, move in played if move.milliseconds is not None]
        nodes = 0
        spent = 0.0
        for _, move in played:
            if move.nodes and move.milliseconds:
                nodes += move.nodes
                spent += move.milliseconds
        depth = f"{mean(depths):.1f}" if depths else "–"
        time = f"{mean(times):.1f} ms" if times else "–"
        speed = f"{1000 * nodes / spent:,.0f}" if spent else "–"
        is_known = is_known or bool(depths or times)
        rows.append([name, f"{len(played):,}", depth, time, speed])
    return rows if is_known else []


def _endings(games: ReportedGames) -> Table:
    """Return the reasons why games ended, and how often each engine won, drew and lost by them.

    For many engines it has only the number of such games. It is empty if no reason is known.
    """
    counts: dict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
    for game in games.finished:
        record = game.record
        for name in (record.white, record.black):
            counts[_ending_name(record.reason)][name, record.points(name)] += 1

    columns = games.engines if len(games.engines) == 2 else []
    rows = []
    if len(games.games) > 1 and counts.keys() != {NOT_STATED}:
        for reason, by_engine in sorted(counts.items(), key=lambda item: -item[1].total()):
            cells = []
            for name in columns:
                lost, drawn, won = (by_engine[name, points] for points in (0, 1, 2))
                cells.append(f"+{won} ={drawn} −{lost}")
            rows.append([reason, f"{by_engine.total() // 2:,}", *cells])
    return ["reason", "games", *columns], rows


def _times(moves: Moves) -> Chart | None:
    """Return the chart of the time per move by move number."""
    times = [
        move.milliseconds
        for played in moves.values()
        for _, move in played
        if move.milliseconds is not None
    ]
    unit_ms = 1000.0 if times and mean(times) > _SLOW_MS else 1.0

    def spent() -> Iterator[tuple[str, int, float | None]]:
        for name, played in moves.items():
            for number, move in played:
                if move.milliseconds is not None:
                    yield name, number, move.milliseconds / unit_ms

    longest = sorted(moves, key=lambda name: -len(moves[name]))[: len(COLOURS)]
    colours = dict(zip(sorted(longest, key=list(moves).index), COLOURS, strict=False))
    unit = "milliseconds" if unit_ms == 1 else "seconds"
    return bands_by_move(spent(), colours, 80, f"{unit} a move")


def _evaluations(games: ReportedGames) -> Chart | None:
    """Return the chart of the first player's evaluations, grouped by its result in the game.

    They are from its own view.
    """
    first = games.engines[0]

    def pawns() -> Iterator[tuple[str, int, float | None]]:
        for game in games.finished:
            if first not in (game.record.white, game.record.black):
                continue
            outcome = list(_OUTCOMES)[game.record.points(first)]
            for number, player, move, _ in game.moves():
                if player == first:
                    yield outcome, number, move.pawns(_MOST_PAWNS)

    return bands_by_move(pawns(), _OUTCOMES, 50, "pawns")


def _evaluation_caption(games: ReportedGames) -> str:
    """Return whose evaluations the chart shows."""
    first = games.engines[0]
    scores = "the median in pawns, with the middle half of the games."
    if not any(game.is_analysed for game in games.games):
        return f"Evaluations by {first} of its own games: {scores}"
    annotator = games.conditions.get("analysed by")
    author = f" by {annotator}" if annotator else ""
    return f"Evaluations{author} of the games of {first}, from its view: {scores}"


def _game_row(game: ReportedGame) -> dict[str, object]:
    """Return a row of the list of games."""
    record = game.record
    reason = "–" if record.reason == NOT_STATED else _ending_name(record.reason)
    accuracies = [game.headers.get(f"{side}Accuracy", "") for side in _SIDES]
    return {
        "white": record.white,
        "black": record.black,
        "result": RESULTS.get(record.result, record.result),
        "curve": _curve(game),
        "reason": f"{reason}: {record.detail}" if record.detail else reason,
        "plies": len(record.opening["moves"]) + len(record.moves),
        "opening": game.opening,
        "accuracy": " / ".join(accuracy for accuracy in accuracies if accuracy),
    }


def _curve(game: ReportedGame) -> str:
    """Return the path of a small chart of White's winning chances, or "" without scores."""
    chances = []
    for *_, score in game.moves():
        if score is not None:
            chances.append(winning_chance(score.white()))
    if len(chances) < 2:
        return ""
    last = min(len(chances), _POINTS_OF_CURVE) - 1
    points = []
    for index in range(last + 1):
        chance = chances[round(index * (len(chances) - 1) / last)]
        points.append(f"{index * 100 / last:.0f} {19 - 18 * chance:.0f}")
    return "M" + "L".join(points)
