"""How the evaluation learns; docs/evaluation.md has the whole.

Reading order: recipe (every number), game_kernel (a game of self-play), games (the files), generate, positions (what is learned
from), check, view, gradient and trainer, quantise, verify, bench, pipeline (the chain), display, command_line. Apart from them:
piece_square and win_draw_loss, which fit the first evaluation and the meaning of scores to the same games.
"""
