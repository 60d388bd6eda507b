"""From games to an evaluation network. docs/evaluation.md describes the commands and the recipes.

The modules, in the order in which pipeline.py uses them:

    recipe           the numbers, with their meanings, defaults and ranges
    first_network    a network computed from the values of pieces, which plays the first games
    game_kernel      one game of self-play, in one call of a kernel
    self_play        all games of a recipe, by many threads
    games            the files of games, called shards
    provenance       the version and the commit that played or trained
    positions        the quiet positions of a game, 32 bytes each, by replaying it
    check            statistics of the games, and faults that would spoil the training
    position_file    all positions in one file, mapped into memory
    gradient         the loss, its gradient, and a step of AdamW
    trainer          epochs and batches, by many threads
    float_network    the weights during training, and their quantisation
    verify           integers against floats, kernels against plain arithmetic
    pipeline         all of it, and a match against the network that played the games
    command_line     the commands `zobra train …`

In addition, import_pgn converts PGN files to training games, wdl_fit fits the win/draw/loss model,
and tree_positions and tree_error compare networks on positions of search trees.
"""
