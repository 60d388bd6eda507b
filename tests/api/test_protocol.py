"""`Engine` has the methods of python-chess' `SimpleEngine`, with the same arguments.

mypy checks the types: `.ci/run` names this module. The tests check that no name was forgotten.
"""

import concurrent.futures
import inspect
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any, Protocol, overload

import chess
import chess.engine
import pytest
from chess.engine import (
    INFO_ALL,
    INFO_NONE,
    BestMove,
    ConfigMapping,
    Info,
    InfoDict,
    Limit,
    Opponent,
    Option,
    PlayResult,
    SimpleAnalysisResult,
    SimpleEngine,
)

from zobra.api import Analysis, Engine

OF_PROCESSES = {"communicate", "popen", "popen_uci", "popen_xboard"}  # no process, no text
NO_OPTIONS: ConfigMapping = {}


class AnalysisDoor(Protocol):
    @property
    def info(self) -> InfoDict: ...
    @property
    def multipv(self) -> list[InfoDict]: ...
    def stop(self) -> None: ...
    def wait(self) -> BestMove: ...
    def would_block(self) -> bool: ...
    def empty(self) -> bool: ...
    def get(self) -> InfoDict: ...
    def next(self) -> InfoDict | None: ...
    def __iter__(self) -> Iterator[InfoDict]: ...
    def __next__(self) -> InfoDict: ...
    def __enter__(self) -> "AnalysisDoor": ...
    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None: ...


class EngineDoor(Protocol):
    returncode: "concurrent.futures.Future[int]"

    @property
    def options(self) -> MutableMapping[str, Option]: ...
    @property
    def id(self) -> Mapping[str, str]: ...
    def configure(self, options: ConfigMapping) -> None: ...
    def send_opponent_information(
        self, *, opponent: Opponent | None = None, engine_rating: int | None = None
    ) -> None: ...
    def ping(self) -> None: ...
    def play(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        game: object = None,
        info: Info = INFO_NONE,
        ponder: bool = False,
        draw_offered: bool = False,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = NO_OPTIONS,
        opponent: Opponent | None = None,
    ) -> PlayResult: ...
    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = NO_OPTIONS,
    ) -> InfoDict: ...
    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        multipv: int,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = NO_OPTIONS,
    ) -> list[InfoDict]: ...
    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = NO_OPTIONS,
    ) -> InfoDict | list[InfoDict]: ...
    def analysis(
        self,
        board: chess.Board,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = NO_OPTIONS,
    ) -> AnalysisDoor: ...
    def send_game_result(
        self,
        board: chess.Board,
        winner: chess.Color | None = None,
        game_ending: str | None = None,
        game_complete: bool = True,
    ) -> None: ...
    def quit(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> "EngineDoor": ...
    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None: ...


def check_types(ours: Engine, theirs: SimpleEngine) -> tuple[EngineDoor, EngineDoor]:
    """For mypy: both fit, so the protocol says no more and no less of theirs than is true."""
    return ours, theirs


def public_names(kind: type) -> set[str]:
    names = {name for name in vars(kind) if not name.startswith("_")}
    return names | ({"__enter__", "__exit__", "__iter__", "__next__"} & set(vars(kind)))


def arguments(method: Any) -> list[tuple[str, Any, bool]]:
    """Return the name and kind of each argument, and whether it may be left out."""
    return [
        (each.name, each.kind, each.default is not inspect.Parameter.empty)
        for each in inspect.signature(method).parameters.values()
    ]


@pytest.mark.parametrize(
    ("ours", "theirs", "door"),
    [(Engine, SimpleEngine, EngineDoor), (Analysis, SimpleAnalysisResult, AnalysisDoor)],
)
def test_no_method_and_no_argument_is_missing(ours, theirs, door):
    names = public_names(theirs) - OF_PROCESSES
    assert len(names) >= 11
    assert names <= public_names(door)
    for name in names - {"__exit__"}:
        method = getattr(theirs, name)
        if isinstance(method, property):
            assert isinstance(getattr(ours, name), property)
        else:
            assert arguments(getattr(ours, name)) == arguments(method), name
