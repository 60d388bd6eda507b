"""Sessions with real engine processes: moves, levels, hints, draws, clocks, and failures."""

import asyncio
import io
import os
import shutil
import signal
import sys
from dataclasses import replace

import chess
import chess.pgn
import pytest

from tests.support.arena_runs import SCRIPTED, any_alive
from tests.support.play_sessions import LEVELS, QUICK, first_move, in_session, material, until
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.play.analysis import OwnFiles
from zobra.arena.play.new_game import DEFAULT_ELO, NewGame
from zobra.arena.play.session import Session

HANGING_QUEEN = "rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 4"
needs_proc = pytest.mark.skipif(
    not os.path.isdir("/proc"), reason="finds the engine's process by /proc"
)


def read(path) -> chess.pgn.Game:
    return chess.pgn.read_game(io.StringIO(path.read_text()))


async def play(session, text: str) -> None:
    """Play a move, and wait for the answer."""
    session.move(text)
    await until(lambda: session.game.human_to_move)


async def analyse(session) -> None:
    """Analyse the game, and wait for the page."""
    analysis = session.analyse()
    await until(lambda: analysis.page or analysis.problem)
    assert not analysis.problem


def kill_engine(pids) -> None:
    """Kill the only engine that has left its process id in the folder."""
    os.kill(int(next(pids.iterdir()).name), signal.SIGKILL)


def test_the_engine_answers_and_the_game_is_kept(tmp_path):
    async def story(session):
        session.move("e4")
        assert session.thinking
        with pytest.raises(ValueError, match="not your turn"):
            session.move("d4")
        await until(lambda: session.game.human_to_move)
        assert not session.thinking
        assert len(session.game.moves) == 2
        with pytest.raises(ValueError, match="not legal"):
            session.move("e4")
        session.move("d4")
        await until(lambda: session.game.human_to_move)

    session = in_session(first_move(), tmp_path / "games", story)
    game = read(session.file)
    assert session.file.parent == tmp_path / "games"
    assert game.headers["Result"] == "*"
    assert len(list(game.mainline())) == 4
    assert game.headers["Black"] == "Scripted"


def test_a_game_without_moves_leaves_no_file(tmp_path):
    async def story(session):
        session.new_game(NewGame(elo=None, time=QUICK))

    assert in_session(first_move(), tmp_path / "games", story).file is None
    assert not (tmp_path / "games").exists()


def test_a_game_that_is_resigned_at_once_is_kept(tmp_path):
    async def story(session):
        session.resign()

    session = in_session(first_move(), tmp_path / "games", story)
    game = read(session.file)
    assert game.headers["Result"] == "0-1"
    assert game.next() is None
    assert [path.name for path in session.file.parent.iterdir()] == [session.file.name]


def test_each_game_has_a_file_of_its_own(tmp_path):
    async def story(session):
        for _ in range(3):
            session.move("e4")
            await until(lambda: session.game.human_to_move)
            session.resign()
            session.new_game(NewGame(elo=None, time=QUICK))

    in_session(first_move(), tmp_path, story)
    games = [read(path) for path in sorted(tmp_path.glob("*.pgn"))]
    assert [game.headers["Result"] for game in games] == ["0-1"] * 3
    assert "by resignation" in games[0].end().comment


def test_a_game_that_goes_on_after_its_end_has_another_file(tmp_path):
    async def story(session):
        await play(session, "e4")
        await play(session, "d4")
        session.resign()
        ended = session.file
        session.take_back()
        await play(session, "c4")
        assert session.file != ended
        assert read(ended).headers["Result"] == "0-1"
        assert [move.uci() for move in read(ended).mainline_moves()][2] == "d2d4"
        assert read(session.file).headers["Result"] == "*"
        assert [move.uci() for move in read(session.file).mainline_moves()][2] == "c2c4"

    in_session(first_move(), tmp_path, story)


def test_a_game_that_cannot_be_saved_goes_on(tmp_path):
    (tmp_path / "games").write_text("a file, not a folder")

    async def story(session):
        session.move("e4")
        await until(lambda: session.game.human_to_move)
        assert "cannot be saved" in session.problem

    in_session(first_move(), tmp_path / "games", story)


def test_the_engine_begins_where_it_has_white(tmp_path):
    async def story(session):
        await until(lambda: session.game.human_to_move)
        assert session.game.human == chess.BLACK
        assert len(session.game.moves) == 1

    in_session(first_move(), tmp_path, story, NewGame("black", time=QUICK))


def test_take_back_stops_an_engine_that_thinks(tmp_path):
    async def story(session):
        session.move("e4")
        await asyncio.sleep(0.2)
        assert session.thinking
        session.take_back()
        assert not session.thinking
        assert not session.game.moves
        session.move("d4")
        await until(lambda: session.game.human_to_move)
        assert session.game.moves[0].move.uci() == "d2d4"
        assert len(session.game.moves) == 2

    in_session(first_move("--late", "1", "--late-ms", "600"), tmp_path, story)


def test_levels_are_sent_to_the_engine_and_checked(tmp_path):
    log = tmp_path / "log"

    async def story(session):
        assert session.opponent.levels() == (1000, 2600)
        assert session.game.elo == 1500
        assert session.game.opponent == "Scripted (1500)"
        session.new_game(NewGame(elo=1600, time=QUICK))
        session.move("e4")
        await until(lambda: session.game.human_to_move)
        assert "setoption name UCI_Elo value 1600" in log.read_text()
        for elo in (999, 2601):
            with pytest.raises(ValueError, match="plays at 1000 to 2600, or full"):
                session.new_game(NewGame(elo=elo))
        session.new_game(NewGame("black", None, QUICK))
        await until(lambda: session.game.human_to_move)
        assert session.game.opponent == "Scripted"

    in_session(first_move("--log", str(log), *LEVELS), tmp_path / "games", story)
    lines = log.read_text().splitlines()
    assert lines.index("setoption name UCI_LimitStrength value true") < lines.index(
        "setoption name UCI_LimitStrength value false"
    )


def test_an_engine_has_the_name_that_it_was_given(tmp_path):
    async def story(session):
        assert session.opponent.name == "Rival"
        assert session.game.opponent == "Rival"

    in_session(replace(first_move(), name="Rival"), tmp_path, story)


def test_an_engine_without_levels_plays_at_full_strength(tmp_path):
    async def story(session):
        assert session.opponent.levels() is None
        assert session.game.elo is None
        with pytest.raises(ValueError, match="has no levels"):
            session.new_game(NewGame(elo=1800))

    in_session(first_move(), tmp_path, story)


def test_a_level_that_was_asked_for_is_refused_by_an_engine_without_levels(tmp_path):
    async def story() -> None:
        session = Session(first_move(), tmp_path)
        try:
            with pytest.raises(ValueError, match="has no levels"):
                await session.start(NewGame(elo=DEFAULT_ELO), adapt_level=False)
        finally:
            await session.close()

    asyncio.run(story())


def test_chess960_is_refused_by_an_engine_that_does_not_play_it(tmp_path):
    async def refused(session):
        with pytest.raises(ValueError, match="does not play Chess960"):
            session.new_game(NewGame(elo=None, chess960=True))
        assert session.number == 1

    async def played(session):
        session.new_game(NewGame("black", None, QUICK, chess960=True, number=0))
        await until(lambda: session.game.human_to_move)

    in_session(material(), tmp_path, refused)
    in_session(first_move(), tmp_path, played)


def test_a_hint_is_the_best_move(tmp_path):
    async def story(session):
        session.ask_for_hint()
        await until(lambda: not session.waits_for_hint)
        assert session.hint_san == "Nxd5"
        assert not session.evaluates
        session.move("Nxd5")
        assert session.hint is None
        with pytest.raises(ValueError, match="your turn"):
            session.ask_for_hint()

    in_session(material(), tmp_path, story, NewGame(elo=None, time=QUICK, fen=HANGING_QUEEN))


def test_evaluation_has_lines_for_each_turn_of_the_person(tmp_path):
    async def story(session):
        session.evaluate(True)
        await until(lambda: session.advised_ply == 0)
        assert len(session.advice) == 3
        assert session.advice[0].moves[0].uci() == "c3d5"
        session.ask_for_hint()
        await until(lambda: session.hint is not None)
        session.move("Nxd5")
        await until(lambda: session.advised_ply == 2)
        session.evaluate(False)
        assert not session.evaluates

    in_session(material(), tmp_path, story, NewGame(elo=None, time=QUICK, fen=HANGING_QUEEN))


@pytest.mark.parametrize(
    ("score", "mate", "move_number", "taken"),
    [
        (-200, None, 2, True),
        (0, None, 2, False),
        (0, None, 30, True),
        (50, None, 30, False),
        (None, -3, 2, True),
        (None, 3, 30, False),
        (None, None, 30, False),
    ],
)
def test_the_engine_takes_a_draw_by_its_score(tmp_path, score, mate, move_number, taken):
    fen = f"4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 {move_number}"

    async def story(session):
        await until(lambda: session.game.human_to_move)
        session.game.moves[-1] = PlayedMove(session.game.moves[-1].move, score, mate)
        session.offer_draw()
        if taken:
            assert session.game.ending_text == "Draw by agreement"
        else:
            assert "declines" in session.notice
            with pytest.raises(ValueError, match="have already offered a draw"):
                session.offer_draw()

    in_session(first_move(), tmp_path, story, NewGame(time=QUICK, fen=fen))


def test_a_draw_can_be_offered_again_after_another_move(tmp_path):
    async def story(session):
        await play(session, "e4")
        session.offer_draw()
        session.take_back()
        await play(session, "d4")
        session.offer_draw()
        assert "declines" in session.notice

    in_session(first_move(), tmp_path, story)


def test_draws_and_resignations_have_their_time(tmp_path):
    async def story(session):
        session.move("e4")
        with pytest.raises(ValueError, match="when it is your turn"):
            session.offer_draw()
        session.resign()
        assert session.game.ending_text == "Scripted wins by resignation"
        assert not session.thinking
        for command in (session.resign, session.offer_draw, lambda: session.move("e5")):
            with pytest.raises(ValueError, match="the game is over"):
                command()

    in_session(first_move(), tmp_path, story)


def test_the_person_loses_on_time_but_the_first_move_is_free(tmp_path):
    async def story(session):
        await asyncio.sleep(0.5)
        session.move("e4")
        await until(lambda: session.game.human_to_move)
        assert session.game.clocks()[chess.WHITE].remaining_ms == 300
        await until(lambda: session.game.ending is not None)
        assert session.game.ending_text == "Scripted wins on time"
        assert session.game.clocks()[chess.WHITE].remaining_ms == 0
        session.take_back()
        assert session.game.clocks()[chess.WHITE].remaining_ms == 300
        assert "goes on from before your last move, with the clocks" in session.notice

    in_session(first_move(), tmp_path, story, NewGame(time="0.3+0"))


def test_an_engine_loses_on_time(tmp_path):
    async def story(session):
        session.move("e4")
        await until(lambda: session.game.ending is not None)
        assert session.game.ending_text == "You win on time"

    engine = first_move("--late", "1", "--late-ms", "1500")
    in_session(engine, tmp_path, story, NewGame(time="0.5+0"))


def test_an_engine_that_dies_is_started_anew(tmp_path):
    async def story(session):
        session.move("a4")
        await until(lambda: session.game.human_to_move)
        session.move("b4")
        await until(lambda: "restarted" in session.problem)
        await until(lambda: session.game.human_to_move)
        assert len(session.game.moves) == 4
        assert (
            session.problem == "Scripted has died (exit code 7; it said: the reason of the crash). "
            "It has been restarted."
        )
        session.move("c4")
        assert not session.problem

    in_session(first_move("--crash", "2"), tmp_path, story)


@pytest.mark.parametrize("fault", ["--crash", "--illegal", "--null"])
def test_an_engine_that_always_fails_is_given_up_and_can_be_tried_again(tmp_path, fault):
    async def story(session):
        session.move("a4")
        await until(lambda: session.is_broken)
        assert "failed 3 times" in session.problem
        assert not session.thinking
        with pytest.raises(ValueError, match="the game is paused, because Scripted has failed"):
            session.move("b4")
        session.retry()
        assert session.thinking
        assert not session.is_broken
        await until(lambda: session.is_broken)
        session.take_back()
        assert not session.problem
        assert session.game.human_to_move
        session.new_game(NewGame(elo=None, time=QUICK))

    in_session(first_move(fault, "1"), tmp_path, story)


@needs_proc
def test_an_engine_that_dies_while_the_person_thinks_is_shown_and_started_anew(tmp_path):
    pids = tmp_path / "pids"
    pids.mkdir()

    async def story(session):
        kill_engine(pids)
        await until(lambda: session.problem)
        assert session.problem == "Scripted has died. It is being restarted."
        await until(lambda: "It is being restarted." not in session.problem)
        assert session.problem == "Scripted has died. It has been restarted."
        assert len(list(pids.iterdir())) == 2
        await play(session, "e4")

    in_session(first_move("--pids", str(pids)), tmp_path / "games", story)
    assert not any_alive(pids)


@needs_proc
def test_an_engine_that_dies_before_it_is_asked_for_a_move_answers_it(tmp_path):
    pids = tmp_path / "pids"
    pids.mkdir()

    async def story(session):
        async with session._engine_is_free:  # the request for a move has to wait
            session.move("e4")
            kill_engine(pids)
            await until(lambda: session.problem)
        await until(lambda: session.game.human_to_move)
        assert not session.thinking
        assert len(session.game.moves) == 2
        assert session.problem == "Scripted has died. It has been restarted."

    in_session(first_move("--pids", str(pids)), tmp_path / "games", story)


@needs_proc
def test_a_restart_that_fails_is_told(tmp_path):
    pids = tmp_path / "pids"
    pids.mkdir()
    program = tmp_path / "engine.py"
    shutil.copy(SCRIPTED[1], program)

    async def story(session):
        program.unlink()
        kill_engine(pids)
        await until(lambda: "not be restarted" in session.problem)
        assert session.problem.startswith("Scripted has died. It could not be restarted (")
        session.move("e4")
        await until(lambda: session.is_broken)
        assert session.problem.startswith("Scripted could not be restarted (")
        assert session.problem.endswith("). It failed 3 times in this position.")

    command = (sys.executable, str(program), "--pids", str(pids))
    in_session(replace(first_move(), command=command), tmp_path / "games", story)


def test_closing_ends_all_engines_while_they_think(tmp_path):
    pids = tmp_path / "pids"
    pids.mkdir()

    async def story(session):
        session.evaluate(True)
        session.move("e4")
        await asyncio.sleep(0.3)

    engine = first_move("--pids", str(pids), "--hang", "1")
    in_session(engine, tmp_path / "games", story)
    assert list(pids.iterdir())
    assert not any_alive(pids)


def test_an_analysis_is_a_page_and_files_beside_the_game(tmp_path):
    async def story(session):
        with pytest.raises(ValueError, match="no moves"):
            session.analyse()
        session.move("a3")
        await until(lambda: session.game.human_to_move)
        analysis = session.analyse()
        assert session.analyse() is analysis
        await until(lambda: analysis.page or analysis.problem)
        assert "<html" in analysis.page
        assert not analysis.problem
        session.move("d4")
        assert session.analyse() is not analysis

    wishes = NewGame(elo=None, time=QUICK, fen=HANGING_QUEEN)
    session = in_session(material(), tmp_path, story, wishes)
    assert session.file.with_suffix(".html").exists()
    analysed = read(session.file.with_suffix(".analysed.pgn"))
    assert analysed.headers["WhiteAccuracy"]


def test_a_game_that_has_ended_since_its_analysis_is_analysed_again(tmp_path):
    async def story(session):
        await play(session, "a3")
        before = session.analyse()
        session.resign()
        assert session.analyse() is not before
        assert before.problem == "The analysis was stopped."
        await analyse(session)

    wishes = NewGame(elo=None, time=QUICK, fen=HANGING_QUEEN)
    session = in_session(material(), tmp_path, story, wishes)
    assert read(session.file.with_suffix(".analysed.pgn")).headers["Result"] == "0-1"


def test_an_analysis_replaces_only_files_of_its_own(tmp_path):
    async def story(session):
        await play(session, "a3")
        page = session.file.with_suffix(".html")
        page.write_text("a page of the person")
        await analyse(session)
        session.resign()
        await analyse(session)
        assert page.read_text() == "a page of the person"

    wishes = NewGame(elo=None, time=QUICK, fen=HANGING_QUEEN)
    session = in_session(material(), tmp_path, story, wishes)
    endings = sorted(path.name.removeprefix(session.file.stem) for path in tmp_path.iterdir())
    assert endings == [".2.analysed.pgn", ".2.html", ".html", ".pgn"]
    assert read(tmp_path / f"{session.file.stem}.2.analysed.pgn").headers["Result"] == "0-1"


def test_a_file_that_was_changed_since_an_analysis_is_not_replaced(tmp_path):
    files = OwnFiles()
    path = tmp_path / "game.html"
    assert files.are_free(path)
    files.write(path, "a page")
    assert files.are_free(path)
    assert not OwnFiles().are_free(path)
    path.write_text("another page")
    assert not files.are_free(path)


def test_an_analysis_by_an_engine_that_fails_has_a_problem(tmp_path):
    async def story(session):
        session.move("a3")
        await until(lambda: session.game.human_to_move)
        analysis = session.analyse()
        await until(lambda: analysis.problem)
        assert session.analyses == [analysis]
        again = session.analyse()  # the person asks for it again
        assert again is not analysis
        assert session.analyses == [analysis, again]

    wishes = NewGame(elo=None, time=QUICK, fen=HANGING_QUEEN)
    in_session(material("--die", "2"), tmp_path, story, wishes)
