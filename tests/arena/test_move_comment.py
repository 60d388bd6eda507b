"""Comments of moves: a value is what the whole of a known form says, and nothing is made up."""

import pytest

from zobra.arena.formats.move_comment import MoveComment, read_comment


@pytest.mark.parametrize(
    ("comment", "values"),
    [
        ("+0.31/12 0.50s", {"score": 31, "depth": 12, "milliseconds": 500}),
        ("-1.15/19, 0.609s", {"score": -115, "depth": 19, "milliseconds": 609}),
        ("0.00/1", {"score": 0, "depth": 1}),
        ("+M5/9 12ms", {"mate": 3, "depth": 9, "milliseconds": 12}),
        ("-M4/0 0.1s", {"mate": -2, "milliseconds": 100}),
        ("+0.31/12 3", {"score": 31, "depth": 12, "milliseconds": 3000}),
        ("(Nf6 d4) +0.31/12 3", {"score": 31, "depth": 12, "milliseconds": 3000}),
        (
            "-0.57 17/22 520 671767",
            {"score": -57, "depth": 17, "seldepth": 22, "milliseconds": 520, "nodes": 671_767},
        ),
        (
            '+0.1/5 0.2s, n=99, sd=8, pv="e2e4 e7e5"',
            {"score": 10, "depth": 5, "seldepth": 8, "milliseconds": 200, "nodes": 99},
        ),
        ("0.2s, n=9", {"milliseconds": 200, "nodes": 9}),
        ("book", {}),
        # of a form that is not known only the beginning is believed
        ("+0.57/17 28 583 363004", {"score": 57, "depth": 17}),
        ("+0.57/17 0:03", {"score": 57, "depth": 17}),
    ],
)
def test_forms_of_match_programs(comment, values):
    assert read_comment(comment) == MoveComment(text=read_comment(comment).text, **values)
    extended = read_comment(f"[%clk 0:01:00] {comment}, Draw by 3-fold repetition")
    assert extended == MoveComment(text=extended.text, **values)


@pytest.mark.parametrize(
    "comment",
    [
        "",
        "Draw agreed 1/2-1/2",
        "as in the season 2019/20",
        "2019/20",
        "1/2",
        "+5/12",
        "the position is +0.31/12",
        "+0.31",
        "+0.31/12abc",
        "+0.31/12/3",
        "1.e4/2.d4",
        "12.5%",
        "booked",
        "n=7",
    ],
)
def test_other_comments_have_no_values(comment):
    assert read_comment(comment) == MoveComment(text=comment)


@pytest.mark.parametrize(
    ("comment", "text"),
    [
        ("+0.31/12 0.50s, White mates", "White mates"),
        ("-1.50/7 2s, White makes an illegal move: a1/3", "White makes an illegal move: a1/3"),
        ("+0.31/12 0.50s good", "good"),
        ("book", ""),
        ("0.2s, n=9, bold", "bold"),
        ("[%clk 0:01:00] good", "[%clk 0:01:00] good"),
        ("good", "good"),
    ],
)
def test_what_a_comment_says_besides(comment, text):
    assert read_comment(comment).text == text
