"""Training of the evaluation network; docs/evaluation.md describes it.

Reading order: recipe, game_kernel (a self-play game), positions (what is learned from), games (the
files), generate, position_file, trainer (it quantises and verifies too), pipeline, command_line.
Beside them: first_network, from which training from nothing begins; wdl_fit, of the win/draw/loss
model; tree_positions and tree_error, by which networks are compared.
"""
