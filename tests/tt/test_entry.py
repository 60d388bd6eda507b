"""One table entry: every field comes back as it went in, and mate scores count from where they
are.
"""

from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.search_kernels import call, tt_entry, unpacked
from zobra.engine.scores import LONGEST_MATE, MATE, MAX_PLY, NO_SCORE
from zobra.tt.entry import (
    entry_from_word,
    generation_of,
    pack,
    score_from_table,
    score_to_table,
    with_move,
)

SCORES = st.integers(-32_000, 32_001)
MOST = {"move": 0xFFFF, "depth": 255, "bound": 3, "tt_pv": 1}
NUMBERS = {name: st.integers(0, most) for name, most in MOST.items()}
ENTRIES = st.fixed_dictionaries({**NUMBERS, "score": SCORES, "evaluation": SCORES})


def to_table(score: int, ply: int) -> int:
    return call(score_to_table, score=score, ply=ply)


def from_table(score: int, ply: int) -> int:
    return call(score_from_table, score=score, ply=ply)


@given(ENTRIES, st.integers(0, 31))
@example({**MOST, "score": -1, "evaluation": int(NO_SCORE)}, 31)
@example({**MOST, "score": -32_000, "evaluation": -1}, 0)
def test_packing_is_reversible(values, generation):
    data = call(pack, ply=0, tt_entry=tt_entry(**values), generation=generation)
    assert unpacked(data) == values
    assert entry_from_word(data)._asdict() == values
    assert call(generation_of, data=data) == generation


@given(SCORES, st.integers(0, MAX_PLY))
def test_score_conversion_is_reversible(score, ply):
    if abs(score) < int(LONGEST_MATE):
        assert to_table(score, ply) == from_table(score, ply) == score
    elif MAX_PLY <= int(MATE) - abs(score) <= 2 * MAX_PLY:
        assert from_table(to_table(score, ply), ply) == score


@given(
    st.integers(0, MAX_PLY),
    st.integers(0, MAX_PLY),
    st.integers(0, MAX_PLY),
    st.sampled_from([1, -1]),
)
def test_mate_scores_keep_their_distance_at_another_ply(stored_at, distance, read_at, sign):
    """A mate in `distance` plies from a position is that far from it wherever in the tree it is
    met.
    """
    in_table = to_table(sign * (int(MATE) - (stored_at + distance)), stored_at)
    assert in_table == sign * (int(MATE) - distance)
    assert from_table(in_table, read_at) == sign * (int(MATE) - (read_at + distance))


@given(ENTRIES, NUMBERS["move"])
@example({**MOST, "score": 0, "evaluation": 0}, 0)
def test_another_move_takes_the_place_of_the_old_one(values, move):
    data = call(pack, ply=0, tt_entry=tt_entry(**values), generation=3)
    changed = call(with_move, data=data, move=move) % 2**64
    assert unpacked(changed) == values | {"move": move}
    assert call(generation_of, data=changed) == 3
