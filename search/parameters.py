"""Every number that steers the search, declared once: its name, default, bounds, and the step of a tuner.

Suffixes: BASE and SLOPE make a straight line over depth, MARGIN is in centipawns, DEPTH in plies, DIVISOR divides.
The kernels read them from a record inside the worker, so they can change without a new compilation. A technique that
no match has proved yet is off by default; the comment says by which value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Parameter(NamedTuple):
    """One tunable number."""

    name: str
    default: int
    low: int
    high: int
    step: int


PARAMETERS = (
    Parameter("use_network", 1, 0, 1, 1),  # 0 evaluates by piece-square values
    Parameter("use_table", 1, 0, 1, 1),  # 0 searches without the transposition table
    Parameter("tt_cutoff_cut_node", 0, 0, 1, 1),  # 1: at low depth, a TT cutoff must be of the side that the node expects
    Parameter("tt_cutoff_history", 0, 0, 1, 1),  # 1: a quiet TT move that cuts off gets a history bonus
    Parameter("aspiration_depth", 4, 1, 128, 1),
    Parameter("aspiration_margin", 14, 5, 100, 3),
    Parameter("aspiration_reduction", 3, 0, 8, 1),
    Parameter("internal_reduction_depth", 3, 1, 64, 1),
    Parameter("reverse_futility_depth", 8, 0, 12, 1),
    Parameter("reverse_futility_margin", 75, 30, 200, 8),
    Parameter("reverse_futility_share", 680, 0, 1024, 60),  # 1024ths of what is above beta
    Parameter("reverse_futility_least_margin", 0, 0, 150, 8),
    Parameter("reverse_futility_not_tt_pv", 0, 0, 1, 1),
    Parameter("reverse_futility_not_quiet_tt_move", 0, 0, 1, 1),
    Parameter("razoring_depth", 0, 0, 8, 1),  # 0: off
    Parameter("razoring_base", 250, 50, 800, 25),
    Parameter("razoring_slope", 130, 20, 400, 15),  # times the square of the depth
    Parameter("null_move_depth", 2, 1, 64, 1),
    Parameter("null_move_base", 4, 1, 8, 1),
    Parameter("null_move_divisor", 4, 2, 8, 1),
    Parameter("null_move_margin", 150, 50, 500, 25),
    Parameter("null_move_margin_plies", 3, 0, 6, 1),
    Parameter("null_move_static_margin", 0, 0, 300, 15),  # the static evaluation must exceed beta by this,
    Parameter("null_move_static_slope", 0, 0, 40, 3),  # less this for each ply of depth
    Parameter("null_move_cut_nodes", 0, 0, 1, 1),  # 1: at expected cut nodes only
    Parameter("null_move_verification_depth", 14, 6, 64, 1),
    Parameter("probcut_depth", 64, 4, 64, 1),  # 64: off
    Parameter("probcut_margin", 150, 50, 400, 15),
    Parameter("singular_depth", 6, 4, 64, 1),
    Parameter("singular_margin", 16, 4, 64, 3),  # sixteenths of a centipawn and ply
    Parameter("singular_double_margin", 16, 0, 100, 4),
    Parameter("singular_triple_margin", 0, 0, 300, 10),  # 0: off
    Parameter("singular_search_offset", 0, 0, 1, 1),  # plies off the depth before it is halved
    Parameter("multicut", 1, 0, 2, 1),  # 0: off; 1: returns the bound of the singular search; 2: its score
    Parameter("reduction_base", 70, 0, 200, 8),  # hundredths of a ply
    Parameter("reduction_divisor", 230, 100, 400, 12),  # hundredths
    Parameter("reduction_moves", 1, 1, 500, 1),
    Parameter("reduction_cut_node", 1300, 0, 3000, 150),  # 1024ths of a ply, here and below
    Parameter("reduction_worsening", 700, 0, 2000, 120),
    Parameter("reduction_principal", 1024, 0, 3000, 120),
    Parameter("reduction_tt_pv", 0, 0, 3000, 120),
    Parameter("reduction_check", 800, 0, 3000, 120),
    Parameter("reduction_noisy_table_move", 700, 0, 2000, 120),
    Parameter("reduction_cutoffs", 1024, 0, 3000, 150),
    Parameter("reduction_cutoffs_number", 2, 0, 20, 1),  # more cutoffs of the next ply than this count as many
    Parameter("reduction_history", 9000, 1000, 32000, 800),  # history values for a ply
    Parameter("reduction_root", 350, 0, 1024, 60),  # 1024ths that are left of a reduction at the root
    Parameter("deeper_margin", 40, 0, 1000, 5),
    Parameter("shallower_margin", 8, 0, 100, 2),
    Parameter("research_deeper", 0, 0, 1, 1),  # 1: a re-search is deeper than the reduced search, by a ply at least
    Parameter("alpha_raise_reduction", 0, 0, 2, 1),  # plies less after alpha was raised
    Parameter("late_move_depth", 8, 0, 16, 1),
    Parameter("late_move_base", 4, 1, 20, 1),
    Parameter("late_move_checks", 0, 0, 1, 1),  # 1: quiet checks are not pruned by their number
    Parameter("pruning_history_share", 0, 0, 2048, 128),  # 1024ths of the reduction by history that pruning counts
    Parameter("futility_depth", 6, -1, 16, 1),
    Parameter("futility_base", 120, 0, 300, 15),
    Parameter("futility_slope", 90, 20, 300, 10),
    Parameter("capture_futility_depth", -1, -1, 12, 1),  # -1: off
    Parameter("capture_futility_base", 150, 0, 500, 20),
    Parameter("capture_futility_slope", 100, 20, 300, 12),
    Parameter("history_pruning_depth", 4, -1, 10, 1),
    Parameter("history_pruning_slope", 4000, 500, 16000, 400),
    Parameter("exchange_pruning_depth", 9, 0, 16, 1),
    Parameter("exchange_quiet_slope", 25, 5, 100, 4),
    Parameter("exchange_noisy_slope", 90, 20, 200, 8),
    Parameter("quiescence_evasions", 0, 0, 1, 1),  # 1: all of them; 0: one quiet move after one that does not lose
    Parameter("stand_pat_share", 1024, 0, 1024, 60),  # 1024ths of what is above beta
    Parameter("quiescence_margin", 150, 50, 400, 20),
    Parameter("history_slope", 250, 50, 800, 20),
    Parameter("history_offset", 150, 0, 800, 20),
    Parameter("history_bonus", 1800, 500, 6000, 120),
    Parameter("malus_share", 1024, 0, 2048, 100),  # 1024ths of the bonus
    Parameter("malus_decay", 0, 0, 128, 8),  # 1024ths of the malus less for each move searched before
    Parameter("fail_low_history", 0, 0, 1024, 64),  # 1024ths of a bonus for the opponent's move before a fail-low
    Parameter("evaluation_history", 0, 0, 128, 8),  # sixteenths of a bonus for a centipawn that the move before gained
    Parameter("research_history", 0, 0, 1024, 64),  # 1024ths of a bonus or malus after a re-search
    Parameter("threat_history", 0, 0, 1, 1),  # 1: quiet history goes by enemy attacks on the two squares, too
    Parameter("threat_bonus", 16000, 0, 32000, 1000),  # history values, here and below
    Parameter("check_bonus", 10000, 0, 32000, 1000),
    Parameter("capture_history_weight", 43, 0, 256, 6),  # 1024ths of a centipawn for a history value
    Parameter("fifty_move_scale", 0, 0, 1000, 20),  # plies without progress that would take the evaluation to 0; 0: off
    Parameter("reduction_correction", 0, 0, 64, 4),  # 1024ths of a ply less for a centipawn of correction
    Parameter("correction_weight", 64, 0, 200, 8),  # 16384ths of a centipawn for a history value
)

PARAMETER_RECORD = np.dtype([(parameter.name, "i8") for parameter in PARAMETERS], align=True)


def default_parameters() -> dict[str, int]:
    """{name: default} of every parameter."""
    return {parameter.name: parameter.default for parameter in PARAMETERS}
