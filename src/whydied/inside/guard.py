"""The guard around all our code in the user's process: our error is recorded and goes no further.

What always holds: no Exception of ours leaves a guarded function; what is not an Exception (KeyboardInterrupt,
SystemExit) passes, because it is the user's. Each place reports its first error, at most `LARGEST_REPORTS` in all.

`WHYDIED_INJECT=<place>[,…]` makes a place fail on purpose, so that a test can show for each that the program does not
notice. `PLACES` is the list of all places whose module is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from whydied.records import InternalError, Record, RecorderLimited

ENV_INJECT = "WHYDIED_INJECT"
LARGEST_REPORTS = 50
PLACES: set[str] = set()

_F = TypeVar("_F", bound=Callable[..., Any])
_injected = frozenset(filter(None, os.environ.get(ENV_INJECT, "").split(",")))
_reported: set[str] = set()
_sink: Callable[[Record], None] | None = None


class InjectedFault(Exception):
    """Raised by a place that `WHYDIED_INJECT` names."""


def report_to(sink: Callable[[Record], None] | None) -> None:
    """Where errors go: the stream of this process."""
    global _sink
    _sink = sink


def forget() -> None:
    """A forked child reports its own errors anew."""
    _reported.clear()


def guarded(place: str) -> Callable[[_F], _F]:
    """Run a function of ours inside the guard; it returns None where it failed."""
    PLACES.add(place)

    def decorate(function: _F) -> _F:
        if place in _injected:

            @wraps(function)
            def failing(*args: Any, **kwargs: Any) -> Any:
                try:
                    raise InjectedFault(place)
                except InjectedFault as error:
                    swallowed(place, error)

            return failing  # type: ignore[return-value]

        @wraps(function)
        def guarding(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except Exception as error:
                swallowed(place, error)

        return guarding  # type: ignore[return-value]

    return decorate


def swallowed(place: str, error: BaseException) -> None:
    """Record an error of ours, once a place."""
    try:
        if _sink is None or place in _reported or len(_reported) >= LARGEST_REPORTS:
            return
        _reported.add(place)
        _sink(InternalError(where=place, error=f"{type(error).__name__}: {error}"[:500], traceback=_brief(error)))
    except Exception:
        pass


def limited(what: str, reason: str) -> None:
    """Record, once, that we do without something."""
    key = f"limited:{what}"
    if _sink is None or key in _reported:
        return
    _reported.add(key)
    try:
        _sink(RecorderLimited(what=what, reason=reason[:500]))
    except Exception:
        pass


def _brief(error: BaseException) -> str:
    """The last lines of a traceback, without loading the module `traceback`."""
    lines: list[str] = []
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        lines.append(f"{os.path.basename(code.co_filename)}:{step.tb_lineno} in {code.co_name}")
        step = step.tb_next
    return "\n".join(lines[-12:])
