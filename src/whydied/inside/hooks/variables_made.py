"""`tf.Variable`s that the program makes itself, counted by line, and large arrays that become constants of a graph;
runs in the user's process.

Invariant: every variable is counted for its line, what Keras makes for its layers is not; a line is recorded at its
first few variables and then at most once in `PAUSE_NS`. An array is seen before it is copied, because the copies may be
what kills the program; of those below `LEAST_CONSTANT_BYTES` none is recorded, and at most `LARGEST_CONSTANTS` in all.
"""

from __future__ import annotations

import os
from collections import Counter
from types import FrameType, ModuleType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.pacing import Paced
from whydied.inside.guest.value_facts import describe
from whydied.records import ConstantMade, VariablesMade

LEAST_CONSTANT_BYTES = 16 << 20
LARGEST_CONSTANTS = 200
FREE = 3
PAUSE_NS = 100_000_000
_LARGEST_WALK = 60
_LARGEST_PLACES = 1000
_KERAS = (f"{os.sep}keras{os.sep}src{os.sep}", f"{os.sep}tf_keras{os.sep}src{os.sep}")
_places: dict[tuple[str, int], Paced] = {}
_constants = 0
_sizes: Counter[tuple[str, int]] = Counter()


def hook_variables(module: ModuleType) -> None:
    """`resource_variable_ops` or, of TensorFlow 1, `ref_variable`."""
    name = "RefVariable" if module.__name__.endswith("ref_variable") else "ResourceVariable"
    with guard.limits("variables"):
        frameless.before_method(getattr(module, name), "__init__", _made)


@guarded("variables_made.made")
def _made(variable: Any, frame: FrameType) -> None:
    owner = journal.current()
    if owner is None:
        return
    size, resizable = 0, False
    step: FrameType | None = frame
    for _ in range(_LARGEST_WALK):
        if step is None:
            return
        name = step.f_code.co_filename
        if any(part in name for part in _KERAS):
            return
        if owner.ownership.user_file(step) is not None:
            break
        names = of_library(step)
        size, resizable = size or _size(names), resizable or _is_open(names)
        step = step.f_back
    else:
        return
    _count(name, step, size, resizable)


def _count(name: str, frame: FrameType, size: int, resizable: bool) -> None:
    place = (name, frame.f_lineno or 0)
    if place not in _places and len(_places) >= _LARGEST_PLACES:
        return
    paced = _places.setdefault(place, Paced(PAUSE_NS, FREE))
    _sizes[place] += size
    count = paced.one_more()
    if count is not None:
        user = journal.frames(frame)
        journal.write(VariablesMade(count=count, size_bytes=_sizes[place], frames=user, resizable=resizable))


def _size(names: dict[str, Any]) -> int:
    """The bytes of the initial value, where a frame of TensorFlow's has it."""
    value = names.get("initial_value")
    return describe(value).size_bytes or 0 if value is not None else 0


def _is_open(names: dict[str, Any]) -> bool:
    """Whether a frame of TensorFlow's was asked for a shape with an extent that is not fixed, or for none."""
    if names.get("validate_shape") is False:
        return True
    shape: Any = names.get("shape")
    if type(shape).__name__ == "TensorShape":
        return not shape.is_fully_defined()
    return type(shape) in (list, tuple) and None in shape


@guarded("constants.made")
def _constant_made(frame: FrameType) -> None:
    """`frame` is that of TensorFlow's function that makes a constant of its `value`."""
    global _constants
    value = of_library(frame).get("value")
    if value is None or type(value).__module__ != "numpy" or _constants >= LARGEST_CONSTANTS:
        return
    facts = describe(value)
    if (facts.size_bytes or 0) < LEAST_CONSTANT_BYTES:
        return
    user = journal.frames(frame)
    if user:
        _constants += 1
        journal.write(ConstantMade(size_bytes=facts.size_bytes or 0, frames=user, shape=facts.shape, dtype=facts.dtype))


hook_constants = frameless.hooking("constants", "make_tensor_proto", _constant_made)
