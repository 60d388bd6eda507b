"""The page of a match folder or a PGN file: strength, standings, endings, use of time, evaluations, and games to replay."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import mean

from zobra.arena.display import counted
from zobra.arena.report_charts import COLOURS, GREEN, Chart, bands_by_move, chart
from zobra.arena.report_games import ReportedGame, ReportedGames
from zobra.arena.report_page import margin, render, signed
from zobra.arena.results import Results
from zobra.arena.schedule import GAUNTLET
from zobra.arena.statistics import estimate

MOST_REPLAYED = 1_000  # games that the page holds for its viewer; the rest is in the PGN file
_MOST_IN_CROSSTABLE = 20
_MOST_PAWNS = 10.0  # evaluations are shown no further than this
_POINTS_OF_CURVE, _POINTS_OF_STRENGTH = 40, 250
_SIDES = ("White", "Black")
_OUTCOMES = {"lost": COLOURS[1], "drawn": COLOURS[4], "won": GREEN}  # by half points

Cells = list[str]
Values = dict[int, list[float]]


def page(games: ReportedGames) -> str:
    """The page as HTML."""
    replayed = games.games[:MOST_REPLAYED]
    return render(
        "match.html",
        title=_title(games),
        subtitle=", ".join(filter(None, (counted(len(games.games), "game"), games.time_control, games.played))),
        names=games.engines,
        figures=_figures(games),
        strength=_strength(games),
        standings=_standings(games),
        crosstable=_crosstable(games),
        accuracies=_accuracies(games),
        engines=_engines(games),
        endings=_endings(games),
        times=_times(games),
        evaluations=_evaluations(games),
        games=[_game_row(game) for game in games.games],
        replays=[game.replay() for game in replayed],
        openings=any(game.record.opening["name"] for game in games.games),
        games_first=games.settings is None,
        conditions=_conditions(games),
        problems=games.problems,
    )


def _title(games: ReportedGames) -> str:
    if len(games.engines) == 2 and games.engines != ["White", "Black"]:
        return " – ".join(games.engines)
    return games.source.name if games.settings is None else "Tournament"


def _figures(games: ReportedGames) -> list[tuple[str, str, str]]:
    """Key figures: name, value and a remark each."""
    if len(games.games) == 1:
        ends = [("result", _result(game.record.result), game.record.reason) for game in games.finished]
        return ends + [
            (f"accuracy of {player}", share, marks.partition(";")[0]) for _, player, _, share, marks in _accuracies(games)
        ]
    if len(games.engines) != 2 or not games.finished:
        return [("games", f"{len(games.games):,}", ""), ("players", str(len(games.engines)), "")]
    first = games.engines[0]
    counts = games.results.best_counts(first)
    wins, draws, losses = games.score(first)
    guess, sprt = estimate(counts), games.settings and games.settings.sprt
    pairs = [
        (f"score of {first}", f"{games.score_share(first):.1%}", f"+{wins} ={draws} −{losses}"),
        ("Elo", signed(guess.elo), f"{margin(guess.elo_margin)}, 95 %"),
        ("normalised Elo", signed(guess.normalized_elo), f"{margin(guess.normalized_margin)}, 95 %"),
        ("likelihood of superiority", f"{guess.superiority:.1%}", ""),
        ("draws", f"{draws / len(games.finished):.1%}", ""),
    ]
    if len(counts) == 5:
        pairs.append(("pairs by points", " ".join(map(str, counts)), "0, ½, 1, 1½ and 2 of 2"))
    if sprt:
        low, high = sprt.limits
        pairs.append(("log-likelihood ratio", f"{sprt.llr(counts):+.2f}", f"from {low:.2f} to {high:.2f}, {sprt.text}"))
    return pairs


def _result(result: str) -> str:
    return result.replace("1/2-1/2", "½–½").replace("-", "–")


def _strength(games: ReportedGames) -> list[Chart]:
    """How the strength of the first of two engines looked after each pair of games, at a few hundred points at most."""
    if len(games.engines) != 2 or len(games.finished) < 4:
        return []
    step = max(2, 2 * math.ceil(len(games.finished) / 2 / _POINTS_OF_STRENGTH))
    sprt = games.settings and games.settings.sprt
    results, numbers, found, llrs = Results(games.engines), [], [], []
    for number, game in enumerate(games.finished, start=1):
        results.add(game.record)
        if number % step == 0 or number == len(games.finished):
            counts = results.best_counts(games.engines[0])
            numbers.append(number)
            found.append(estimate(counts))
            llrs.append(sprt.llr(counts) if sprt else 0.0)
    values = {"y": [guess.elo for guess in found], "low": [guess.elo - guess.elo_margin for guess in found],
              "high": [guess.elo + guess.elo_margin for guess in found]}  # fmt: skip
    known = {key: [round(v, 2) if math.isfinite(v) else None for v in column] for key, column in values.items()}
    # the first games' intervals would squeeze the rest of the chart
    settled = [v for column in known.values() for v in column[len(column) // 8 :] if v is not None]
    span = [min([-1.0, *settled]) - 5, max([1.0, *settled]) + 5]
    elo: Chart = {"label": f"Elo of {games.engines[0]}", "colour": COLOURS[0], **known}
    charts = [chart(numbers, [elo], "games", "Elo", levels=[0], range=span)]
    if sprt:
        llr = {"label": "log-likelihood ratio", "colour": COLOURS[1], "y": [round(llr, 3) for llr in llrs]}
        charts.append(chart(numbers, [llr], "games", "LLR", levels=list(sprt.limits)))
    return charts


def _standings(games: ReportedGames) -> tuple[Cells, list[Cells]] | None:
    """The rating list of a ladder, or the engines of a tournament by score; header and rows."""
    if len(games.engines) < 3 or len(games.finished) < len(games.engines):
        return None
    file = games.source / "ratings.json"
    if games.settings is not None and file.exists():
        rated = {name: values for name, *values in json.loads(file.read_text(encoding="utf-8"))}
        header = ["", "engine", "rating", "± 95 %", "games", "score", "rating before"]
    else:
        found = {name: estimate(games.results.best_counts(name)) for name in games.engines if sum(games.score(name))}
        rated = {name: [guess.elo, guess.elo_margin, None] for name, guess in found.items()}
        header = ["", "engine", "Elo", "± 95 %", "games", "score"]
    rows = []
    for rank, (name, (rating, error, before)) in enumerate(sorted(rated.items(), key=lambda entry: -entry[1][0]), start=1):
        value = f"{rating:.0f}" if len(header) == 7 else signed(rating)
        cells = [str(rank), name, value, margin(error), str(sum(games.score(name))), f"{games.score_share(name):.1%}"]
        rows.append([*cells, f"{before:.0f}" if before is not None else ""][: len(header)])
    return header, rows


def _crosstable(games: ReportedGames) -> tuple[Cells, list[Cells]] | None:
    """Who scored what against whom; in a gauntlet only the first engine against each of the others."""
    names = games.engines
    if not 2 <= len(names) <= _MOST_IN_CROSSTABLE or len(games.finished) < len(names):
        return None
    if len(names) == 2 or (games.settings is not None and games.settings.tournament == GAUNTLET):
        rows = []
        for rival in names[1:]:
            wins, draws, losses = games.score(names[0], rival)
            if not wins + draws + losses:
                continue
            guess = estimate(games.results.best_counts(names[0], rival))
            score = f"{wins + draws / 2:g} of {wins + draws + losses}"
            rows.append([rival, score, f"+{wins} ={draws} −{losses}", f"{games.score_share(names[0], rival):.1%}",
                         signed(guess.elo), margin(guess.elo_margin)])  # fmt: skip
        return [f"{names[0]} against", "points", "won, drawn, lost", "score", "Elo", "± 95 %"], rows
    ranked = sorted(names, key=lambda name: -games.score_share(name))
    header = ["", "", *(str(number) for number in range(1, len(ranked) + 1)), "points", "score"]
    rows = []
    for number, name in enumerate(ranked, start=1):
        cells = ["·" if rival == name else _points(*games.score(name, rival)) for rival in ranked]
        rows.append([str(number), name, *cells, _points(*games.score(name)), f"{games.score_share(name):.1%}"])
    return header, rows


def _points(wins: int, draws: int, losses: int) -> str:
    return f"{wins + draws / 2:g}/{wins + draws + losses}" if wins + draws + losses else ""


def _accuracies(games: ReportedGames) -> list[Cells]:
    """How accurately each side of each analysed game played, as `zobra analyse` writes it into the headers."""
    return [
        [str(number), player, side, f"{game.headers[f'{side}Accuracy']} %", game.headers.get(f"{side}Errors", "")]
        for number, game in enumerate(games.games, start=1)
        for side, player in zip(_SIDES, (game.record.white, game.record.black), strict=True)
        if f"{side}Accuracy" in game.headers
    ]


def _engines(games: ReportedGames) -> list[Cells]:
    """Moves, mean depth, mean time a move and nodes per second of each engine that reported them."""
    rows = []
    for name in games.engines:
        moves = [move for game in games.games for ply, move in enumerate(game.record.moves) if game.mover(ply) == name]
        depths = [move.depth for move in moves if move.depth]
        times = [move.milliseconds for move in moves if move.milliseconds is not None]
        timed = [(move.nodes, move.milliseconds) for move in moves if move.milliseconds and move.nodes]
        nodes, spent = sum(nodes for nodes, _ in timed), sum(milliseconds for _, milliseconds in timed)
        rows.append([name, f"{len(moves):,}", f"{mean(depths):.1f}" if depths else "–",
                     f"{mean(times):.1f} ms" if times else "–", f"{nodes * 1000 / spent:,.0f}" if spent else "–"])  # fmt: skip
    return rows if any(row[2:] != ["–"] * 3 for row in rows) else []


def _endings(games: ReportedGames) -> tuple[Cells, list[Cells]]:
    """Reasons, and how often each engine won, drew and lost by them; of many engines only how often there were such games."""
    counts: dict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
    for game in games.finished:
        for name in (game.record.white, game.record.black):
            counts[game.record.reason][(name, game.record.points(name))] += 1
    columns = games.engines if len(games.engines) == 2 else []
    rows = []
    for reason, by_engine in sorted(counts.items(), key=lambda item: -item[1].total()):
        cells = ["+{} ={} −{}".format(*(by_engine[(name, points)] for points in (2, 1, 0))) for name in columns]
        rows.append([reason, f"{by_engine.total() // 2:,}", *cells])
    return ["reason", "games", *columns], rows


def _by_move(games: Iterable[ReportedGame], name: str, value: Callable[[ReportedGame, int], float | None]) -> Values:
    """Values of one engine's moves by their move number."""
    found: Values = defaultdict(list)
    for game in games:
        for ply in range(len(game.record.moves)):
            if game.mover(ply) == name and (known := value(game, ply)) is not None:
                found[game.move_number(ply)].append(known)
    return found


def _times(games: ReportedGames) -> Chart | None:
    names = games.engines[: len(COLOURS)]
    times = [_by_move(games.games, name, lambda game, ply: game.record.moves[ply].milliseconds) for name in names]
    return bands_by_move(list(zip(names, COLOURS, times, strict=False)), 0.8, "milliseconds a move")


def _evaluations(games: ReportedGames) -> Chart | None:
    """Evaluations of the first engine, from its own view, apart by how the game ended for it."""
    first, series = games.engines[0], []
    mine = [game for game in games.finished if first in (game.record.white, game.record.black)]
    for points, (kind, colour) in enumerate(_OUTCOMES.items()):
        group = [game for game in mine if game.record.points(first) == points]
        values = _by_move(group, first, lambda game, ply: game.record.moves[ply].pawns(_MOST_PAWNS))
        series.append((f"games {kind}", colour, values))
    return bands_by_move(series, 0.5, "pawns")


def _game_row(game: ReportedGame) -> dict[str, object]:
    accuracies = (game.headers.get(f"{side}Accuracy") for side in _SIDES)
    record = game.record
    return {
        "white": record.white, "black": record.black, "result": _result(record.result),
        "reason": f"{record.reason}: {record.detail}" if record.detail else record.reason,
        "plies": len(record.opening["moves"]) + len(record.moves), "curve": _curve(game.chances()),
        "opening": record.opening["name"], "accuracy": " / ".join(filter(None, accuracies)),
    }  # fmt: skip


def _curve(chances: Sequence[float]) -> str:
    """The path of a small picture of White's winning chances: up is good for White."""
    if len(chances) < 2:
        return ""
    last, points = len(chances) - 1, min(len(chances), _POINTS_OF_CURVE)
    thinned = [chances[round(index * last / (points - 1))] for index in range(points)]
    return "M" + "L".join(f"{index * 100 / (points - 1):.0f} {19 - 18 * chance:.0f}" for index, chance in enumerate(thinned))


def _conditions(games: ReportedGames) -> list[tuple[str, str]]:
    """How the games were played: what run.json knows of engines, openings, rules and machine."""
    settings, run = games.settings, games.run
    if settings is None:
        return [("file", str(games.source)), *((name, text) for name, text in run["shown"].items() if text)]
    versions = run.get("versions", {})
    rows = []
    for engine in settings.engines:
        options = ", ".join(f"{name}={value}" for name, value in engine.options.items())
        own = [versions.get(engine.name, ""), " ".join(engine.command), options and f"options {options}"]
        if engine.time_control or engine.time_odds != 1:
            own.append(f"time control {settings.controls[engine.name]}")
        rows.append((engine.name, "; ".join(filter(None, own))))
    book = f"{settings.book}, {settings.order} order" if settings.book else f"{settings.plies} random plies"
    rules = [f"{name.replace('_', ' ')} {value}" for name, value in run.get("rules", {}).items() if value]
    rows += [
        ("time control", f"{settings.time_control}, margin {settings.margin_ms:g} ms"),
        ("openings", f"{book}, seed {settings.seed}"),
        ("adjudication", ", ".join(rules) or "none"),
        ("machine", run.get("machine", "")),
        ("command", run.get("command_line", "")),
        ("begun", games.played),
    ]
    return [(name, text) for name, text in rows if text]
