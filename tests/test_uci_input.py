"""Bytes to lines."""

import pytest

from zobra.uci.input import decode, read_lines


def lines_of(*chunks: bytes) -> list[str]:
    source = iter([*chunks, b""])
    return [line for line in read_lines(lambda: next(source)) if line]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r", b"\n\n\r"])
def test_lines_end_in_any_way(end):
    assert lines_of(b"uci" + end + b"isready" + end) == ["uci", "isready"]


def test_lines_may_come_in_pieces():
    assert lines_of(b"u", b"c", b"i\nisre", b"ady\nquit") == ["uci", "isready", "quit"]


def test_a_letter_may_be_cut_in_two():
    text = "setoption name BookFile value /ö/ñ.bin"
    data = text.encode()
    cut = data.index("ö".encode()) + 1
    assert lines_of(data[:cut], data[cut:] + b"\n") == [text]


def test_what_is_not_utf_8_is_latin_1():
    assert decode("/Übungen".encode("latin-1")) == "/Übungen"
    assert decode(bytes(range(128, 256))) == bytes(range(128, 256)).decode("latin-1")
