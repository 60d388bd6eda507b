"""The page in a real browser, with a real engine process behind it."""

import json
import re
import subprocess
import sys

import chess
import chess.pgn
import pytest

from tests.support.arena_runs import ENGINE, start, wait_until
from tests.support.play_sessions import MATERIAL
from tests.tools.browser import CHROMIUM, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")


# An engine whose lowest level is above the usual one
STRONG = (
    f"Scripted={ENGINE} --option-line 'option name UCI_LimitStrength type check default false' "
    "--option-line 'option name UCI_Elo type spin default 2000 min 2000 max 2600'"
)

# Wraps the events of the server: while `isAsleep`, the page gets no state, and `missed` is the last
ASLEEP = """
globalThis.EventSource = class extends EventSource {
  addEventListener(kind, listener) {
    super.addEventListener(kind, (event) => {
      if (kind === "state" && globalThis.isAsleep) {
        globalThis.missed = JSON.parse(event.data);
        globalThis.wake = () => listener(event);
      } else {
        listener(event);
      }
    });
  }
};
"""


@pytest.fixture
def begin(tmp_path):
    """A function that starts a game until the test ends.

    It gets the engine and options, and returns the process and the page's address.
    """
    processes = []

    def begin(engine: str, *arguments: str) -> tuple[subprocess.Popen, str]:
        folder = tmp_path / "games"
        process = start("play", "--no-browser", "-e", engine, "--folder", folder, *arguments)
        processes.append(process)
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + process.stderr.read()
        return process, found[0]

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


@pytest.fixture
def game(begin, request):
    """A game against the engine that counts material: the process, and the page's address."""
    arguments = getattr(request, "param", "")
    return begin(f"Material={MATERIAL} {arguments}", "--tc", "nodes=1")


class Page(Browser):
    """The page, as a person uses it."""

    def wait(self, condition: str, seconds: float = 60.0) -> None:
        super().wait(condition, seconds)

    def begin(self, address: str) -> None:
        self.open(address)
        self.wait("document.querySelector('#status').textContent")

    def begin_with_e4(self, address: str) -> None:
        """Begin the game with 1. e4, and wait for the answer."""
        self.begin(address)
        self.type("e4\n")
        self.wait_for_moves(2)

    def squares(self, *names: str) -> list[tuple[float, float]]:
        """Return the middles of squares on the board."""
        box = self.evaluate(
            "(() => { const b = document.querySelector('cg-board').getBoundingClientRect();"
            "const isWhite = document.querySelector('.orientation-white') !== null;"
            "return [b.x, b.y, b.width, isWhite]; })()"
        )
        left, top, side, is_white = box
        found = []
        for name in names:
            column = "abcdefgh".index(name[0])
            row = 8 - int(name[1])
            if not is_white:
                column = 7 - column
                row = 7 - row
            found.append((left + side * (column + 0.5) / 8, top + side * (row + 0.5) / 8))
        return found

    def drag(self, origin: str, target: str) -> None:
        begin, end = self.squares(origin, target)
        middle = ((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
        self.mouse(begin, middle, end)

    def click_squares(self, *names: str) -> None:
        for place in self.squares(*names):
            self.mouse(place)

    def moves(self) -> list[str]:
        return self.evaluate(
            "[...document.querySelectorAll('#moves button')].map(button => button.textContent)"
        )

    def wait_for_moves(self, count: int) -> None:
        self.wait(f"document.querySelectorAll('#moves button').length === {count}")

    def text(self, selector: str) -> str:
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def wait_for_text(self, selector: str, text: str) -> None:
        chosen = f"document.querySelector({json.dumps(selector)}).textContent"
        self.wait(f"{chosen}.includes({json.dumps(text)})")

    def new_game(self, script: str) -> None:
        """Fill in the dialog of a new game by a script, and start it."""
        self.click("#new-game")
        self.wait("document.querySelector('#game-dialog').open")
        self.evaluate(f"(form => {{ {script} }})(document.getElementById('game-form').elements)")
        self.click("#game-form button[type=submit]")

    def is_fit(self) -> bool:
        """Return True if nothing is wider than the window."""
        return self.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_first_game_by_mouse_and_keyboard(game):
    _, address = game
    with Page(1280, 800) as page:
        page.begin(address)
        assert page.text("#status") == "Your move."

        assert not page.evaluate("document.querySelector('#sound').checked")
        page.click("#sound")
        page.mouse(*page.squares("e2"))
        page.wait("document.querySelectorAll('square.move-dest').length === 2")
        page.click_squares("e4")
        page.wait_for_moves(2)
        page.drag("d2", "d4")
        page.wait_for_moves(4)
        page.drag("g1", "g4")  # is not legal: nothing happens
        page.type("Nc3\n")  # the first letter brings the focus to the field
        page.wait_for_moves(6)
        assert page.moves()[::2] == ["e4", "d4", "Nc3"]

        page.type("Ke3\n")
        page.wait_for_text("#entry-error", "Ke3 is not legal here.")
        page.press("Backspace")  # the refused move is selected
        page.type("b2b5\n")
        page.wait_for_text("#entry-error", "b2b5 is not legal here.")
        page.click("#take-back")
        page.wait_for_moves(4)
        assert page.text("#entry-error") == ""
        assert page.evaluate("document.querySelector('#move').value") == ""

        page.click("#hint")
        page.wait("document.querySelector('.cg-shapes line')")
        assert "Hint: " in page.text("#status")

        page.click("#evaluate")
        page.wait("document.querySelectorAll('#lines li').length === 3")
        assert page.evaluate("document.querySelector('#bar').getBoundingClientRect().height > 300")
        page.click("#evaluate")
        page.wait("document.querySelector('#evaluation').hidden")
        assert page.evaluate("document.querySelector('#bar').hidden")

        page.press("ArrowLeft")
        page.press("ArrowLeft")
        page.wait_for_text("[aria-current=true]", page.moves()[1])
        assert "an earlier position" in page.text("#status")
        page.press("End")
        assert "an earlier position" not in page.text("#status")

        page.click("#flip")
        page.wait("document.querySelector('.orientation-black')")
        page.drag("g1", "f3")
        page.wait_for_moves(6)
        assert not page.complaints
        assert all(name.startswith((address, "data:", "about:")) for name in page.requests)


def test_the_keys_show_earlier_positions_after_a_move_was_typed(game):
    _, address = game
    with Page(1280, 800) as page:
        page.begin_with_e4(address)
        page.wait("document.querySelector('#move').value === ''")
        assert page.evaluate("document.activeElement.id") == "move"
        page.press("Home")
        assert "an earlier position" in page.text("#status")
        page.press("ArrowRight")
        assert page.text("[aria-current=true]") == "e4"
        page.press("End")
        assert "an earlier position" not in page.text("#status")
        page.type("d")
        page.press("Home")  # belongs to the text now
        assert "an earlier position" not in page.text("#status")


def test_a_draw_is_declined_and_a_game_resigned(game):
    _, address = game
    with Page(1280, 800) as page:
        page.begin(address)
        page.type("Nf3\n")
        page.wait_for_moves(2)
        page.click("#draw")
        page.wait_for_text("#status", "declines the draw")
        page.type("Ke3\n")
        page.wait_for_text("#entry-error", "Ke3 is not legal here.")
        page.click("#resign")
        page.wait("document.querySelector('#resign-dialog').open")
        page.click("#resign-dialog button")
        page.wait_for_text("#status", "Material wins by resignation. 0-1")
        assert page.evaluate("document.querySelector('#move').disabled")
        assert page.evaluate("document.querySelector('#move').value") == ""
        pgn = page.evaluate("fetch(document.querySelector('#download').href).then(r => r.text())")
        assert '[Result "0-1"]' in pgn
        assert "Nf3" in pgn
        assert not page.complaints


@pytest.mark.parametrize(
    ("text", "san"),
    [("nf3", "Nf3"), ("rg1", "Rg1"), ("o-o", "O-O"), ("0-0", "O-O"), ("kf1", "Kf1")],
)
def test_the_first_letter_typed_anywhere_belongs_to_the_move(game, text, san):
    _, address = game
    with Page(1280, 800) as page:
        page.begin(address)
        fen = "4k3/8/8/8/8/8/4P2P/4K1NR w K - 0 1"
        if san != "Nf3":
            fen = fen.replace("4K1NR", "4K2R")
        page.new_game(f"form.position.value = 'fen'; form.fen.value = {fen!r};")
        page.wait("document.querySelectorAll('cg-board piece').length < 8")
        page.evaluate("document.activeElement.blur()")
        page.type(f"{text}\n")
        page.wait_for_moves(2)
        assert page.moves()[0] == san


def test_a_reload_continues_the_game_and_a_closed_page_says_goodbye(game):
    """What the command does then is in test_play_command."""
    _, address = game
    with Page(1280, 800) as page:
        page.begin_with_e4(address)
        moves = page.moves()
        page.call("Page.reload")
        page.wait_for_moves(2)
        assert page.moves() == moves
        page.type("d4\n")
        page.wait_for_moves(4)
        page.evaluate("dispatchEvent(new Event('pagehide'))")
        wait_until(lambda: page.evaluate("true") and f"{address}goodbye" in page.requests)


def test_promotions_castling_black_and_positions(game):
    _, address = game
    with Page(1280, 800) as page:
        page.begin(address)
        fen = "1k6/p5P1/8/8/8/8/8/4K2R w K - 0 1"
        page.new_game(f"form.position.value = 'fen'; form.fen.value = {fen!r};")
        page.wait("document.querySelectorAll('cg-board piece').length === 5")
        page.drag("g7", "g8")
        page.wait("document.querySelector('#promotion-dialog').open")
        page.press("Escape")
        page.evaluate("document.querySelector('#promotion-dialog').close()")
        page.wait("document.querySelector('cg-board piece.white.pawn')?.cgKey === 'g7'")
        page.drag("g7", "g8")
        page.wait("document.querySelector('#promotion-dialog').open")
        page.click("#promotion-dialog button[value='']")  # Cancel
        page.wait("document.querySelector('cg-board piece.white.pawn')?.cgKey === 'g7'")
        assert page.moves() == []
        page.drag("g7", "g8")
        page.wait("document.querySelector('#promotion-dialog').open")
        page.click("#promotion-dialog button[value=n]")
        page.wait_for_moves(2)
        assert page.moves()[0] == "g8=N"
        page.drag("e1", "g1")
        page.wait("document.querySelectorAll('#moves button').length >= 3")
        assert page.moves()[2].startswith("O-O")

        page.new_game("form.color.value = 'black'; form.position.value = 'start';")
        page.wait("document.querySelector('.orientation-black')")
        page.wait_for_moves(1)
        page.drag("e7", "e5")
        page.wait_for_moves(3)

        page.new_game("form.position.value = 'fen'; form.fen.value = 'hello';")
        page.wait_for_text("#game-error", "hello")
        page.click("[data-close]")
        assert len(page.moves()) == 3

        page.new_game(
            "form.timing.value = 'clock'; form.minutes.value = 3; form.color.value = 'white';"
            "form.position.value = 'start';"
        )
        page.wait("!document.querySelector('#bottom-player .clock').hidden")
        assert page.text("#bottom-player .clock") == "3:00"
        assert not page.complaints


def test_the_analysis_opens_as_a_page(game):
    _, address = game
    with Page(1280, 800) as page:
        page.begin_with_e4(address)
        assert page.evaluate("document.querySelector('#analyse').href") == f"{address}analysis"
        page.open(f"{address}analysis")
        page.wait("document.querySelector('#replay') !== null")
        assert not page.complaints


@pytest.mark.parametrize("game", ["--slow 700"], indirect=True)
def test_an_analysis_is_waited_for(game):
    _, address = game
    with Page(1280, 800) as page:
        page.begin_with_e4(address)
        page.open(f"{address}analysis")
        assert page.text("label") == "The game is being analysed: 0%"
        page.evaluate("globalThis.isFirst = true")
        page.wait("document.querySelector('#share').value > 0")
        assert page.evaluate("isFirst")
        assert re.fullmatch(r"The game is being analysed: \d\d%", page.text("label"))
        page.wait("document.querySelector('#replay') !== null")
        assert not page.complaints


@pytest.mark.parametrize("game", ["--slow 2000"], indirect=True)
def test_an_analysis_that_does_not_come_is_told(game):
    process, address = game
    with Page(1280, 800) as page:
        page.begin_with_e4(address)
        page.open(f"{address}analysis")
        process.kill()
        page.wait_for_text("main", "Zobra stopped before the analysis was done.")


@pytest.mark.parametrize("game", ["--die 2"], indirect=True)
def test_an_analysis_that_fails_is_told(game):
    _, address = game
    with Page(1280, 800) as page:
        page.begin_with_e4(address)
        page.open(f"{address}analysis")
        page.wait("document.querySelector('[role=alert]')?.textContent.includes('Material')")
        assert page.evaluate("document.querySelector('progress')") is None


@pytest.mark.parametrize(("width", "height"), [(1280, 757), (1024, 600)])
def test_a_long_status_covers_nothing(game, width, height):
    _, address = game
    with Page(width, height) as page:
        page.begin(address)
        page.evaluate("document.querySelector('#status').textContent = 'A long name '.repeat(12)")
        bottom = page.evaluate(
            "(status => status.getBoundingClientRect().top + status.scrollHeight)"
            "(document.querySelector('#status'))"
        )
        assert bottom <= page.evaluate(
            "document.querySelector('#entry').getBoundingClientRect().top"
        )


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_on_a_phone(game, dark):
    _, address = game
    with Page(360, 740, dark=dark) as page:
        page.begin(address)
        page.click_squares("e2", "e4")
        page.wait_for_moves(2)
        assert page.is_fit()
        page.click("#evaluate")
        page.wait("document.querySelectorAll('#lines li').length === 3")
        assert page.is_fit()
        page.click("#new-game")
        page.wait("document.querySelector('#game-dialog').open")
        assert page.is_fit()
        assert not page.complaints


@pytest.mark.parametrize("game", ["--die 2"], indirect=True)
def test_the_death_of_the_engine_is_shown_and_the_game_goes_on(game):
    _, address = game
    with Page(1280, 800) as page:
        page.begin_with_e4(address)
        page.type("d4\n")
        page.wait_for_moves(4)
        page.wait_for_text("#problem", "Material has died (exit code 3). It has been restarted.")
        assert not page.evaluate("document.querySelector('#problem').hidden")
        page.click("#take-back")  # another move would be the second search of the new process
        page.wait("document.querySelector('#problem').hidden")


def test_the_end_is_shown_on_the_page(game):
    process, address = game
    with Page(1280, 800) as page:
        page.begin_with_e4(address)
        process.terminate()
        page.wait_for_text("#problem", "Zobra has stopped. The game is saved as")
        assert "Run “zobra play” to play again." in page.text("#problem")
        for name in ("take-back", "resign", "new-game", "move"):
            assert page.evaluate(f"document.querySelector('#{name}').disabled"), name
        assert page.evaluate("document.querySelector('#analyse').hidden")
        assert process.wait(60) == 0


def test_the_result_stays_when_the_server_ends(game):
    process, address = game
    with Page(1280, 800) as page:
        page.begin_with_e4(address)
        page.click("#resign")
        page.wait("document.querySelector('#resign-dialog').open")
        page.click("#resign-dialog button")
        page.wait_for_text("#status", "0-1")
        process.terminate()
        page.wait_for_text("#problem", "Zobra has stopped.")
        assert "Material wins by resignation. 0-1" in page.text("#status")


def test_the_list_of_moves_is_scrolled_by_moves_alone(game):
    _, address = game
    top = "document.querySelector('#moves').scrollTop"
    with Page(1280, 800) as page:
        page.begin(address)
        for number, move in enumerate(("a3", "h3", "b3"), start=1):
            page.type(f"{move}\n")
            page.wait_for_moves(2 * number)
        page.evaluate("document.querySelector('#moves').style.cssText = 'flex: none; height: 40px'")
        page.evaluate(f"{top} = 0")
        page.click("#evaluate")
        page.wait("document.querySelectorAll('#lines li').length === 3")
        assert page.evaluate(top) == 0
        page.type("g3\n")
        page.wait_for_moves(8)
        assert page.evaluate(top) > 0


def test_another_move_in_the_place_of_one_that_was_taken_back_is_shown(game):
    """The page may miss states in between, when it is slow."""
    _, address = game
    with Page(1280, 800) as page:
        page.call("Page.addScriptToEvaluateOnNewDocument", source=ASLEEP)
        page.begin_with_e4(address)
        page.wait("document.querySelector('#status').textContent.includes('Your move.')")
        page.evaluate("globalThis.isAsleep = true")
        for command in ({"command": "take_back"}, {"command": "move", "text": "d4"}):
            body = json.dumps(command)
            options = f"{{ method: 'POST', body: {json.dumps(body)} }}"
            assert (
                page.evaluate(f"fetch('command', {options}).then(answer => answer.status)") == 204
            )
        page.wait("globalThis.missed?.moves.length === 2")
        page.evaluate("wake()")
        assert page.moves()[0] == "d4"
        assert not page.complaints


@pytest.mark.parametrize(
    ("arguments", "clock"),
    [
        (("--movetime", "50"), ""),
        (("--tc", "5+3"), "0:05.0"),
        (("--tc", "14400"), "4:00:00"),
        (("--elo", "full"), ""),
    ],
)
def test_a_new_game_can_have_the_settings_of_the_command_line(begin, arguments, clock):
    _, address = begin(STRONG, *arguments)
    with Page(1280, 800) as page:
        page.begin(address)
        page.new_game("")
        page.wait("!document.querySelector('#game-dialog').open")
        assert page.text("#bottom-player .clock") == clock
        page.click("#new-game")
        page.wait("document.querySelector('#game-dialog').open")
        settings = "Object.fromEntries(new FormData(document.getElementById('game-form')))"
        found = page.evaluate(settings)
        assert found["strength"] == ("full" if "full" in arguments else "limited")
        assert found["elo"] == "2000"


def test_a_setting_out_of_its_range_starts_no_game(begin):
    _, address = begin(STRONG)
    with Page(1280, 800) as page:
        page.begin(address)
        page.new_game("form.strength.value = 'limited'; form.elo.value = 1500;")
        assert page.evaluate("document.querySelector('#game-dialog').open")
        assert page.evaluate("document.activeElement.name") == "elo"


# The path of a new person: a game against Zobra, then its analysis

VALUES = (0, 1, 3, 3, 5, 9, 99)


def hanging(board: chess.Board, move: chess.Move) -> int:
    """What a move loses at once: the most that a reply can take, less the piece that takes it if it
    can be taken back.
    """
    board.push(move)
    most = 0
    for reply in board.generate_legal_captures():
        taken = VALUES[board.piece_type_at(reply.to_square) or chess.PAWN]
        taker = VALUES[board.piece_type_at(reply.from_square)]
        is_defended = board.is_attacked_by(not board.turn, reply.to_square)
        most = max(most, taken - taker if is_defended else taken)
    board.pop()
    return most


def worst_move(board: chess.Board) -> chess.Move:
    """A move that an analysis marks: a queen or a piece is left where it can be taken."""
    moves = [move for move in board.legal_moves if not move.promotion]
    return max(moves, key=lambda move: (hanging(board, move), move.uci()))


def assert_a_picture(page: Page, path, width: int, height: int) -> None:
    page.picture(path, width, height)
    assert path.stat().st_size > 10_000  # an empty page has some 3,000 bytes


def play_a_game(page: Page, folder) -> chess.Board:
    """Play against the engine by all means of the page, and resign; return the last position."""
    board = chess.Board()
    for number in range(4):  # by mouse: two clicks, or a drag
        text = "e2e4" if number == 0 else worst_move(board).uci()
        board.push_uci(text)
        if number % 2:
            page.drag(text[:2], text[2:])
        else:
            page.click_squares(text[:2], text[2:])
        page.wait_for_moves(2 * number + 2)
        board.push_san(page.moves()[-1])
    move = next(iter(board.legal_moves))
    page.type(f"{board.san(move)}\n")
    page.wait_for_moves(10)
    assert_a_picture(page, folder / "game.png", 1280, 800)

    page.click("#take-back")
    page.wait_for_moves(8)
    page.click("#hint")
    page.wait("document.querySelector('.cg-shapes line')")
    assert_a_picture(page, folder / "hint.png", 1280, 800)
    page.click("#resign")
    page.wait("document.querySelector('#resign-dialog').open")
    page.click("#resign-dialog button")
    page.wait_for_text("#status", "0-1")
    return board


def read_the_analysis(html, folder) -> None:
    """Go to a mistake by the mouse, step by the keyboard, and look at the page on a phone."""
    ply = "Number(document.querySelector('#replay').dataset.ply)"
    with Page(1280, 900) as page:
        page.open(html)
        page.wait(f"{ply} === 0")
        page.click(".replay-next")
        page.wait(f"{ply} > 0")
        reached = page.evaluate(ply)
        assert page.text(".replay-note").startswith(("Inaccuracy: ", "Mistake: ", "Blunder: "))
        page.press("ArrowLeft")
        page.wait(f"{ply} === {reached - 1}")
        page.press("ArrowRight")
        page.wait(f"{ply} === {reached}")
        assert_a_picture(page, folder / "analysis.png", 1280, 900)
        assert not page.complaints
    with Page(360, 740, dark=True) as page:
        page.open(html)
        page.wait(f"{ply} === 0")
        assert page.is_fit()
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert max(map(int, re.findall(r"\d+", colour)[:3])) < 80
        assert_a_picture(page, folder / "phone.png", 360, 740)
        assert not page.complaints


@pytest.mark.slow
def test_the_path_of_a_new_person(tmp_path):
    process = start("play", "--no-browser", "--movetime", "50", "--folder", tmp_path / "games")
    address = re.search(r"http://\S+", process.stdout.readline())[0]
    with Page(1280, 800) as page:
        page.begin(address)
        board = play_a_game(page, tmp_path)
        page.call("Page.navigate", url="about:blank")  # closes the page
        output, errors = process.communicate(timeout=60)
        assert not page.complaints
    assert process.returncode == 0 and not errors

    saved = next((tmp_path / "games").glob("*.pgn"))
    assert f"saved: {saved}" in output
    with saved.open() as file:
        game = chess.pgn.read_game(file)
    assert game.end().board() == board and game.headers["Result"] == "0-1"

    html = tmp_path / "analysis.html"
    command = [sys.executable, "-m", "zobra.cli", "analyse", str(saved), "--movetime", "50"]
    subprocess.run([*command, "--html", str(html)], check=True, timeout=300)
    read_the_analysis(html, tmp_path)
