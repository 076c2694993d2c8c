"""Runs a `whydied` command in a process of its own and reads its JSON. Runs in the server of `whydied mcp`.

A command forks, waits for signals and replays steps, which a server with threads must not do itself; and so what an
assistant is told is what the command says, by construction.

Invariant: nothing of the command reaches the server's own streams, over which it talks with the assistant; a command
whose caller went away is interrupted as by Ctrl-C, and killed if that does not help.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import anyio
from anyio.abc import ByteReceiveStream, Process

from whydied.errors import WhydiedError

_GRACE_S = 20.0
_LAST_LINES = 40
Hears = Callable[[str], Awaitable[None]]
"""Is given each line that the command says while it works."""


_running: set[Process] = set()


async def end_all() -> None:
    """For a server that leaves."""
    async with anyio.create_task_group() as group:
        for process in _running:
            group.start_soon(_end, process)


async def answer(words: Sequence[str], hears: Hears | None = None) -> dict[str, Any]:
    """The JSON that a command prints. Raises what it refused, in its words."""
    printed: list[bytes] = []
    said: list[str] = []
    process = await anyio.open_process(
        [sys.executable, "-m", "whydied", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
    )
    _running.add(process)
    try:
        async with anyio.create_task_group() as group:
            assert process.stdout is not None
            assert process.stderr is not None
            group.start_soon(_collect, process.stdout, printed)
            group.start_soon(_listen, process.stderr, said, hears)
        await process.wait()
    finally:
        _running.discard(process)
        await _end(process)
    return _read(b"".join(printed), said, process.returncode)


def _read(printed: bytes, said: Sequence[str], status: int | None) -> dict[str, Any]:
    try:
        found = json.loads(printed)
    except ValueError:
        found = None
    if isinstance(found, dict):
        # Also with another status than 0: some commands tell with it what they found.
        return found
    raise refusal(said, status)


def refusal(said: Sequence[str], status: int | None) -> WhydiedError:
    """What a command said as it refused: its last sentence and hint."""
    sentence = next((line.removeprefix("whydied: ") for line in reversed(said) if line.startswith("whydied: ")), "")
    sentence = sentence or next((line.removeprefix("Error: ") for line in said if line.startswith("Error: ")), "")
    hint = next((line.removeprefix("hint: ") for line in reversed(said) if line.startswith("hint: ")), None)
    return WhydiedError(sentence or f"whydied ended with status {status} and said nothing", hint)


def _environment() -> dict[str, str]:
    """UTF-8 whatever the locale, no colours, and sentences on one line."""
    return {
        **{name: value for name, value in os.environ.items() if name != "COLUMNS"},
        "PYTHONIOENCODING": "utf-8",
        "NO_COLOR": "1",
    }


async def _collect(stream: ByteReceiveStream, into: list[bytes]) -> None:
    async for chunk in stream:
        into.append(chunk)


async def _listen(stream: ByteReceiveStream, into: list[str], hears: Hears | None) -> None:
    rest = b""
    async for chunk in stream:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            await _heard(line, into, hears)
    if rest:
        await _heard(rest, into, hears)


async def _heard(line: bytes, into: list[str], hears: Hears | None) -> None:
    text = line.decode("utf-8", "replace").strip()
    if text:
        into.append(text)
        del into[:-_LAST_LINES]
        if hears is not None:
            await hears(text)


async def _end(process: Process) -> None:
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
            with anyio.move_on_after(_GRACE_S):
                await process.wait()
        if process.returncode is None:
            process.kill()
            await process.wait()
        await process.aclose()
