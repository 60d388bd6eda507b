"""Damaged networks, books and kernel files are refused in words, or are as good as before."""

import random

import numpy as np
import pytest

from zobra.engine.fen import START, parse_fen
from zobra.engine.kernels.kernel_file import ObjectCode, pack, unpack
from zobra.engine.network_file import BUILT_IN, NetworkError, read_network
from zobra.search.book import ENTRY, Book

TRIES = [
    pytest.param(range(100), id="few"),
    pytest.param(range(100, 3_400), id="many", marks=pytest.mark.slow),
]


def damaged(content: bytes, source: random.Random) -> bytes:
    """The content with a few bytes changed, cut out, put in or doubled, or cut off."""
    text = bytearray(content)
    for _ in range(source.randint(1, 4)):
        start = source.randrange(max(1, source.choice([len(text), min(len(text), 300)])))
        length = source.choice([1, 1, 2, 16, 1000])
        kind = source.randrange(4)
        if kind == 0:
            text[start : start + length] = source.randbytes(min(length, len(text) - start))
        elif kind == 1:
            del text[start : start + length]
        elif kind == 2:
            text[start:start] = text[start : start + length] or b"\0"
        else:
            del text[start:]
    return bytes(text)


@pytest.mark.parametrize("seeds", TRIES)
def test_networks(tmp_path, seeds):
    good, weights, path = BUILT_IN.read_bytes(), read_network(BUILT_IN).rows, tmp_path / "x.network"
    for seed in seeds:
        path.write_bytes(damaged(good, random.Random(seed)))
        try:
            assert np.array_equal(
                read_network(path).rows, weights
            )  # only facts in the head may differ
        except NetworkError as error:
            assert str(path) in str(error) and str(error).isprintable()


@pytest.mark.parametrize("seeds", TRIES)
def test_books(tmp_path, seeds):
    position, path = parse_fen(START), tmp_path / "x.bin"
    key = 0x463B96181691FC9C  # of the start position
    entries = [
        (key - 1, 0, 1, 0),
        *((key, 796 + step, 5, 0) for step in range(40)),
        (key + 1, 7, 7, 7),
    ]
    good, legal = np.array(entries, ENTRY).tobytes(), position.legal_moves()
    for seed in seeds:
        path.write_bytes(damaged(good, random.Random(seed)))
        book = Book(lambda text: None, random.Random(seed))
        try:
            book.open(str(path))
        except ValueError as error:
            assert str(path) in str(error)
        found = book.choose(position, legal)
        assert found is None or found.move in legal


@pytest.mark.parametrize("seeds", TRIES)
def test_kernel_files(seeds):
    kernels = {
        f"f{number}": ObjectCode(f"cfunc.f{number}", ("NRT_Free",), bytes(range(50)))
        for number in range(4)
    }
    good = pack("0123456789abcdef", "native", kernels)
    assert unpack(good, "0123456789abcdef", "native") == kernels
    for seed in seeds:
        content = damaged(good, random.Random(seed))
        try:
            assert unpack(content, "0123456789abcdef", "native") == kernels
        except ValueError as error:
            assert str(error)
