"""Damaged networks, books and kernel files are refused in words, or are as good as before."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from zobra.engine.fen import START, parse_fen
from zobra.engine.kernels import kernel_set
from zobra.engine.kernels.kernel_set import ObjectCode, read_set, write_set
from zobra.engine.network_file import BUILT_IN, NetworkError, read_network
from zobra.search.book import ENTRY, Book

TRIES = [40, pytest.param(3_000, marks=pytest.mark.slow)]


def damage(content: bytes, tries: int) -> Iterator[bytes]:
    """The content with a few bytes changed, cut out, put in or doubled, or cut off."""
    source = random.Random(1)
    for _ in range(tries):
        text = bytearray(content)
        for _ in range(source.randint(1, 4)):
            head = min(len(text), 300)  # where the facts are
            start = source.randrange(max(1, source.choice([len(text), head])))
            length = source.choice([1, 1, 2, 16, 1000])
            kind = source.choice(["change", "cut out", "put in", "cut off"])
            if kind == "change":
                text[start : start + length] = source.randbytes(min(length, len(text) - start))
            elif kind == "cut out":
                del text[start : start + length]
            elif kind == "put in":
                text[start:start] = text[start : start + length] or b"\0"
            else:
                del text[start:]
        yield bytes(text)


@pytest.mark.parametrize("tries", TRIES)
def test_networks(tmp_path, tries):
    weights = read_network(BUILT_IN).rows
    path = tmp_path / "x.network"
    for content in damage(BUILT_IN.read_bytes(), tries):
        path.write_bytes(content)
        try:
            rows = read_network(path).rows
        except NetworkError as error:
            assert str(path) in str(error)
            assert str(error).isprintable()
        else:
            assert np.array_equal(rows, weights)  # only facts in the head may differ


@pytest.mark.parametrize("tries", TRIES)
def test_books(tmp_path, tries):
    position = parse_fen(START)
    legal = position.legal_moves()
    key = position.key
    known = [(key, 796 + step, 5, 0) for step in range(40)]
    entries = np.array([(key - 1, 0, 1, 0), *known, (key + 1, 7, 7, 7)], ENTRY)
    path = tmp_path / "x.bin"
    for content in damage(entries.tobytes(), tries):
        path.write_bytes(content)
        book = Book(lambda text: None, random.Random(1))
        try:
            book.open(str(path))
        except ValueError as error:
            assert str(path) in str(error)
        found = book.choose(position, legal)
        assert found is None or found.move in legal


@pytest.mark.parametrize("tries", TRIES)
def test_kernel_files(tmp_path, tries, monkeypatch):
    path = tmp_path / "x.kernels"
    kernels = {
        f"f{number}": ObjectCode(f"cfunc.f{number}", ("NRT_Free",), bytes(range(50)))
        for number in range(4)
    }
    write_set(path, kernels)
    good = path.read_bytes()
    assert read_set(path) == kernels
    monkeypatch.setattr(kernel_set, "notices", [])
    for content in damage(good, tries):
        path.write_bytes(content)
        assert read_set(path) == (kernels if content == good else {})
    (notice,) = kernel_set.notices
    assert str(tmp_path) in notice
