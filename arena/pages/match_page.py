"""The page of a match or a PGN file, with games to replay."""

import math
from collections import Counter, defaultdict
from itertools import chain
from statistics import mean

from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.formats.text import counted
from zobra.arena.model.accuracy import winning_chance
from zobra.arena.model.results import Results
from zobra.arena.model.settings import GAUNTLET
from zobra.arena.model.statistics import estimate
from zobra.arena.pages.charts import COLOURS, GREEN, Chart, bands_by_move, chart
from zobra.arena.pages.reported_games import ReportedGame, ReportedGames
from zobra.arena.pages.templates import render

MOST_REPLAYED = 1_000  # games that the page holds for its viewer; the rest is in the PGN file
_MOST_IN_CROSSTABLE = 20
_MOST_PAWNS = 10.0  # evaluations are shown no further than this
_POINTS_OF_CURVE, _POINTS_OF_STRENGTH = 40, 250
_SIDES = ("White", "Black")
_RESULTS = {"1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½"}
_OUTCOMES = {
    "games lost": COLOURS[1],
    "games drawn": COLOURS[4],
    "games won": GREEN,
}  # by half points
_RESULT_HEADER = ["points", "won, drawn, lost", "score", "Elo", "± 95 %"]
Table = tuple[list[str], list[list[str]]]  # header and rows
Moves = dict[str, list[tuple[int, PlayedMove]]]  # by engine, with full-move numbers


def match_page(games: ReportedGames) -> str:
    """The page as HTML."""
    title = games.source.name if games.settings is None else "Tournament"
    if len(games.engines) == 2 and games.engines != ["White", "Black"]:
        title = " – ".join(games.engines)
    conditions = [games.conditions.get(name) for name in ("time control", "played")]
    accuracies, moves = _accuracies(games), Moves((name, []) for name in games.engines)
    for number, player, move, _ in chain.from_iterable(game.moves() for game in games.games):
        moves[player].append((number, move))
    spent = (
        (name, number, move.milliseconds)
        for name, played in moves.items()
        for number, move in played
    )
    pawns = (  # of the first engine, from its own view, apart by how the game ended for it
        (list(_OUTCOMES)[game.record.points(player)], number, move.pawns(_MOST_PAWNS))
        for game in games.finished
        for number, player, move, _ in game.moves()
        if player == games.engines[0]
    )
    return render(
        "match.html",
        title=title,
        subtitle=", ".join(filter(None, [counted(len(games.games), "game"), *conditions])),
        names=games.engines,
        figures=_figures(games, accuracies),
        strength=_strength(games),
        standings=_standings(games),
        crosstable=_crosstable(games),
        accuracies=accuracies,
        engines=_engines(moves),
        endings=_endings(games),
        times=bands_by_move(
            spent, dict(zip(moves, COLOURS, strict=False)), 80, "milliseconds a move"
        ),
        evaluations=bands_by_move(pawns, _OUTCOMES, 50, "pawns"),
        games=[_game_row(game) for game in games.games],
        replays=[game.replay() for game in games.games[:MOST_REPLAYED]],
        games_first=games.settings is None,
        openings=any(game.record.opening["name"] for game in games.games),
        conditions=[(name, text) for name, text in games.conditions.items() if text],
        problems=games.problems,
    )


def _signed(value: float) -> str:
    """A number with its sign and one decimal, "–" where it is not finite."""
    return f"{value:+.1f}".replace("-", "−") if math.isfinite(value) else "–"


def _margin(value: float) -> str:
    """A 95 % margin: "± 12.3", "± –" where it is not finite."""
    return f"± {value:.1f}" if math.isfinite(value) else "± –"


def _figures(games: ReportedGames, accuracies: list[list[str]]) -> list[tuple[str, str, str]]:
    """Key figures: name, value and a remark each."""
    if len(games.games) == 1:
        ends = [
            ("result", _RESULTS[game.record.result], game.record.reason) for game in games.finished
        ]
        return ends + [
            (f"accuracy of {player}", share, marks.partition(";")[0])
            for _, player, _, share, marks in accuracies
        ]
    if len(games.engines) != 2 or not games.finished:
        return [("games", f"{len(games.games):,}", ""), ("players", str(len(games.engines)), "")]
    first = games.engines[0]
    counts = games.results.best_counts(first)
    wins, draws, losses = games.score(first)
    guess, sprt = estimate(counts), games.settings and games.settings.sprt
    pairs = [
        (f"score of {first}", f"{games.score_share(first):.1%}", f"+{wins} ={draws} −{losses}"),
        ("Elo", _signed(guess.elo), f"{_margin(guess.elo_margin)}, 95 %"),
        (
            "normalised Elo",
            _signed(guess.normalized_elo),
            f"{_margin(guess.normalized_margin)}, 95 %",
        ),
        ("likelihood of superiority", f"{guess.superiority:.1%}", ""),
        ("draws", f"{draws / len(games.finished):.1%}", ""),
    ]
    if len(counts) == 5:
        pairs.append(("pairs by points", " ".join(map(str, counts)), "0, ½, 1, 1½ and 2 of 2"))
    if sprt:
        low, high = sprt.limits
        pairs.append(
            (
                "log-likelihood ratio",
                f"{sprt.llr(counts):+.2f}",
                f"from {low:.2f} to {high:.2f}, {sprt.text}",
            )
        )
    return pairs


def _strength(games: ReportedGames) -> list[Chart]:
    """How the strength of the first of two engines looked after each pair of games, at a few
    hundred points at most.
    """
    if len(games.engines) != 2 or len(games.finished) < 4:
        return []
    step = max(2, 2 * math.ceil(len(games.finished) / 2 / _POINTS_OF_STRENGTH))
    results, numbers, seen = Results(games.engines), [], []
    for number, game in enumerate(games.finished, start=1):
        results.add(game.record)
        if number % step == 0 or number == len(games.finished):
            numbers.append(number)
            seen.append(results.best_counts(games.engines[0]))
    found = [(guess.elo, guess.elo_margin) for guess in map(estimate, seen)]
    columns = {
        "y": [elo for elo, _ in found],
        "low": [a - b for a, b in found],
        "high": [a + b for a, b in found],
    }
    known = {
        key: [round(v, 2) if math.isfinite(v) else None for v in column]
        for key, column in columns.items()
    }
    # the first games' intervals would squeeze the rest of the chart
    settled = [v for column in known.values() for v in column[len(column) // 8 :] if v is not None]
    span = [min([-1.0, *settled]) - 5, max([1.0, *settled]) + 5]
    elo: Chart = {"label": f"Elo of {games.engines[0]}", "colour": COLOURS[0], **known}
    charts = [chart(numbers, [elo], "games", "Elo", levels=[0], range=span)]
    if sprt := games.settings and games.settings.sprt:
        llr = {
            "label": "log-likelihood ratio",
            "colour": COLOURS[1],
            "y": [round(sprt.llr(counts), 3) for counts in seen],
        }
        charts.append(chart(numbers, [llr], "games", "LLR", levels=list(sprt.limits)))
    return charts


def _standings(games: ReportedGames) -> Table | None:
    """The rating list of a ladder, or the engines of a tournament by score."""
    if len(games.engines) < 3 or len(games.finished) < len(games.engines):
        return None
    results = {name: _result_cells(games, name) for name in games.engines if sum(games.score(name))}
    if games.ratings:
        header = ["engine", "rating", "± 95 %", "before", *_RESULT_HEADER[:3]]
        rows = [
            [
                name,
                f"{rating:.0f}",
                _margin(error),
                "" if before is None else f"{before:.0f}",
                *results.get(name, [])[:3],
            ]
            for name, rating, error, before in sorted(games.ratings, key=lambda rated: -rated[1])
        ]
    else:
        header = ["engine", *_RESULT_HEADER]
        rows = [
            [name, *results[name]] for name in sorted(results, key=games.score_share, reverse=True)
        ]
    return ["", *header], [[str(rank), *row] for rank, row in enumerate(rows, start=1)]


def _result_cells(games: ReportedGames, name: str, rival: str | None = None) -> list[str]:
    """An engine's result against one rival or all, as _RESULT_HEADER says."""
    wins, draws, losses = games.score(name, rival)
    guess = estimate(games.results.best_counts(name, rival))
    points, share = (
        f"{wins + draws / 2:g} of {wins + draws + losses}",
        f"{games.score_share(name, rival):.1%}",
    )
    return [
        points,
        f"+{wins} ={draws} −{losses}",
        share,
        _signed(guess.elo),
        _margin(guess.elo_margin),
    ]


def _crosstable(games: ReportedGames) -> Table | None:
    """Who scored what against whom; in a gauntlet only the first engine against each of the
    others.
    """
    names = games.engines
    if not 2 <= len(names) <= _MOST_IN_CROSSTABLE or len(games.finished) < len(names):
        return None
    if len(names) == 2 or (games.settings is not None and games.settings.tournament == GAUNTLET):
        met = [rival for rival in names[1:] if sum(games.score(names[0], rival))]
        return [f"{names[0]} against", *_RESULT_HEADER], [
            [rival, *_result_cells(games, names[0], rival)] for rival in met
        ]

    def points(name: str, rival: str | None = None) -> str:
        wins, draws, losses = games.score(name, rival)
        return f"{wins + draws / 2:g}/{wins + draws + losses}" if wins + draws + losses else ""

    ranked = sorted(names, key=games.score_share, reverse=True)
    rows = [
        [str(n), name, *(points(name, rival) for rival in ranked), points(name)]
        for n, name in enumerate(ranked, start=1)
    ]
    return ["", "", *map(str, range(1, len(ranked) + 1)), "points"], rows


def _accuracies(games: ReportedGames) -> list[list[str]]:
    """How accurately each side of each analysed game played, as `zobra analyse` writes it into the
    headers.
    """
    return [
        [
            str(number),
            player,
            side,
            f"{game.headers[f'{side}Accuracy']} %",
            game.headers.get(f"{side}Errors", ""),
        ]
        for number, game in enumerate(games.games, start=1)
        for side, player in zip(_SIDES, (game.record.white, game.record.black), strict=True)
        if f"{side}Accuracy" in game.headers
    ]


def _engines(moves: Moves) -> list[list[str]]:
    """Moves, mean depth, mean time a move and nodes per second of each engine that reported
    them.
    """
    rows = []
    for name, played in moves.items():
        depths = [move.depth for _, move in played if move.depth]
        times = [move.milliseconds for _, move in played if move.milliseconds is not None]
        timed = [
            (move.nodes, move.milliseconds)
            for _, move in played
            if move.milliseconds and move.nodes
        ]
        speed = (
            f"{1000 * sum(nodes for nodes, _ in timed) / sum(spent for _, spent in timed):,.0f}"
            if timed
            else "–"
        )
        depth, time = (
            f"{mean(depths):.1f}" if depths else "–",
            f"{mean(times):.1f} ms" if times else "–",
        )
        rows.append([name, f"{len(played):,}", depth, time, speed])
    return rows if any(row[2:] != ["–"] * 3 for row in rows) else []


def _endings(games: ReportedGames) -> Table:
    """Reasons, and how often each engine won, drew and lost by them; of many engines only how often
    there were such games.
    """
    counts: dict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
    for record in (game.record for game in games.finished):
        counts[record.reason].update(
            (name, record.points(name)) for name in (record.white, record.black)
        )
    columns = games.engines if len(games.engines) == 2 else []
    rows = []
    for reason, by_engine in sorted(counts.items(), key=lambda item: -item[1].total()):
        cells = [
            "+{} ={} −{}".format(*(by_engine[(name, points)] for points in (2, 1, 0)))
            for name in columns
        ]
        rows.append([reason, f"{by_engine.total() // 2:,}", *cells])
    return ["reason", "games", *columns], rows


def _game_row(game: ReportedGame) -> dict[str, object]:
    """A line of the list of games; `curve` is the path of a small picture of White's winning
    chances.
    """
    record, curve = game.record, ""
    chances = [winning_chance(score.white()) for *_, score in game.moves() if score is not None]
    if len(chances) > 1:
        last = min(len(chances), _POINTS_OF_CURVE) - 1
        thinned = [chances[round(index * (len(chances) - 1) / last)] for index in range(last + 1)]
        curve = "M" + "L".join(
            f"{index * 100 / last:.0f} {19 - 18 * chance:.0f}"
            for index, chance in enumerate(thinned)
        )
    accuracies = filter(None, (game.headers.get(f"{side}Accuracy") for side in _SIDES))
    return {
        "white": record.white,
        "black": record.black,
        "result": _RESULTS.get(record.result, record.result),
        "curve": curve,
        "reason": f"{record.reason}: {record.detail}" if record.detail else record.reason,
        "plies": len(record.opening["moves"]) + len(record.moves),
        "opening": record.opening["name"],
        "accuracy": " / ".join(accuracies),
    }
