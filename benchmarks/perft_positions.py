"""The positions whose moves are counted for time, each with the depth to count to."""

from __future__ import annotations

from zobra.engine.fen import START

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
POSITIONS = {"start": (START, 6), "Kiwipete": (KIWIPETE, 5)}
