"""Options: found in any case, kept within bounds, and clear about what they refuse."""

import pytest

from zobra.search.skill import HIGHEST, LOWEST, MAX_SKILL
from zobra.uci.options import OPTIONS, find


def test_every_option_is_found_in_any_case():
    for option in OPTIONS:
        assert find(option.name.upper()) is option
    with pytest.raises(ValueError, match="no option 'Contempt'"):
        find("Contempt")


def test_a_spin_stays_within_its_bounds():
    option = find("Hash")
    assert option.read("32") == ("32", None)
    value, remark = option.read("0")
    assert value == "1" and "not to 0" in str(remark)
    with pytest.raises(ValueError, match="Hash is a number"):
        option.read("many")
    with pytest.raises(ValueError, match="Hash is a number"):
        option.read(None)


def test_a_check_is_true_or_false():
    assert find("UCI_Chess960").read("TRUE") == ("true", None)
    with pytest.raises(ValueError, match="true or false"):
        find("UCI_Chess960").read("maybe")


def test_announcements_have_the_form_that_guis_parse():
    assert find("Hash").announcement() == "option name Hash type spin default 32 min 1 max 1048576"
    assert find("Clear Hash").announcement() == "option name Clear Hash type button"
    assert find("UCI_Chess960").announcement() == "option name UCI_Chess960 type check default false"
    assert find("UCI_Opponent").announcement() == "option name UCI_Opponent type string default <empty>"


def test_a_string_may_be_empty_and_hold_spaces():
    option = find("UCI_Opponent")
    assert option.read("GM 2800 human Gary Kasparov") == ("GM 2800 human Gary Kasparov", None)
    assert option.read("<empty>") == option.read(None) == ("", None)


def test_bounds_are_those_of_the_search():
    assert (find("UCI_Elo").low, find("UCI_Elo").high) == (LOWEST, HIGHEST)
    assert (find("Skill Level").low, find("Skill Level").high) == (0, MAX_SKILL)


def test_every_default_is_a_value():
    for option in OPTIONS:
        if option.kind != "button":
            assert option.read(option.default) == (option.default, None)
