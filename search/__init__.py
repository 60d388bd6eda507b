"""Which move, and why.

Reading order: limits (what is asked and told), parameters (every tunable number), worker (all state of one thread), history,
picker (move ordering), pruning (one predicate an idea), node, quiescence, negamax (the node function), clock, searcher.
"""
