"""The first start compiles, says so, and plays; the second loads what it left. Without a place for that, it plays too."""

import os

import pytest

from tests.prober import Prober

pytestmark = pytest.mark.slow


def start_and_play(place) -> list[str]:
    """What a fresh process says from `uci` to its first move."""
    with Prober(environment={**os.environ, "ZOBRA_CACHE_DIR": str(place)}) as prober:
        said = prober.ask("uci", answer="uciok")
        assert not any("info string" in line for line in said)
        said = prober.ask("isready", answer="readyok")
        said += prober.ask("go depth 5", answer="bestmove")
        assert said[-1] not in ("bestmove (none)", "bestmove 0000")
        prober.send("quit")
        assert prober.wait() == 0
        assert prober.process.stderr.read() == b""
    return said


def test_only_the_first_start_compiles(tmp_path):
    first, second = start_and_play(tmp_path), start_and_play(tmp_path)
    assert sum("compiling the kernels" in line for line in first) == 1
    assert not any("info string" in line for line in second)
    assert first[-1] == second[-1]


def test_without_a_place_for_kernels_it_says_so_once_and_plays(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert sum("kernel cache is not usable" in line for line in start_and_play(blocked)) == 1
