"""The page for a match folder: strength over games, crosstable, endings, use of time, evaluations, and every game."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from html import escape
from itertools import cycle
from pathlib import Path
from statistics import mean

import chess

from zobra.arena.report_games import Game, Match, read_match
from zobra.arena.report_html import figure, figures, html_page, section, table
from zobra.arena.report_plots import SERIES, bands_by_move, plot, strength_over_games
from zobra.arena.report_strength import Strength, strength_over_time

_POINTS_OF_CURVE = 40
# an evaluation of this many centipawns reaches three quarters of a small curve's height
_CURVE_SCALE = 300
_OUTCOMES = ("lost", "drawn", "won")  # by half points


def page(folder: Path) -> str:
    """The page as HTML. Raises OSError or ValueError for a folder without a readable match, MissingMatplotlib."""
    match = read_match(folder)
    subtitle = f"{len(match.games)} games at {match.time_control}, {match.created.replace('T', ' ')}"
    sections = [
        _key_figures(match),
        section("Strength over games", _strength_plot(match)),
        section("Crosstable", _crosstable(match), _engine_table(match)),
        section("How games ended", _endings(match)),
        section("Use of time", _time_plot(match)),
        section("Evaluations", _evaluation_plot(match)),
        section("Games", _games(match)),
        section("Lines of the journal that cannot be read", _problems(match)),
    ]
    return html_page(" – ".join(match.engines) if len(match.engines) == 2 else "Tournament", subtitle, sections)


def _key_figures(match: Match) -> str:
    if len(match.engines) != 2 or not match.games:
        return figures([("games", str(len(match.games)), ""), ("engines", str(len(match.engines)), "")])
    first, result = match.engines[0], strength_over_time(match)[-1]
    wins, draws, losses = match.score(first)
    guess = result.estimate
    pairs = [
        (f"score of {first}", f"{match.score_share(first):.1%}", f"+{wins} ={draws} −{losses}"),
        ("Elo", _elo(guess.elo), _margin(guess.elo_margin)),
        ("normalised Elo", _elo(guess.normalized_elo), _margin(guess.normalized_margin)),
        ("likelihood of superiority", f"{guess.superiority:.1%}", ""),
        ("draws", f"{draws / len(match.games):.1%}", ""),
    ]
    if len(result.counts) == 5:
        pairs.append(("pairs by points", " ".join(map(str, result.counts)), "0, ½, 1, 1½ and 2 of 2"))
    if result.llr is not None and match.sprt is not None:
        low, high = match.sprt.limits
        pairs.append(("log-likelihood ratio", f"{result.llr:+.2f}", f"from {low:.2f} to {high:.2f}, {match.sprt.text}"))
    return figures(pairs)


def _elo(elo: float) -> str:
    return f"{elo:+.1f}" if math.isfinite(elo) else "–"


def _margin(margin: float) -> str:
    return f"± {margin:.1f}" if math.isfinite(margin) else ""


def _strength_plot(match: Match) -> str:
    if len(match.engines) != 2 or len(match.games) < 4:
        return ""
    course: list[Strength] = strength_over_time(match)
    limits = match.sprt.limits if match.sprt else None
    drawing = plot(
        strength_over_games(course, limits), name="strength", label="Elo and LLR over games", height=4.2 if limits else 3.0,
        rows=2 if limits else 1,
    )  # fmt: skip
    caption = f"Elo of {match.engines[0]} with its 95 % interval, as it stood after each pair of games."
    return figure(drawing, caption + (" Below: the log-likelihood ratio between its limits." if limits else ""))


def _crosstable(match: Match) -> str:
    ranked = sorted(match.engines, key=lambda name: -match.score_share(name))
    rows = []
    for name in ranked:
        cells = ["·" if rival == name else _wins_draws_losses(*match.score(name, rival)) for rival in ranked]
        wins, draws, losses = match.score(name)
        total = f"{wins + draws / 2:g} of {wins + draws + losses}"
        rows.append([f"<strong>{escape(name)}</strong>", *cells, total, f"{match.score_share(name):.1%}"])
    return table(["", *ranked, "points", "share"], rows)


def _wins_draws_losses(wins: int, draws: int, losses: int) -> str:
    return f"+{wins} ={draws} −{losses}" if wins + draws + losses else "-"


def _engine_table(match: Match) -> str:
    rows = []
    for name in match.engines:
        moves = [move for game in match.games for ply, move in enumerate(game.moves) if game.mover(ply) == name]
        timed = [move for move in moves if move.time_ms]
        nodes, time_ms = sum(move.nodes or 0 for move in timed), sum(move.time_ms or 0 for move in timed)
        depths = [move.depth for move in moves if move.depth]
        rows.append(
            [
                escape(name),
                f"{len(moves):,}",
                f"{mean(depths):.1f}" if depths else "-",
                f"{time_ms / len(moves):.1f} ms" if moves else "-",
                f"{nodes * 1000 / time_ms:,.0f}" if time_ms else "-",
            ]
        )
    return table(["", "moves", "mean depth", "mean time a move", "nodes per second"], rows, numbers=range(1, 5))


def _endings(match: Match) -> str:
    """Reasons, and how often each engine won, drew and lost by them."""
    counts: dict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
    for game in match.games:
        for name in (game.record.white, game.record.black):
            counts[game.record.reason][(name, game.record.points(name))] += 1
    rows = []
    for reason, by_engine in sorted(counts.items(), key=lambda item: -item[1].total()):
        cells = [_wins_draws_losses(*(by_engine[(name, points)] for points in (2, 1, 0))) for name in match.engines]
        rows.append([escape(reason), str(by_engine.total() // 2), *cells])
    return table(["reason", "games", *match.engines], rows, numbers=[1]) if rows else ""


def _time_plot(match: Match) -> str:
    times: dict[str, dict[int, list[float]]] = {name: defaultdict(list) for name in match.engines}
    for game in match.games:
        for ply, move in enumerate(game.moves):
            if move.time_ms is not None:
                times[game.mover(ply)][game.move_number(ply)].append(move.time_ms)
    if not any(times.values()):
        return ""
    series = [(name, colour, times[name]) for name, colour in zip(match.engines, cycle(SERIES), strict=False)]
    drawing = plot(bands_by_move(series, 0.8, "milliseconds a move"), name="time", label="Time per move over the game")
    return figure(drawing, "Median time a move; the bands hold the middle 80 % of the games.")


def _evaluation_plot(match: Match) -> str:
    """Evaluations of the first engine, from its own view, apart by how the game ended for it."""
    first = match.engines[0]
    values: dict[str, dict[int, list[float]]] = {kind: defaultdict(list) for kind in _OUTCOMES}
    for game in match.games:
        if first not in (game.record.white, game.record.black):
            continue
        kind = _OUTCOMES[game.record.points(first)]
        for ply, move in enumerate(game.moves):
            if game.mover(ply) == first and move.pawns is not None:
                values[kind][game.move_number(ply)].append(move.pawns)
    if not any(values.values()):
        return ""
    colours = {"won": SERIES[2], "drawn": SERIES[4], "lost": SERIES[1]}
    series = [(f"games {kind}", colour, values[kind]) for kind, colour in colours.items()]
    drawing = plot(bands_by_move(series, 0.5, "pawns"), name="evaluations", label="Evaluations over the game")
    caption = f"What {first} thought of its own games: median evaluation in pawns, with the middle half of the games."
    return figure(drawing, caption)


def _games(match: Match) -> str:
    rows = (
        [
            str(game.record.index + 1),
            escape(game.record.white),
            escape(game.record.black),
            game.record.result.replace("1/2-1/2", "½–½").replace("-", "–"),
            escape(f"{game.record.reason}: {game.record.detail}" if game.record.detail else game.record.reason),
            str(len(game.moves)),
            _curve(game),
            escape(game.record.opening.get("name") or ""),
        ]
        for game in match.games
    )
    header = ["game", "White", "Black", "result", "reason", "plies", "evaluation for White", "opening"]
    return table(header, rows, numbers=[0, 5], tall=True) if match.games else ""


def _curve(game: Game) -> str:
    """A small picture of both engines' evaluations, as White sees them: up is good for White."""
    heights = _thinned(
        [
            10 - 10 * math.tanh(move.pawns * 100 / _CURVE_SCALE * (1 if game.turn(ply) == chess.WHITE else -1))
            for ply, move in enumerate(game.moves)
            if move.pawns is not None
        ]
    )
    if len(heights) < 2:
        return ""
    step = 100 / (len(heights) - 1)
    path = "M" + "L".join(f"{index * step:.0f} {height:.0f}" for index, height in enumerate(heights))
    return (
        '<svg class="curve" viewBox="0 0 100 20" preserveAspectRatio="none">'
        f'<line x1="0" y1="10" x2="100" y2="10"/><path d="{path}"/></svg>'
    )


def _thinned(values: Sequence[float]) -> list[float]:
    """At most _POINTS_OF_CURVE of the values, evenly spread, with the last one."""
    if len(values) <= _POINTS_OF_CURVE:
        return list(values)
    last = len(values) - 1
    return [values[round(index * last / (_POINTS_OF_CURVE - 1))] for index in range(_POINTS_OF_CURVE)]


def _problems(match: Match) -> str:
    rows: Iterable[list[str]] = ([escape(problem)] for problem in match.problems)
    return table(["problem"], rows) if match.problems else ""
