"""Finding the move to play.

Reading order: engine (behind every interface) with options, jobs (its thread), listener and player
(what it plays with: followed_game, book, tablebase, searcher). Then limits (limits, reports and
results), parameters (the tunable numbers), worker (the state of one thread) and root (the root
moves), evaluation, draw, history (what it learns), threats and move_picker (move ordering), pruning
and reductions, node, quiescence, negamax (the node function), iterative_deepening and lazy_smp
(helper threads), time_management, skill, current_move, bench with bench_conditions; and wdl, the
probabilities that a score stands for.
"""
