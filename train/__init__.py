"""Training of the evaluation network; docs/evaluation.md describes it.

Reading order: recipe, game_kernel (a self-play game), positions (what is learned from), games (the
files), generate, position_file, trainer (it quantises and verifies too), pipeline, command_line.
Beside them: fits, of the first evaluation and of the win-draw-loss model; tree_positions and
tree_error, by which networks are compared.
"""
