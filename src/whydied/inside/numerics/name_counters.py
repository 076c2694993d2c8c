"""Keeps the numbers of TensorFlow as they would be without us; runs in the user's process.

TensorFlow numbers tensors and functions with one counter, and quotes the numbers of functions in its errors
("[Op:__inference_step_950]"). Our own ops use numbers up too.

Invariant: a name is given out once, because the numbers that are used up for us are left out of the count, and
the count never goes back. The numbers of tensors stay as they are: by them tapes know one from the other.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_depth = threading.local()
_lock = threading.Lock()


class _Number:
    """Stands for `ops.uid`."""

    def __init__(self, original: Any, home: dict[str, Any]) -> None:
        self.__wrapped__ = original
        self._home = home
        self.left_out = 0

    def __call__(self) -> int:
        number = int(self.__wrapped__())
        # The module itself numbers symbolic tensors, which share their numbers with those that native code makes.
        return number if sys._getframe(1).f_globals is self._home else number - self.left_out


@contextmanager
def left_out(ops: Any) -> Iterator[None]:
    """What is numbered meanwhile, in this thread, does not count. `ops` is TensorFlow's module."""
    number = ops.uid
    if not isinstance(number, _Number):
        number = ops.uid = _Number(number, vars(ops))
    if getattr(_depth, "value", 0):
        yield
        return
    _depth.value = 1
    before = number.__wrapped__()
    try:
        yield
    finally:
        _depth.value = 0
        with _lock:
            number.left_out += number.__wrapped__() + 1 - before
