"""The rules of chess and the evaluation of a position.

Reading order: board, kernels (how functions are compiled, stored and linked), network_file, layouts
(every record), magics and constants, attacks, zobrist, move, generator, legality, make, see,
scores, position (and game), fen_reader, fen, perft; accumulator and network (the evaluation);
random_games and key_quality (of the Zobrist keys); memory (how much there is, and large blocks of
it) and version.
"""
