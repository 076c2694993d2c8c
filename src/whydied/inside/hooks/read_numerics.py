"""Small values that the program reads and that are NaN, in code that trains nothing; runs in the user's process.

An evaluation loop, a loss that is called by hand, a gradient that is only printed: nothing is updated, so nothing else
looks at them. What the program reads (`numpy`, `float`, a format) is looked at where it lies; where it is NaN, the list
of the ops that made it becomes a capture.

Invariant: only what the program's own code reads counts, or NumPy for it, and only before any step was captured: what
comes later may be a consequence. After the first ones looking takes at most a fiftieth of the time. The list that
belongs to no loop ends after a number of ops; a value that is NaN and was not listed begins it anew, for the next one.
"""

from __future__ import annotations

import os
from time import perf_counter
from types import FrameType, ModuleType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless, guard, live_source
from whydied.inside.guest.guard import guarded
from whydied.inside.numerics.eager import eager_steps
from whydied.inside.numerics.eager.eager_capture import capture_read
from whydied.inside.numerics.eager.named_tensors import holdings
from whydied.inside.numerics.step_file import has_captured, may_capture, options
from whydied.source.nan_tests import tests_for_nan

LARGEST_ELEMENTS = 16
LARGEST_MISSED = 3
_READS = ("numpy", "__float__", "__format__", "__str__", "__repr__", "__array__")
_FLOATS = frozenset({1, 2, 14, 19})
"""float32, float64, bfloat16 and float16, as TensorFlow numbers them."""
_NUMPY = f"{os.sep}numpy{os.sep}"
_SHARE = 50
"""Readings that follow each other closely are not all looked at: at most this part of the time goes into it."""
_until = 0.0
_first = 2000
"""So many readings are all looked at."""
_missed: set[tuple[int, int]] = set()


def hook_tensors(module: ModuleType) -> None:
    """`tensorflow.python.framework.ops`."""
    if "no-numerics" in options():
        return
    for name in _READS:
        with guard.limits("values that the program reads"):
            frameless.before_method(module._EagerTensorBase, name, _read)


def begin_list() -> None:
    """TensorFlow is imported: list the first ops of the program."""
    eager_steps.current().log.start_loosely()


def _read(tensor: Any, frame: FrameType) -> None:
    """`frame` is that of the caller. In the good case this is all there is."""
    global _until, _first
    if _first:
        _first -= 1
        _look(tensor, frame)
        return
    began = perf_counter()
    if began < _until:
        return
    _look(tensor, frame)
    _until = began + (perf_counter() - began) * _SHARE


def _look(tensor: Any, frame: FrameType) -> None:
    if tensor._datatype_enum() not in _FLOATS or tensor._num_elements() > LARGEST_ELEMENTS:
        return
    value = tensor._numpy()
    different = value != value
    if different is False or not (different if not tensor._rank() else different.any()):
        return
    _found(tensor, frame)


@guarded("read_numerics.found")
def _found(tensor: Any, frame: FrameType) -> None:
    reader: FrameType | None = frame
    while reader is not None and _NUMPY in reader.f_code.co_filename:
        reader = reader.f_back
    owner = journal.current()
    file = owner.ownership.user_file(reader) if reader is not None and owner is not None else None
    if reader is None or file is None:
        return
    source = live_source.source(file)
    if source is not None and tests_for_nan(source.tree, reader.f_lineno or 0):
        # The program knows what it may read.
        return
    thread = eager_steps.current()
    place = (id(reader.f_code), reader.f_lasti)
    if thread.bad is not None or has_captured() or not may_capture() or len(_missed) >= LARGEST_MISSED:
        return
    program = thread.program_of(tensor, reader)
    # While ops are listed, what none of them made is a constant of the program's own.
    if program is None and (thread.log.on or tensor._rank() or place in _missed):
        return
    names = [held.place.text for held in holdings(reader) if held.value is tensor and held.place.user]
    capture_read(tensor, names[0] if names else "", program, reader)
    if program is None:
        _missed.add(place)
        thread.log.stop()
        thread.log.start_loosely()
