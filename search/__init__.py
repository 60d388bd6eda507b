"""Which move, and why.

Reading order: limits (what is asked and told), parameters (every tunable number), worker (all state of one thread), evaluation,
history and correction (what it learns), threats and picker (move ordering), pruning and reductions (one predicate an idea),
node, quiescence, negamax (the node function), time_management, iterative_deepening, lazy_smp (threads),
skill, searcher; and wdl, which says what a score is worth.
"""
