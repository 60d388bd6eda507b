"""Training of the evaluation network; docs/evaluation.md describes it.

Reading order: recipe, game_kernel (a self-play game), positions (what is learned from), games (the files), generate, check,
gradient and trainer, quantise (which verifies too), pipeline, command_line. Beside them: fits, of the first
evaluation and of the win-draw-loss model; import_games, for games from elsewhere.
"""
