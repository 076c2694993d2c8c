"""TensorFlow used by us without a trace in what the program sees; runs in the user's process.

Invariant: no tape of the program's records our ops, no op callback of its own (check_numerics, the debugger) is
told of them, and devices, name scopes and control dependencies of the program's do not reach them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from whydied.inside.numerics import name_counters

SCOPE = "whydied_watch"


def tensorflow() -> Any:
    return sys.modules["tensorflow"]


def module(name: str) -> Any:
    """A module below `tensorflow.python`."""
    return import_module(f"tensorflow.python.{name}")


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
        with record.stop_recording(), name_counters.left_out(ops):
            yield
    finally:
        current.invoking_op_callbacks = before
