"""Perft positions of the project's own making: FEN and leaves at depths 1 to 4.

Each is from a random legal game, often early in it or where a pawn can be taken in passing.
Stockfish and python-chess agree on every count.
"""

STANDARD = {
    "rnbqkbnr/ppp1ppp1/3p4/7p/8/1PN5/P1PPPPPP/R1BQKBNR w KQkq - 0 3": (23, 641, 16153, 457081),
    "rnbqkbnr/pppp1p1p/4p1p1/8/3P3P/8/PPPKPPP1/RNBQ1BNR b kq - 0 3": (31, 716, 22035, 563809),
    "r3k1r1/2p4p/3n2P1/P4p1P/P1pP3N/2B2p1n/6b1/R3K3 b Qq d3 0 36": (33, 617, 19652, 402586),
    "rnb2knr/2pp3p/4pPp1/pp6/1P3P2/b3P3/P1PQ3P/R3KBNR b KQ - 0 15": (24, 810, 20010, 666371),
    "rn2kr2/5p2/3b2Pp/p1pPp3/4N3/PPpbP3/8/R3K2R b KQq - 0 29": (27, 696, 18245, 473462),
    "r1bqkbnr/1ppp1p2/2n3pp/p3p3/4PPP1/3P4/PPP1N2P/R1BQKBNR b KQkq - 0 6": (32, 756, 23863, 619522),
    "r4bkr/4p1Np/4P2n/pPp1Ppp1/1p2BPPP/B7/Q7/3qK2R w K - 0 32": (2, 56, 1921, 52421),
    "rnbqkbnr/2ppp1pp/p4p2/8/8/p1P1P3/1PNP1PPP/R1BQKBNR w KQkq - 0 6": (32, 581, 18960, 397419),
    "br3knr/8/5B2/pp3p2/P2P1P1p/2p1P3/2P5/R3K2R w KQ - 1 40": (26, 555, 13604, 322322),
    "5rk1/1r4b1/p1p1p1Pn/P1P5/Rp5P/1P6/3N4/1K5R b - - 2 45": (32, 610, 19154, 387203),
    "rnbqkb1r/ppppppp1/5n1p/8/1P6/B7/P1PPPPPP/RN1QKBNR w KQkq - 0 3": (19, 436, 9418, 226030),
    "rnbqkbnr/pp1p2pp/5p2/2p1p3/6P1/7P/PPPPPP2/RNBQKBNR w KQkq - 0 4": (19, 477, 10322, 273872),
    "1nbk1b1r/r1ppnp1p/pp6/3p2P1/2PP4/2P1P3/P3K1PP/R1BQ1BNR b - - 0 11": (22, 597, 14278, 409640),
    "rnbqk2r/1ppp1ppp/p3pn2/8/1P3P2/b6P/2PPPNP1/RNBQKB1R b KQkq - 0 6": (28, 622, 18431, 452461),
    "r2qk2r/pppbb3/5p2/4p2p/1P2PP1p/1P6/N1PP3P/R1B1K1NR b KQkq - 0 16": (32, 599, 19855, 400164),
    "rnbqkbnr/p1pp1p1p/4p3/1p1N2p1/P5P1/8/1PPPPP1P/R1BQKBNR b KQkq - 1 4": (29, 829, 22388, 637679),
    "rn1q1b1r/2pk1ppp/p6n/4p3/1P2PP2/2p5/1P1PN1PP/RNB1KB1R w KQ - 0 11": (26, 836, 21838, 715638),
    "r2k4/7P/4p3/1bN5/5n2/4np2/6p1/6K1 b - - 0 54": (37, 463, 12875, 154623),
    "rn1qkbnr/1pp1p1pp/4b3/pP1p4/7P/N2PP2N/P1P1pPP1/R1BQK2R b KQkq - 0 12": (
        31,
        730,
        23281,
        590081,
    ),
    "r6B/8/2P1k1BN/1pp5/p7/P5P1/R2K4/5b1R w - - 2 44": (37, 691, 25570, 465698),
}

CHESS960 = {
    "rnkr1bb1/pppp1p1q/3n4/4pPp1/6Pp/P2PP3/1PP4P/RNKRNBBQ w KQkq e6 0 7": (27, 680, 18586, 497213),
    "rBb3kr/7R/3Q4/p7/P4p2/5P2/2P3K1/1B4R1 w - - 17 50": (50, 531, 22194, 308968),
    "1rr1N2b/p7/2k2pp1/1p4P1/P2P1n1p/2PP3P/R1KBb3/4r1Q1 w - - 6 42": (27, 817, 21366, 685859),
    "3r4/rk3N2/6n1/P7/1P1p2b1/3P3n/1K6/2R5 w - - 5 52": (28, 853, 21132, 650094),
    "1k6/p2N4/1P6/4P2p/P1pR1P1P/8/1b6/4K1Rn b - - 6 47": (3, 86, 1092, 29516),
    "rqbkrn1b/pppppp1p/7n/6p1/8/4P3/PPPP1PPP/RQBKRNNB b KQkq - 1 3": (24, 502, 13084, 291738),
    "1r2b2r/n2p3k/7p/PP2b3/1p1pP2p/1N1N3P/4P1Q1/R2B1K1R w KQ - 1 41": (37, 837, 29943, 741872),
    "qb1nrkrn/ppp2p1p/8/3ppbp1/7P/2P2PP1/PP1PP3/QBBNRKRN w KQkq - 1 5": (24, 769, 19114, 600898),
    "2r5/2k1b3/2b4P/6p1/1p1P1PP1/2R2N2/K2N4/3R1B2 b - - 8 43": (21, 722, 17425, 604452),
    "3qrknr/p1n5/bp5p/3pPpP1/1p1b4/PN4PP/2PB4/3BRKNR w KQkq - 0 23": (5, 196, 5376, 207337),
}
