"""An engine that plays game after game takes no more memory than one that plays a few."""

import shutil

import pytest

from benchmarks.memory import watch


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.skipif(
    shutil.which("ps") is None, reason="there is no ps, which prints the resident set of a process"
)
def test_a_thousand_games_in_one_process():
    sizes = watch(1_000)
    assert len(sizes) == 10
    assert sizes[-1] < 1.01 * sizes[0], sizes
