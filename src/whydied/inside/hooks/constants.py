"""Large arrays that become constants of a graph; runs in the user's process.

Invariant: an array is seen before it is copied, because the copies may be what kills the program. Nothing is
recorded below `LEAST_BYTES`, and at most `LARGEST_RECORDS` in all.
"""

from __future__ import annotations

from types import FrameType, ModuleType

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.value_facts import describe
from whydied.records import ConstantMade

LEAST_BYTES = 16 << 20
LARGEST_RECORDS = 200
_recorded = 0


def hook_constants(module: ModuleType) -> None:
    with guard.limits("constants"):
        frameless.before(module, "make_tensor_proto", _made)


@guarded("constants.made")
def _made(frame: FrameType) -> None:
    """`frame` is that of TensorFlow's function that makes a constant of its `value`."""
    global _recorded
    value = of_library(frame).get("value")
    if value is None or type(value).__module__ != "numpy" or _recorded >= LARGEST_RECORDS:
        return
    facts = describe(value)
    if (facts.size_bytes or 0) < LEAST_BYTES:
        return
    user = journal.frames(frame)
    if user:
        _recorded += 1
        journal.write(ConstantMade(size_bytes=facts.size_bytes or 0, frames=user, shape=facts.shape, dtype=facts.dtype))
