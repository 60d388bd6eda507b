"""Which move, and why.

Reading order: limits (limits, reports and results), parameters (every tunable number), worker (the
state of one thread), evaluation, history (what it learns), threats and move_picker (move ordering),
pruning and reductions, node, quiescence, negamax (the node function), iterative_deepening and
lazy_smp (helper threads), time_management, skill, searcher; book and tablebase at the root; and
wdl, the probabilities that a score stands for.
"""
