"""Garbage collection held off while code of ours looks at other threads' objects; runs in the user's process.

Invariant: `gc.isenabled()`, `gc.enable` and `gc.disable` are the program's alone, because the threshold is set
to "never" instead. A thread of the program that collects, or asks for or sets the threshold, meanwhile waits until we
are done: a collection in the middle of a walk over many tensors crashes TensorFlow. A fork in the middle leaves the
child as the program had it.
"""

from __future__ import annotations

import gc
import sys
import time
from _thread import RLock, get_ident
from collections.abc import Iterator
from contextlib import contextmanager
from gc import get_threshold, set_threshold
from types import FrameType

from whydied.inside.guest import frameless

LONGEST_WAIT_S = 5.0
"""A walk of ours that is stuck must not stop the program for ever."""
_TICK_S = 0.001

_lock = RLock()
_holding: list[int] = []
_threshold: tuple[int, int, int] | None = None
_patience: tuple[float, float] | None = None
"""What the switch interval was, and what it is now."""


def install() -> None:
    for name in ("collect", "get_threshold", "set_threshold"):
        frameless.before(gc, name, _wait)


@contextmanager
def held_off() -> Iterator[None]:
    """No collection begins meanwhile."""
    global _threshold
    me = get_ident()
    try:
        with _lock:
            _holding.append(me)
            if _threshold is None:
                _threshold = get_threshold()
                set_threshold(0, *_threshold[1:])
        yield
    finally:
        with _lock:
            if me in _holding:
                _holding.remove(me)
            if not _holding:
                _put_threshold_back()


@contextmanager
def undisturbed(patience_s: float) -> Iterator[None]:
    """The same, and other threads wait so long for the interpreter before they ask for it."""
    global _patience
    with held_off():
        mine = _patience is None
        if mine:
            _patience = (sys.getswitchinterval(), patience_s)
            sys.setswitchinterval(patience_s)
        try:
            yield
        finally:
            if mine:
                _put_patience_back()


def after_fork_in_child() -> None:
    """The thread that looked is not there any more."""
    global _lock
    _lock = RLock()
    _holding.clear()
    _put_patience_back()
    _put_threshold_back()


def _put_threshold_back() -> None:
    global _threshold
    before, _threshold = _threshold, None
    # Another value was set by the program.
    if before is not None and get_threshold() == (0, *before[1:]):
        set_threshold(*before)


def _put_patience_back() -> None:
    global _patience
    told, _patience = _patience, None
    # Whole microseconds: what was set comes back a little different. Another value was set by the program.
    if told is not None and abs(sys.getswitchinterval() - told[1]) < 1e-5:
        sys.setswitchinterval(told[0])


def _wait(frame: FrameType) -> None:
    me = get_ident()
    until = time.monotonic() + LONGEST_WAIT_S
    while _holding and me not in _holding and time.monotonic() < until:
        time.sleep(_TICK_S)
