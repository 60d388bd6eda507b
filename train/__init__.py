"""Training of the evaluation network; docs/evaluation.md describes it.

Reading order: recipe, game_kernel (a self-play game), training_game, positions (what is learned from), games (the files),
generate, check, gradient and trainer, quantise, verify, gate, pipeline, display, command_line. Beside them: piece_square and
wdl, fits of the first evaluation and of the win-draw-loss model; convert, for files of an older form.
"""
