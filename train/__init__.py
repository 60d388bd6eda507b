"""Training of the evaluation network; docs/evaluation.md describes it.

Reading order: recipe, game_kernel (a self-play game), positions (what is learned from), games (the
files), generate, trainer (it quantises and verifies too), pipeline, command_line; beside them fits,
of the first evaluation and of the win-draw-loss model.
"""
