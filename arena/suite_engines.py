"""Starting engines for suites."""

import asyncio
import shlex
from dataclasses import dataclass, field
from typing import Any

import chess.engine


@dataclass(frozen=True)
class EngineSpec:
    """An engine: its name, how to start it, and its options."""

    name: str
    command: list[str]
    options: dict[str, Any] = field(default_factory=dict)


def engine_from_text(text: str, options: dict[str, Any]) -> EngineSpec:
    """Reads "name=command with arguments", or a bare command."""
    head, separator, tail = text.partition("=")
    named = bool(separator) and "/" not in head and " " not in head
    command = shlex.split(tail if named else text)
    return EngineSpec(head if named else command[0].rsplit("/", 1)[-1], command, options)


async def open_engine(spec: EngineSpec) -> tuple[asyncio.SubprocessTransport, chess.engine.Protocol]:
    """Starts an engine and sets its options."""
    transport, protocol = await chess.engine.popen_uci(spec.command)
    await protocol.configure(spec.options)
    return transport, protocol
