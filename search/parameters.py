"""The tunable numbers of the search, declared once: name, default, bounds, and step for tuning.

Suffixes: BASE is the constant term of a formula and SLOPE its factor, mostly of the depth; MARGIN
is a difference of scores (for each ply in reverse futility pruning); DIVISOR divides. DEPTH is the
least depth in plies for a technique, or the greatest for one that prunes shallow nodes. The kernels
read them from a record inside the worker, so they can change without a new compilation.
"""

from typing import NamedTuple


class Parameter(NamedTuple):
    """One tunable number."""

    name: str
    default: int
    low: int
    high: int
    step: int


PARAMETERS = (
    Parameter("use_tt", 1, 0, 1, 1),  # 0 searches without the transposition table
    Parameter("aspiration_depth", 4, 1, 128, 1),
    Parameter("aspiration_margin", 14, 5, 100, 3),
    Parameter("aspiration_reduction", 3, 0, 8, 1),
    Parameter("internal_reduction_depth", 4, 1, 64, 1),
    Parameter("reverse_futility_depth", 7, 0, 12, 1),
    Parameter("reverse_futility_margin", 69, 30, 200, 8),
    Parameter("reverse_futility_least_margin", 27, 0, 150, 8),
    Parameter("reverse_futility_share", 670, 0, 1024, 60),  # 1024ths of what is above beta
    # Subtracted from the margin if the opponent's last move worsened its evaluation
    Parameter("reverse_futility_opponent_worsening", 27, 0, 100, 6),
    Parameter("null_move_depth", 2, 1, 64, 1),
    Parameter("null_move_base", 5, 1, 8, 1),
    Parameter("null_move_divisor", 4, 2, 8, 1),
    Parameter("null_move_eval_divisor", 78, 50, 500, 25),
    Parameter("null_move_eval_plies", 3, 0, 6, 1),
    Parameter("null_move_static_margin", 34, 0, 300, 15),  # of the static evaluation over beta
    Parameter("null_move_verification_depth", 14, 6, 64, 1),
    Parameter("singular_depth", 5, 4, 64, 1),
    Parameter("singular_margin", 17, 4, 64, 3),  # sixteenths of a unit and ply
    Parameter("singular_double_margin", 14, 0, 100, 4),
    Parameter("singular_triple_margin", 52, 0, 400, 10),
    Parameter("reduction_base", 104, 0, 200, 8),  # hundredths of a ply
    Parameter("reduction_divisor", 230, 100, 400, 12),  # hundredths
    Parameter("reduction_moves", 1, 1, 500, 1),
    Parameter("reduction_cut_node", 1319, 0, 3000, 150),  # 1024ths of a ply, here and below
    Parameter("reduction_not_improving", 795, 0, 2000, 120),
    Parameter("reduction_pv", 937, 0, 3000, 120),
    Parameter("reduction_tt_pv", 1924, 0, 4000, 150),  # on a former principal variation
    Parameter("reduction_check", 816, 0, 3000, 120),
    Parameter("reduction_noisy_tt_move", 621, 0, 2000, 120),
    Parameter("reduction_cutoffs", 1157, 0, 3000, 150),
    # Reduced more if the next ply has had more beta cutoffs than this
    Parameter("reduction_cutoffs_number", 2, 0, 20, 1),
    Parameter("reduction_history", 10097, 1000, 32000, 800),  # history values for a ply
    Parameter("reduction_root", 383, 0, 1024, 60),  # 1024ths left of a reduction at the root
    Parameter("deeper_margin", 40, 0, 1000, 5),
    Parameter("shallower_margin", 9, 0, 100, 2),
    Parameter("lmp_depth", 8, 0, 16, 1),
    Parameter("lmp_base", 5, 1, 20, 1),
    Parameter("futility_depth", 9, -1, 16, 1),
    Parameter("futility_base", 94, 0, 300, 15),
    Parameter("futility_slope", 83, 20, 300, 10),
    Parameter("history_pruning_depth", 4, -1, 10, 1),
    Parameter("history_pruning_slope", 5058, 500, 16000, 400),
    Parameter("see_pruning_depth", 9, 0, 16, 1),
    Parameter("see_quiet_slope", 29, 5, 100, 4),
    Parameter("see_noisy_slope", 92, 20, 200, 8),
    # 1: all of them; 0: one quiet move after one that avoids mate
    Parameter("quiescence_evasions", 0, 0, 1, 1),
    Parameter("quiescence_margin", 250, 50, 400, 20),
    Parameter("history_slope", 334, 50, 800, 20),
    Parameter("history_offset", 140, 0, 800, 20),
    Parameter("history_bonus", 1926, 500, 6000, 120),
    Parameter("history_beta_margin", 63, 0, 500, 15),
    Parameter("threat_bonus", 15949, 0, 32000, 1000),  # history values, here and below
    Parameter("check_bonus", 10275, 0, 32000, 1000),
    Parameter("correction_weight", 96, 0, 200, 8),  # 16384ths of a unit for a history value
    # Time management; hundredths, if nothing else is said.
    Parameter("time_moves", 20, 5, 60, 2),  # moves that a clock with an increment has to last for
    Parameter("time_moves_without_increment", 30, 10, 80, 3),
    Parameter("time_increment_share", 85, 0, 100, 5),  # of the increment, for the move
    Parameter("time_optimum", 100, 20, 300, 8),  # of a move's share of the clock
    Parameter("time_maximum", 300, 100, 1000, 25),  # of the same
    Parameter("time_clock_share", 35, 5, 90, 3),  # of the clock: the most for one of several moves
    # Kept in case the machine stalls: this share of the clock, within two bounds in milliseconds
    Parameter("time_reserve_share", 30, 0, 90, 3),
    Parameter("time_least_reserve", 50, 0, 500, 5),
    Parameter("time_reserve", 150, 0, 1000, 15),
    Parameter("time_stability_0", 150, 50, 300, 8),  # of the optimum, if the best move is new,
    Parameter("time_stability_1", 120, 50, 300, 8),  # has stood for one depth more,
    Parameter("time_stability_2", 100, 50, 300, 8),
    Parameter("time_stability_3", 90, 50, 300, 8),
    Parameter("time_stability_4", 85, 50, 300, 8),  # or for at least four
    Parameter("time_effort_base", 170, 100, 300, 8),
    Parameter("time_effort_slope", 120, 0, 200, 8),  # by the share of nodes spent on the best move
    Parameter("time_drop_scale", 120, 20, 1000, 10),  # units of a fall that double the optimum
    Parameter("time_drop_least", 90, 10, 100, 5),
    Parameter("time_drop_most", 140, 100, 300, 8),
    Parameter("time_forced", 5, 0, 100, 2),  # of the optimum, for the only move
)


def default_parameters() -> dict[str, int]:
    """Return the default of every parameter by its name."""
    return {parameter.name: parameter.default for parameter in PARAMETERS}
