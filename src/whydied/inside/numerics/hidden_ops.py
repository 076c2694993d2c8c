"""TensorFlow used by us without a trace in what the program sees; runs in the user's process.

Invariant: no tape of the program's records our ops, no op callback of its own (check_numerics, the debugger) is
told of them, and devices, name scopes and control dependencies of the program's do not reach them.

TensorFlow numbers tensors and functions with one counter, and quotes the numbers of functions in its errors
("[Op:__inference_step_950]"). Our own ops use numbers up too, and these are left out of the count, which never goes
back: a name is given out once. The numbers of tensors stay as they are: by them tapes know one from the other.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from typing import Any

SCOPE = "whydied_watch"
_depth = threading.local()
_lock = threading.Lock()


def tensorflow() -> Any:
    return sys.modules["tensorflow"]


def module(name: str) -> Any:
    """A module below `tensorflow.python`."""
    return import_module(f"tensorflow.python.{name}")


def form_of(handle: Any) -> Any:
    """Type and shape of the variable behind a handle, as TensorFlow's proto has them; None where it is no variable."""
    data = getattr(handle, "_handle_data", None)
    return data.shape_and_type[0] if data is not None and data.is_set and len(data.shape_and_type) == 1 else None


class NotEager(Exception):
    """The program builds a graph of its own outside of functions, as TensorFlow 1 does."""


@contextmanager
def eagerly() -> Iterator[None]:
    """Ops run at once, on the host. Raises NotEager where that cannot be."""
    context, ops = module("eager.context"), module("framework.ops")
    with ExitStack() as stack:
        stack.enter_context(ops.init_scope())
        if not context.executing_eagerly():
            raise NotEager
        stack.enter_context(_unseen())
        stack.enter_context(ops.device("/device:CPU:0"))
        yield


@contextmanager
def in_graph(graph: Any) -> Iterator[None]:
    """Ops are added to a graph whose trace is over, under `SCOPE`. Their stacks do not show our frames."""
    ops = module("framework.ops")
    with ExitStack() as stack:
        stack.enter_context(graph.as_default())
        stack.enter_context(_without_our_frames())
        stack.enter_context(_unseen())
        stack.enter_context(ops.control_dependencies(None))
        stack.enter_context(ops.device(None))
        stack.enter_context(graph.name_scope(SCOPE + "/"))
        yield


def _without_our_frames() -> Any:
    class OurFrames(module("util.tf_stack").StackTraceFilter):  # type: ignore[misc]
        def get_filtered_filenames(self) -> frozenset[str]:
            return _our_files()

    return OurFrames()


@cache
def _our_files() -> frozenset[str]:
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return frozenset(os.path.join(path, name) for path, _, names in os.walk(root) for name in names)


@contextmanager
def _unseen() -> Iterator[None]:
    context, record, ops = module("eager.context"), module("eager.record"), module("framework.ops")
    current = context.context()
    before = current.invoking_op_callbacks
    # TensorFlow sets it while it calls the callbacks, so that their own ops are not told to them.
    current.invoking_op_callbacks = True
    try:
        with record.stop_recording(), _left_out(ops):
            yield
    finally:
        current.invoking_op_callbacks = before


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
def _left_out(ops: Any) -> Iterator[None]:
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
