"""`zobra` with arguments, as a user runs it."""

import inspect
import json
import os
import re
import shlex
import signal
import subprocess
import sys

import chess
import pytest

from tests.support.arena_runs import flat
from tests.support.arena_runs import run as run_here
from tests.support.commands import zobra
from zobra.cli import uci_commands
from zobra.cli.command_line import COMMANDS, HIDDEN, PANELS, load
from zobra.search.bench import POSITIONS, run
from zobra.search.bench_conditions import Conditions
from zobra.search.options import find
from zobra.search.searcher import Searcher

FAILING_STREAMS = [
    ("<&-", "", "standard input is closed"),
    (">&-", "", "standard output is closed"),
    ("<&- >&-", "", "standard output is closed"),
    ("<&- 2>&-", "standard input is closed", ""),
    ("genfens 99 | head -c 0; exit 1", "", ""),  # a reader may have enough
]
if os.path.exists("/dev/full"):
    FAILING_STREAMS += [
        ("version >/dev/full", "", "[Errno 28] No space left on device"),
        ("d >/dev/full", "", "standard output: No space left on device"),
        ("go depth 2 >/dev/full", "", "standard output: No space left on device"),
    ]


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize(("redirection", "stdout", "stderr"), FAILING_STREAMS)
def test_a_stream_that_fails_is_named_on_one_that_is_open(redirection, stdout, stderr):
    command = f"{shlex.quote(sys.executable)} -m zobra.cli {redirection}"
    done = subprocess.run(
        command,
        shell=True,
        check=False,
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stdout == (stdout and f"zobra: {stdout}\n")
    assert done.stderr == (stderr and f"zobra: {stderr}\n")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ("match -engine cmd=a", "No such option: -engine. Engines are arguments: [NAME=]COMMAND."),
        ("match a b -each tc=1", "--tc and -o NAME=VALUE are for all engines"),
        ("match a b -tc 10+0.1", "No such option: -tc. It is --tc here."),
        ("match a b -concurrency 2", "It is --concurrency here"),
        ("match a b --rounds 5", "-n is the number of games, two for each opening"),
        ("ladder -rounds 5", "-n is the number of games"),
        ("suite a.epd -engine b", "It is --engine here"),
        ("report --rounds", "No such option: --rounds"),
        ("sprt a b", "No such command 'sprt'. Use `zobra match --sprt ELO0,ELO1`."),
        ("epd a.epd", "Use `zobra suite FILE`"),
    ],
)
def test_words_of_other_match_runners_get_a_hint(arguments, hint):
    assert hint in flat(run_here(*arguments.split(), code=2))


def test_short_options_may_be_written_with_their_values(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "no program a" in flat(run_here("match", "a", "b", "-n2", "-oHash=2", code=2))
    (tmp_path / "x.epd").write_text("4k3/4p3/8/8/8/8/4P3/4K3 w - - bm e4;\n")
    assert "no program nobody" in flat(run_here("suite", "x.epd", "-enobody", code=2))


@pytest.mark.parametrize("word", ["--version", "version"])
def test_version(word):
    done = zobra(word)
    assert done.returncode == 0
    assert done.stdout.startswith("Zobra ")


@pytest.mark.parametrize("arguments", ["-h", "--help", "help"])
def test_help_has_several_names(arguments):
    assert " uci-path " in run_here(arguments)


@pytest.mark.parametrize("arguments", ["help match", "match -h", "match --help"])
def test_the_help_of_a_command_has_several_names(arguments):
    assert "--concurrency" in run_here(*arguments.split())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("analyse missing.pgn", "missing.pgn: No such file or directory"),
        ("analyse text", "text: neither games in PGN nor positions in FEN or EPD"),
        ("report text", "text: neither a match folder, PGN (*.pgn) nor the results of a suite"),
        ("report missing.pgn", "missing.pgn: No such file or directory"),
        ("suite missing.epd", "missing.epd: No such file or directory"),
        ("match zobra --openings missing.epd", "missing.epd: No such file or directory"),
        ("match missing.toml", "missing.toml: No such file or directory"),
        ("tune --parameters missing.toml", "missing.toml: No such file or directory"),
        ("ladder --list missing.toml", "missing.toml: No such file or directory"),
        ("play --folder text", "text: File exists"),
        ("bench 1 1 1 missing.fen", "missing.fen: No such file or directory"),
        ("genfens 1 book missing.epd", "missing.epd: No such file or directory"),
        ("train import missing.pgn", "missing.pgn: No such file or directory"),
        ("perft 1 8/8", "a FEN has"),
    ],
)
def test_an_error_of_a_file_is_one_line(tmp_path, monkeypatch, arguments, problem):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("dear reader\n")
    command = arguments.split()[0]
    message = run_here(*arguments.split(), code=2)
    assert message.startswith(f"zobra {command}: {problem}")
    assert message.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("match zobra --tc soon", "time control 'soon'"),
        ("match zobra --games 3", "--games 3: must be even"),
        ("match zobra --order backwards", "backwards: neither"),
        ("match zobra --draw 1", "--draw 1: must be FROM,MOVES,CP"),
        ("match zobra --sprt 5", "--sprt 5: must be ELO0,ELO1"),
        ("play --elo strong", "level strong: must be a number"),
        ("analyse x.pgn --movetime 0", "Invalid value for '--movetime'"),
    ],
)
def test_a_wrong_option_shows_the_usage(arguments, problem):
    message = flat(run_here(*arguments.split(), code=2))
    assert f"Usage: root {arguments.split()[0]} " in message
    assert problem in message


def modules_of(*arguments: str) -> tuple[str, set[str]]:
    """Return what a command prints, and the modules that it has imported when it ends."""
    code = (
        "import sys, json, os, atexit\n"
        f"sys.argv = ['zobra', *{list(arguments)}]\n"
        "def show(): print(json.dumps(sorted(sys.modules)), flush=True)\n"
        "atexit.register(show)\n"
        "leave = os._exit\n"
        "os._exit = lambda status: (show(), leave(status))\n"
        "from zobra.cli.main import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *lines, modules = done.stdout.splitlines()
    return "\n".join(lines), set(json.loads(modules))


def test_help_lists_the_commands_in_panels_and_loads_none_of_them():
    text, modules = modules_of("--help")
    at = [text.index(f" {panel} ") for panel in PANELS]
    assert at == sorted(at)
    for panel, commands in PANELS.items():
        for command in commands:
            found = re.search(rf"^\W*{command.name}\s.*", text, re.MULTILINE)
            assert found and found.start() > text.index(f" {panel} "), command.name
            assert command.summary in found[0]  # on one line of 80 columns
    for command in HIDDEN:
        assert not re.search(rf"^[│ ]+{command.name}\s", text, re.MULTILINE), command.name
    assert not {"numba", "llvmlite", "numpy", "chess", "zobra.engine.kernels"} & modules


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_the_summary_of_a_command_is_the_first_line_of_its_help(command):
    loaded = load(command)
    assert loaded.name == command.name
    assert " ".join(loaded.help.split("\n\n")[0].split()) == command.summary
    help_text = flat(run_here(command.name, "-h"))
    assert "Usage" in help_text
    assert command.summary.split(":")[0] in help_text


@pytest.mark.parametrize(
    ("arguments", "unused"),
    [
        (["--version"], {"typer", "rich", "numpy", "chess"}),
        (["d"], {"typer", "rich", "scipy", "zobra.arena", "zobra.train"}),
        (["go", "nodes", "100"], {"typer", "rich", "scipy", "zobra.arena", "zobra.train"}),
        (["go", "nodes", "100", "--hash", "1"], {"rich", "scipy", "zobra.arena", "zobra.train"}),
        (["uci-path"], {"numpy", "chess", "zobra.arena", "zobra.search"}),
        (["perft", "1"], {"rich", "scipy", "zobra.arena", "zobra.search", "zobra.train"}),
    ],
)
def test_a_command_imports_what_it_needs(arguments, unused):
    assert not unused & modules_of(*arguments)[1]


def test_the_package_runs_as_a_module():
    command = [sys.executable, "-m", "zobra", "version"]
    assert subprocess.check_output(command, text=True, timeout=60).startswith("Zobra ")


def test_a_shell_completes_commands_and_options():
    for typed, completed in (("zobra ma", "match"), ("zobra genfens --he", "--help")):
        words = typed.split()
        environment = {
            **os.environ,
            "_ZOBRA_COMPLETE": "complete_bash",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(len(words) - 1),
        }
        code = "import sys; sys.argv = ['zobra']; from zobra.cli.main import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code],
            check=False,
            capture_output=True,
            text=True,
            env=environment,
            timeout=60,
        )
        assert completed in done.stdout.split(), done.stderr


@pytest.mark.parametrize(
    ("arguments", "nodes"),
    [(["3"], 8902), (["0", "--divide"], 1), (["1", "startpos"], 20)],
)
def test_perft(arguments, nodes):
    done = zobra("perft", *arguments)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == f"Nodes searched: {nodes}"


def test_perft_of_each_move():
    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"
    done = zobra("perft", "3", fen, "--divide")
    *lines, last = done.stdout.splitlines()
    assert last == "Nodes searched: 97862"
    counts = [int(line.split(": ")[1]) for line in lines if ": " in line]
    assert len(counts) == 48
    assert sum(counts) == 97862


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["perft", "2", "8/8/8/8 w - -"], "the board has 8 ranks, this one 4"),
        (["perft", "many"], "invalid value for 'depth'"),
        (["perft", "99"], "99"),
        (["perft"], "missing argument 'depth'"),
        (["bench", "0"], "depth is a number from 1 to 64, not '0'"),
        (["bench", "16", "1", "6", "nowhere.epd"], "nowhere.epd: no such file"),
        (["benhc"], "benhc"),
    ],
)
def test_bad_input_is_named(arguments, complaint):
    assert complaint in flat(run_here(*arguments, code=2)).lower()


def test_defaults_are_those_of_the_engine():
    _context, _limits, *options = inspect.signature(uci_commands.go).parameters.values()
    for option in options:
        assert option.default == find(option.name).default


def test_bench_counts_the_same_whatever_was_searched_before():
    used = Searcher(16)
    shallow = Conditions(limit=2)
    runs = [list(run(searcher, shallow)) for searcher in (used, used, Searcher(16))]
    runs.append(zobra("bench", "2").stdout.splitlines())
    for *lines, last in runs:
        assert lines == runs[0][:-1]
        nodes, word, speed, unit = last.split()
        assert (word, unit) == ("nodes", "nps")
        assert int(speed) > 0
        assert int(nodes) == sum(int(line.split()[1]) for line in lines) > 0


def test_a_bench_takes_what_scripts_of_testers_send(tmp_path):
    done = zobra("bench", "16", "1", "2", "default", "depth")
    assert done.stdout.splitlines()[:-1] == zobra("bench", "2").stdout.splitlines()[:-1]
    assert re.search(r"load \d+\.\d on \d+ processor", done.stderr)
    book = tmp_path / "book.epd"
    book.write_text(f"{POSITIONS[0]}\n{' '.join(POSITIONS[1].split()[:4])}\n")
    for words in (f"8 2 500 {book} nodes", f"8 1 5 {book} movetime"):
        first, second, last = zobra("bench", *words.split()).stdout.splitlines()
        assert first.endswith(POSITIONS[0])
        assert int(last.split()[0]) == int(first.split()[1]) + int(second.split()[1]) > 0


def test_bench_positions_are_legal_and_not_over():
    assert len(set(POSITIONS)) == len(POSITIONS) >= 40
    for fen in POSITIONS:
        board = chess.Board(fen)
        assert board.is_valid(), fen
        assert not board.is_game_over(), fen
        assert not board.is_check(), fen


def test_warmup_says_where_the_kernels_are():
    zobra("bench", "1")  # so that there is nothing to compile
    done = zobra("warmup")
    assert done.returncode == 0
    assert "nothing to compile" in done.stdout
    assert "the package: " in done.stdout or "the user's store " in done.stdout


# Runs `zobra` and sends the process Ctrl-C when it is about to import the module named first.
INTERRUPTED_IMPORT = """
import os, signal, sys

class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

module = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupter())
signal.signal(signal.SIGINT, signal.default_int_handler)
from zobra.cli.main import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT for one process on Windows")
@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("zobra.uci.console", "doctor"),
        ("typer", "doctor"),
        ("chess.engine", "doctor"),
        ("zobra.cli.warmup", "warmup"),
        ("zobra.engine.kernels", "warmup"),  # imported by the command itself
    ],
)
def test_an_interrupted_start_is_quiet(module, command):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT, module, command],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    # A signal that ends the process is status 130 to a shell
    assert done.returncode in (130, -signal.SIGINT)
    assert done.stderr == ""
