"""The guard around all our code in the user's process: our error is recorded and goes no further.

Invariant: no Exception of ours leaves a guarded function. What is the user's passes, without frames of ours:
all that is not an Exception (KeyboardInterrupt, SystemExit), and what a signal handler or a trace function of the
program's raised while our code ran, such as a TimeoutError at an alarm (`interruption`). Each place reports its first
error, at most `LARGEST_REPORTS` in all.

`WHYDIED_INJECT=<place>[,…]` makes a place fail on purpose, so that a test can show for each that the program does not
notice. `PLACES` is the list of all places whose module is loaded.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import CodeType, FrameType, FunctionType, MethodType, TracebackType
from typing import Any, TypeVar

from whydied import redact
from whydied.errors import CheckFailed
from whydied.records import InternalError, Record, RecorderLimited

ENV_INJECT = "WHYDIED_INJECT"
LARGEST_REPORTS = 50
PLACES: set[str] = set()
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

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
                if is_the_users(error):
                    raise
                swallowed(place, error)

        return guarding  # type: ignore[return-value]

    return decorate


def otherwise(answer: Any) -> Callable[[_F], _F]:
    """Have a function of ours give this answer where it fails: a half-built object, or a library that changed."""

    def decorate(function: _F) -> _F:
        @wraps(function)
        def answering(*args: Any) -> Any:
            try:
                return function(*args)
            except Exception as error:
                if is_the_users(error):
                    raise
                return answer

        return answering  # type: ignore[return-value]

    return decorate


def is_the_users(error: BaseException) -> bool:
    """Whether an error that ran into code of ours is to go on to the program. Our frames are then taken off it."""
    if type(error) is FloatingPointError and getattr(error, "whydied_stop", False):
        error.__traceback__ = None
        return True
    if isinstance(error, CheckFailed):
        # An assertion that the user configured.
        error.__traceback__ = None
        return True
    try:
        step = interruption(error)
        if step is None or not _below_is_the_program():
            return False
        error.__traceback__ = step
        return True
    except Exception:
        return False


def stop(message: str) -> FloatingPointError:
    """An error to raise inside the guard that goes on to the program: `--stop-on-nan` asks for it."""
    error = FloatingPointError(message)
    error.whydied_stop = True  # type: ignore[attr-defined]
    return error


def interruption(error: BaseException) -> TracebackType | None:
    """Where, in the traceback of an error, a signal handler or a trace function of the program's began.

    Python calls both with the frame that they interrupt. A handler that has given that name to something else is known
    by its code. An exception that one thread sets in another leaves no such trace.
    """
    step, codes = error.__traceback__, None
    while step is not None:
        frame = step.tb_frame
        if not frame.f_code.co_filename.startswith(_OURS):
            codes = _handler_codes() if codes is None else codes
            if frame.f_code in codes or _was_given_its_caller(frame):
                return step
        step = step.tb_next
    return None


def _handler_codes() -> list[CodeType]:
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    return [handler.__code__ for handler in handlers if isinstance(handler, (FunctionType, MethodType))]


def _was_given_its_caller(frame: FrameType) -> bool:
    code, caller = frame.f_code, frame.f_back
    if caller is None:
        return False
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + (1 if code.co_flags & 0x04 else 0)]
    held = frame.f_locals
    values = [held.get(name) for name in names]
    return any(value is caller or (type(value) is tuple and any(item is caller for item in value)) for value in values)


def _below_is_the_program() -> bool:
    """Not so at the end of the interpreter, which calls us by itself: nobody could catch it there."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    return frame is not None


def swallowed(place: str, error: BaseException) -> None:
    """Record an error of ours, once a place."""
    try:
        if _sink is None or place in _reported or len(_reported) >= LARGEST_REPORTS:
            return
        _reported.add(place)
        text = redact.text(f"{type(error).__name__}: {error}"[:500])
        _sink(InternalError(where=place, error=text, traceback=_brief(error)))
    except Exception:
        pass


def limited(what: str, reason: str) -> None:
    """Record, once, that we do without something."""
    key = f"limited:{what}"
    if _sink is None or key in _reported:
        return
    _reported.add(key)
    try:
        _sink(RecorderLimited(what=what, reason=redact.text(reason[:500])))
    except Exception:
        pass


@contextmanager
def limits(what: str) -> Iterator[None]:
    """While a hook is put in place: record that we do without it where the library is not as expected."""
    try:
        yield
    except (AttributeError, ImportError) as error:
        limited(what, str(error))


def _brief(error: BaseException) -> str:
    """The last lines of a traceback, without loading the module `traceback`."""
    lines: list[str] = []
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        lines.append(f"{os.path.basename(code.co_filename)}:{step.tb_lineno} in {code.co_name}")
        step = step.tb_next
    return "\n".join(lines[-12:])
