"""Option lines of engines: what python-chess reads stays, all else takes any text."""

import pytest

from zobra.arena.formats.uci_option import readable_option


@pytest.mark.parametrize(
    "line",
    [
        "option name Hash type spin default 16 min 1 max 64",
        "option name Clear Hash type button",
        "option name Ponder type check default false",
        "option name Style type combo default solid var solid var very wild",
        "option name Path type string default <empty>",
        "option name Path type string",
        "option name Path type string default a max b",
    ],
)
def test_good_lines_stay(line):
    assert readable_option(line) == line


@pytest.mark.parametrize(
    ("line", "readable"),
    [
        ("option", ""),
        ("option name", ""),
        ("option Hash", ""),
        ("option name Book default false", "option name Book type string default false"),
        ("option name Path type string empty", "option name Path type string default"),
        ("option name A B type spin default x", "option name A B type string default x"),
        ("option name A type spin min 1 max 9", "option name A type string default"),
        ("option name A type spin default 1.5 min 1", "option name A type string default 1.5"),
        ("option name A type spin default 0 min 1", "option name A type string default 0"),
        ("option name A type combo default b var c", "option name A type string default b"),
        ("option name A type fruit default b", "option name A type string default b"),
    ],
)
def test_other_lines_become_texts(line, readable):
    assert readable_option(line) == readable
