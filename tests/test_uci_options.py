"""Options: found in any case, kept within bounds, and clear about what they refuse."""

import pytest

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
    assert find("Hash").announcement() == "option name Hash type spin default 16 min 1 max 1048576"
    assert find("Clear Hash").announcement() == "option name Clear Hash type button"
    assert find("UCI_Chess960").announcement() == "option name UCI_Chess960 type check default false"
