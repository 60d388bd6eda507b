"""Apply the faults of mutations.toml to copies of the sources, and check that the tests fail.

    python -m tests.tools.mutate [REVISION] [--only NAME]… [--jobs N] [--whole] [--folder FOLDER]

Each job has a copy of the revision. A mutation is applied there alone, and its tests are run up to
the first failure, which has to pass again without the mutation. Results are appended to a file of
JSON lines, so the same command resumes an interrupted run: a mutation that was killed or survived
at this revision is not run again unless its entry has changed. The exit status is 1 if a mutation
is not killed.
"""

import hashlib
import io
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tests.support.paths import ROOT, SHARED
from zobra.arena.formats.files import read_toml

LIST = Path(__file__).with_name("mutations.toml")
FOLDER = ROOT / "build" / "mutations"
KERNEL_FOLDERS = ("engine", "tt", "search")  # any change there makes all kernels stale
LONGEST = 1800.0  # seconds for the tests of a mutation, which may have made a loop endless
FAILED = 1  # exit status of pytest
KILLED = "killed"
SURVIVED = "survived"
TIMEOUT = "timeout"  # the tests did not end
UNSOUND = "unsound"  # the test that failed does so without the mutation too, or none could run
# Compiled kernels from one version of the sources to another one with the same kernels
SAVE_KERNELS = """
import pickle, sys
from zobra.engine.kernels import compile_missing, selected, store
from zobra.engine.kernels.sources import set_name
compile_missing()
pickle.dump(store.read(set_name(selected.target)), open(sys.argv[1], "wb"))
"""
LOAD_KERNELS = """
import pickle, sys
from zobra.engine.kernels import selected, store
from zobra.engine.kernels.sources import set_name
store.write(set_name(selected.target), pickle.load(open(sys.argv[1], "rb")))
"""


@dataclass(frozen=True)
class Mutation:
    """A fault: `line` of a file, whatever its indentation and comment, becomes another one.

    `kernel` says that compiled code changes; `tests` are files or folders that should notice.
    """

    name: str
    fault: str
    file: str
    line: str
    becomes: str
    tests: Sequence[str]
    kernel: bool = False

    @property
    def digest(self) -> str:
        """A hash of all that a result depends on: the entry without its description."""
        entry = asdict(self)
        del entry["fault"]
        return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()[:16]

    def applied(self, source: str) -> str:
        """Return the source with the fault. Raise ValueError unless the line is there once."""
        lines = source.split("\n")
        places = [number for number, line in enumerate(lines) if _code(line) == self.line]
        if len(places) != 1:
            raise ValueError(f"{self.name}: {self.file} has its line {len(places)} times, not once")
        lines[places[0]] = lines[places[0]].replace(self.line, self.becomes)
        return "\n".join(lines)


def _code(line: str) -> str:
    return line.partition("  #")[0].strip()


def link_shared(folder: Path) -> None:
    """Link the shared folder into the folder of the copies: tests look for it beside their sources.

    Without it they skip what needs its files.
    """
    link = folder / SHARED.name
    if SHARED.exists() and not os.path.lexists(link):
        link.symlink_to(SHARED)


def read_mutations() -> list[Mutation]:
    """Return the list; those that need a compilation come last."""
    found = [Mutation(name, **values) for name, values in read_toml(LIST).items()]
    return sorted(found, key=lambda mutation: mutation.kernel)


class Copy:
    """The sources of a revision in `folder`, with a store of kernels in `store`."""

    def __init__(self, folder: Path, store: Path, revision: str) -> None:
        self.folder = folder
        self._kernels = folder.with_suffix(".kernels")
        shutil.rmtree(folder, ignore_errors=True)
        archive = subprocess.run(
            ["git", "archive", revision], cwd=ROOT, check=True, capture_output=True
        )
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder)
        # The name that the folders are installed by
        package = folder / "build" / "typing"
        package.mkdir(parents=True)
        (package / "zobra").symlink_to(folder)
        self._environment = {
            **os.environ,
            "PYTHONPATH": f"{package}{os.pathsep}{folder}",
            "ZOBRA_CACHE_DIR": str(store),
        }

    def prepare(self) -> None:
        """Compile the kernels of the unchanged sources, and keep them."""
        self._python("-c", SAVE_KERNELS, str(self._kernels), check=True)

    def judge(self, mutation: Mutation, whole: bool) -> dict[str, Any]:
        """Run the tests of a mutation, then all with `whole`; return outcome, test and seconds."""
        path = self.folder / mutation.file
        source = path.read_text(encoding="utf-8")
        began = time.monotonic()
        path.write_text(mutation.applied(source), encoding="utf-8")
        try:
            if mutation.file.split("/")[0] in KERNEL_FOLDERS and not mutation.kernel:
                self._python("-c", LOAD_KERNELS, str(self._kernels), check=True)
            tests = [*mutation.tests, "tests"] if whole else mutation.tests
            outcome, test = self._run_in_turn(tests)
        finally:
            path.write_text(source, encoding="utf-8")
        seconds = round(time.monotonic() - began, 1)
        if outcome == KILLED and self._run_tests(test)[0] != SURVIVED:
            outcome = UNSOUND
        return {"outcome": outcome, "test": test, "seconds": seconds}

    def _run_in_turn(self, paths: Sequence[str]) -> tuple[str, str]:
        """Run the tests of each path until one fails.

        If none fails and the revision lacks one of the paths, the mutation has not survived.
        """
        missing = []
        for path in paths:
            if not (self.folder / path).exists():
                missing.append(path)
                continue
            outcome, test = self._run_tests(path)
            if outcome != SURVIVED:
                return outcome, test
        if missing:
            return UNSOUND, f"the revision has no {', '.join(missing)}"
        return SURVIVED, ""

    def _run_tests(self, path: str) -> tuple[str, str]:
        """Run tests up to the first that fails; return the outcome, and that test."""
        shutil.rmtree(self.folder / ".hypothesis", ignore_errors=True)  # what it found before
        options = ("-q", "-x", "--tb=no", "--cache-clear", "--hypothesis-seed=0")
        try:
            status = self._python("-m", "pytest", *options, path)
        except subprocess.TimeoutExpired:
            return TIMEOUT, ""
        if status == 0:
            return SURVIVED, ""
        failures = self.folder / ".pytest_cache" / "v" / "cache" / "lastfailed"
        if status != FAILED or not failures.exists():
            return UNSOUND, f"pytest ended with status {status}"
        return KILLED, next(iter(json.loads(failures.read_text(encoding="utf-8"))))

    def _python(self, *arguments: str, check: bool = False) -> int:
        """Run Python in the copy; return its exit status.

        Processes that it has started end with it. Raise TimeoutExpired, or CalledProcessError.
        """
        command = [sys.executable, *arguments]
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self._environment,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None if check else subprocess.DEVNULL,
        )
        try:
            status = process.wait(LONGEST)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if check and status:
            raise subprocess.CalledProcessError(status, command[:3])
        return status


class Results:
    """A file of results, one JSON object a line.

    `found` has those of a revision by the digests of the mutations. A last line that was cut when a
    run was killed is removed.
    """

    def __init__(self, path: Path, revision: str) -> None:
        self._path = path
        self._revision = revision
        self._lock = threading.Lock()
        self.found: dict[str, dict[str, Any]] = {}
        if not path.exists():
            return
        content = path.read_bytes()
        complete = content[: content.rfind(b"\n") + 1]
        if complete != content:
            path.write_bytes(complete)
        for line in complete.splitlines():
            result = json.loads(line)
            if result["revision"] == revision and "digest" in result:
                self.found[result["digest"]] = result

    def is_known(self, mutation: Mutation, whole: bool) -> bool:
        """Return whether a mutation need not be run.

        It is run again if its tests did not end or were unsound.
        """
        result = self.found.get(mutation.digest, {})
        outcome = result.get("outcome")
        return outcome == KILLED or (outcome == SURVIVED and result["whole"] >= whole)

    def add(self, mutation: Mutation, whole: bool, judgement: dict[str, Any]) -> None:
        """Keep and print a result."""
        result = {
            "name": mutation.name,
            "digest": mutation.digest,
            "revision": self._revision,
            "whole": whole,
            **judgement,
        }
        with self._lock:
            self.found[mutation.digest] = result
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
            print(
                f"{result['outcome']:9}{mutation.name}, {result['seconds']:.0f} s: "
                f"{result['test'] or mutation.fault}",
                flush=True,
            )


def main(
    revision: Annotated[str, typer.Argument(help="The revision to mutate.")] = "HEAD",
    only: Annotated[list[str] | None, typer.Option(help="A mutation; may be repeated.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Number of copies tested in parallel.")] = 1,
    whole: Annotated[
        bool, typer.Option("--whole", help="Run all tests if those of a mutation pass.")
    ] = False,
    folder: Annotated[Path, typer.Option(help="Folder of the copies and kernels.")] = FOLDER,
    results: Annotated[
        Path | None, typer.Option(help="File of results.", show_default="results.jsonl in FOLDER")
    ] = None,
) -> None:
    """Apply mutations to a revision, and print whether its tests kill them."""
    mutations = read_mutations()
    if only:
        unknown = set(only) - {mutation.name for mutation in mutations}
        if unknown:
            raise typer.BadParameter(f"no mutation {', '.join(sorted(unknown))}")
        mutations = [mutation for mutation in mutations if mutation.name in only]
    command = ["git", "rev-parse", "--verify", f"{revision}^{{commit}}"]
    commit = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    link_shared(folder)
    kept = Results(results or folder / "results.jsonl", commit.strip())
    waiting = [mutation for mutation in mutations if not kept.is_known(mutation, whole)]

    copies: queue.SimpleQueue[Copy] = queue.SimpleQueue()
    for number in range(min(jobs, len(waiting))):
        copy = Copy(folder / f"copy{number}", folder / "kernels", commit.strip())
        for mutation in waiting:
            try:
                mutation.applied((copy.folder / mutation.file).read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise typer.BadParameter(str(error)) from None
        copy.prepare()
        copies.put(copy)

    def run(mutation: Mutation) -> None:
        copy = copies.get()
        try:
            kept.add(mutation, whole, copy.judge(mutation, whole))
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(run, waiting):
            pass

    outcomes = [kept.found[mutation.digest]["outcome"] for mutation in mutations]
    print(f"{outcomes.count(KILLED)} of {len(outcomes)} killed")
    if outcomes.count(KILLED) < len(outcomes):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
