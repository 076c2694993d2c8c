"""How the program ends itself; runs in the user's process.

Invariant: the record is in the page cache before the real call, which gets the same arguments from the same
frame, and gives the same result and errors.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless
from whydied.inside.guest.guard import guarded
from whydied.inside.sampling import kept_sources
from whydied.records import ExitRequested, RaisedException

_last_words: list[Callable[[], None]] = []


def install(last_words: Callable[[], None]) -> None:
    """Hook the ways out. `last_words` runs before those that skip the interpreter's orderly end."""
    _last_words[:] = [last_words]
    frameless.final(sys, "exit", _sys_exit)
    frameless.final(os, "_exit", _os_exit)
    frameless.final(os, "abort", _os_abort)
    frameless.final(os, "execv", _os_exec)
    frameless.final(os, "execve", _os_exec)
    frameless.final(os, "kill", _os_kill, returns=True)
    frameless.final(os, "killpg", _os_killpg, returns=True)
    quitter = type(getattr(builtins, "exit", None))
    if quitter.__module__ == "_sitebuiltins":
        frameless.before_method(quitter, "__call__", _quit)


@guarded("exits.sys.exit")
def _sys_exit(args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
    _request("sys.exit", frame, status=_status(args[0] if args else None))


@guarded("exits.exit")
def _quit(quitter: Any, frame: FrameType) -> None:
    _request("exit", frame)


@guarded("exits.os._exit")
def _os_exit(args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
    status = args[0] if args else kwargs.get("status")
    _request("os._exit", frame, status=_status(status))
    for words in _last_words:
        words()


@guarded("exits.os.abort")
def _os_abort(args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
    _request("os.abort", frame)


@guarded("exits.os.exec")
def _os_exec(args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
    path = args[0] if args else kwargs.get("path")
    if isinstance(path, (str, bytes, os.PathLike)) and os.access(path, os.X_OK):
        _request("os.exec", frame, status=os.fsdecode(path)[:300])
        for words in _last_words:
            words()


@guarded("exits.os.kill")
def _os_kill(args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
    _signal_sent("os.kill", args, (os.getpid(), 0, -1, -os.getpgrp()), frame)


@guarded("exits.os.killpg")
def _os_killpg(args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
    _signal_sent("os.killpg", args, (os.getpgrp(), 0), frame)


def _signal_sent(how: str, args: tuple[Any, ...], ours: tuple[int, ...], frame: FrameType) -> None:
    if len(args) != 2 or not isinstance(args[0], int) or not isinstance(args[1], int):
        return
    target, number = int(args[0]), int(args[1])
    if number != 0 and target in ours:
        _request(how, frame, signal=number)


def _request(how: str, frame: FrameType, **facts: Any) -> None:
    journal.before_death()
    journal.write(ExitRequested(how=how, frames=journal.frames(frame), handling=_handling(how, facts), **facts))
    kept_sources.look()


def _handling(how: str, facts: dict[str, Any]) -> list[RaisedException]:
    """The exception that the program caught and ends itself for."""
    owner = journal.current()
    succeeds = how in ("sys.exit", "os._exit") and facts.get("status") in (None, "0")
    if owner is None or sys.exc_info()[1] is None or succeeds or how not in ("sys.exit", "os._exit", "exit"):
        return []
    from whydied.inside.errors import handled_exception

    for facts_around in handled_exception.facts():
        owner.write(facts_around)
    return handled_exception.handled(owner.ownership)


def _status(value: object) -> str | None:
    if value is None or isinstance(value, (int, bool)):
        return None if value is None else str(int(value))
    if isinstance(value, str):
        from whydied import redact

        return redact.text(value[:500])
    return f"<{type(value).__qualname__}>"
