"""Starting engines for suites."""

import asyncio
import contextlib
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chess.engine

# how long an engine may take to answer the protocol's first greeting (seconds)
START_TIME = 30.0


@dataclass(frozen=True)
class EngineSpec:
    """An engine: its name, how to start it, its options, and whether it speaks XBoard instead of UCI."""

    name: str
    command: list[str]
    options: dict[str, Any] = field(default_factory=dict)
    xboard: bool = False


def engine_from_text(text: str, options: dict[str, Any]) -> EngineSpec:
    """Reads "[NAME=][xboard:]COMMAND", the command with its arguments as a shell would split it. Raises ValueError."""
    named = re.match(r"([^=/\\\s]+)=(.+)", text)
    line = named[2] if named else text
    xboard = line.startswith("xboard:")
    command = shlex.split(line.removeprefix("xboard:"))
    if not command:
        raise ValueError(f"no engine command in {text!r}")
    return EngineSpec(named[1] if named else Path(command[0]).stem, command, options, xboard)


async def open_engine(spec: EngineSpec) -> tuple[asyncio.SubprocessTransport, chess.engine.Protocol]:
    """Starts an engine and sets its options. Raises OSError or chess.engine.EngineError.

    The engine gets a process group of its own, so that Ctrl-C reaches this program alone.
    """
    speaks = chess.engine.XBoardProtocol if spec.xboard else chess.engine.UciProtocol
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(speaks, *spec.command, start_new_session=True)
    try:
        await asyncio.wait_for(protocol.initialize(), START_TIME)
        await protocol.configure(spec.options)
    except asyncio.TimeoutError:
        await kill_engine(transport, protocol)
        raise chess.engine.EngineError(f"no answer to the first greeting within {START_TIME:g} s") from None
    except BaseException:
        await kill_engine(transport, protocol)
        raise
    return transport, protocol


async def kill_engine(transport: asyncio.SubprocessTransport, protocol: chess.engine.Protocol) -> None:
    """Ends an engine's process at once, and returns when it is gone."""
    with contextlib.suppress(ProcessLookupError):
        transport.kill()
    await asyncio.wait([protocol.returncode])
    transport.close()
