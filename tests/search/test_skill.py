"""Playing below full strength: weaker, never illegal, never late, and reproducible."""

import itertools
import random

import pytest

from tests.support.searches import KIWIPETE, MIDDLEGAME, think, without_time
from zobra.engine.fen import START, parse_fen
from zobra.engine.scores import MATE
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher
from zobra.search.skill import (
    CALIBRATION,
    HIGHEST,
    LOWEST,
    MAX_SKILL,
    Skill,
    choose,
    skill_from_elo,
    skill_from_level,
)


def test_levels_rise_through_the_calibration():
    levels = [skill_from_elo(elo) for elo in range(LOWEST, HIGHEST + 1, 10)]
    for weaker, stronger in itertools.pairwise(levels):
        assert stronger.nodes >= weaker.nodes
        assert stronger.noise <= weaker.noise
    assert {elo: skill_from_elo(elo) for elo in CALIBRATION} == CALIBRATION
    assert skill_from_elo(LOWEST - 500) == skill_from_level(0) == CALIBRATION[LOWEST]
    assert skill_from_elo(HIGHEST + 500) == CALIBRATION[HIGHEST]
    assert skill_from_level(MAX_SKILL) is None
    nodes = [skill_from_level(level).nodes for level in range(MAX_SKILL)]
    assert nodes == sorted(set(nodes))


def test_noise_chooses_among_near_scores():
    source = random.Random(1)
    chosen = [choose([50, 45, -900], Skill(100, 40.0), source) for _ in range(400)]
    assert 100 < chosen.count(1) < 300
    assert chosen.count(2) == 0
    for scores, skill in (
        ([50, 49], Skill(100, 0.0)),
        ([50, 49], None),
        ([int(MATE) - 1, 900], Skill(100, 1e6)),
    ):
        assert all(choose(scores, skill, source) == 0 for _ in range(50))


@pytest.mark.parametrize("elo", [LOWEST, 1500, 2600])
@pytest.mark.parametrize("fen", [START, KIWIPETE])
def test_weak_moves_are_legal_and_reported(elo, fen):
    searcher = Searcher(2)
    searcher.skill = skill_from_elo(elo)
    for seed in range(4):
        searcher.seed = seed
        result, reports = think(searcher, fen, Limits())  # which alone would never end
        assert result.best in parse_fen(fen).legal_moves()
        assert searcher.nodes <= searcher.skill.nodes
        assert {report.multipv for report in reports} <= {1}
        assert not reports or reports[-1].pv[0] == result.best
        assert not result.ponder or result.ponder in parse_fen(fen).after(result.best).legal_moves()


def test_the_chosen_move_is_reported_as_the_first_line():
    searcher = Searcher(2)
    searcher.skill = Skill(3_000, 100.0)
    searcher.multipv = 3
    chosen = set()
    for seed in range(6):
        searcher.seed = seed
        result, reports = think(searcher, START, Limits())
        last = reports[-3:]
        assert [report.multipv for report in last] == [1, 2, 3]
        assert last[0].pv[0] == result.best
        assert len({report.pv[0] for report in last}) == 3
        scores = {(report.pv[0], report.depth): report.score for report in reports[:-3]}
        assert last[0].score == scores.get((result.best, last[0].depth), last[0].score)
        chosen.add(result.best)
    assert len(chosen) > 1


@pytest.mark.parametrize("elo", [LOWEST, 1500])
def test_a_limited_engine_searches_with_one_thread(elo):
    alone = Searcher(2)
    several = Searcher(2)
    several.threads = 3
    think(several, KIWIPETE, Limits(nodes=30_000))
    several.clear()
    for searcher in (alone, several):
        searcher.skill = skill_from_elo(elo)
    for fen in (KIWIPETE, MIDDLEGAME):
        expected, lone = think(alone, fen, Limits())
        found, reports = think(several, fen, Limits())
        assert found == expected
        assert without_time(reports) == without_time(lone)
        assert several.nodes == alone.nodes <= several.skill.nodes


def test_smaller_limits_still_hold():
    searcher = Searcher(2)
    searcher.skill = skill_from_elo(HIGHEST)
    think(searcher, START, Limits(nodes=100))
    assert searcher.nodes == 100
    assert think(searcher, START, Limits(depth=2))[1][-1].depth == 2
    only = parse_fen(START).parse_move("h2h4")
    assert think(searcher, START, Limits(searchmoves=(only,)))[0].best == only


@pytest.mark.parametrize(
    "skill", [Skill(3_000, 100.0), *(skill for skill in CALIBRATION.values() if skill.noise > 50)]
)
def test_choices_are_reproducible_by_seed(skill):
    searcher = Searcher(2)
    searcher.skill = skill

    def play(seed):
        searcher.clear()
        searcher.seed = seed
        return think(searcher, START, Limits())[0].best

    first = [play(seed) for seed in range(8)]
    assert [play(seed) for seed in range(8)] == first
    assert len(set(first)) > 1
