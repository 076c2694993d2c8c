"""Updates by an optimizer in a training loop that the user wrote and that runs eagerly; runs in the user's process."""

from __future__ import annotations

import sys
import time
from types import FrameType, ModuleType
from typing import Any

from whydied.inside import frameless, guard, journal
from whydied.inside.guard import guarded
from whydied.inside.hooks import calls
from whydied.records import StepBegan

PAUSE_NS = 2_000_000
# Each library's innermost method that every update goes through once and that is only fetched to be called.
_METHODS = (
    ("BaseOptimizer", "_backend_apply_gradients"),
    ("_BaseOptimizer", "_internal_apply_gradients"),
    ("Optimizer", "_internal_apply_gradients"),
    ("OptimizerV2", "_transform_unaggregated_gradients"),
)
_count = 0
_last_ns = 0


def hook_optimizer(module: ModuleType) -> None:
    hooked = False
    for owner, name in _METHODS:
        kind = getattr(module, owner, None)
        if isinstance(kind, type) and name in kind.__dict__:
            frameless.before_method(kind, name, _applied)
            hooked = True
    if not hooked and "keras.src.optimizers.base_optimizer" not in sys.modules:
        guard.limited("optimizer steps", f"{module.__name__} has none of the methods that we know")


@guarded("optimizer.applied")
def _applied(optimizer: Any, frame: FrameType) -> None:
    global _count, _last_ns
    if calls.running(frame) is not None or not executing_eagerly():
        return
    _count += 1
    now = time.monotonic_ns()
    if now - _last_ns >= PAUSE_NS:
        _last_ns = now
        journal.write(StepBegan(unit="apply", count=_count, name=type(optimizer).__name__))


def executing_eagerly() -> bool:
    """Whether code runs now, and is not being traced into a graph."""
    context: Any = sys.modules.get("tensorflow.python.eager.context")
    return context is None or bool(context.executing_eagerly())
