"""The rules of chess and the worth of a position.

Reading order: board, bit tricks and compilation (jit, kernel_cache), layouts (every record), magics and tables (constants),
attacks, zobrist, move, generator, legality, make, exchange, scores, material, position, fen,
game, perft; accumulator and network (the evaluation), piece_square (the one before it).
"""
