"""Updates by an optimizer in a training loop that the user wrote and that runs eagerly; runs in the user's process."""

from __future__ import annotations

import sys
from types import FrameType, ModuleType
from typing import Any

from whydied.inside import frameless, guard, journal
from whydied.inside.guard import guarded
from whydied.inside.hooks import calls
from whydied.inside.hooks.pacing import Paced
from whydied.records import StepBegan

# Each library's innermost method that every update goes through once and that is only fetched to be called.
METHODS = (
    ("BaseOptimizer", "_backend_apply_gradients"),
    ("_BaseOptimizer", "_internal_apply_gradients"),
    ("Optimizer", "_internal_apply_gradients"),
    ("OptimizerV2", "_transform_unaggregated_gradients"),
)
_updates = Paced(2_000_000)


def hook_optimizer(module: ModuleType) -> None:
    hooked = False
    for owner, name in METHODS:
        kind = getattr(module, owner, None)
        if isinstance(kind, type) and name in kind.__dict__:
            frameless.before_method(kind, name, _applied)
            hooked = True
    if not hooked and "keras.src.optimizers.base_optimizer" not in sys.modules:
        guard.limited("optimizer steps", f"{module.__name__} has none of the methods that we know")
    _hook_numerics(module)


def _hook_numerics(module: ModuleType) -> None:
    from whydied.inside.hooks import eager_numerics

    eager_numerics.hook_optimizer(module)


@guarded("optimizer.applied")
def _applied(optimizer: Any, frame: FrameType) -> None:
    if calls.running(frame) is not None or not executing_eagerly():
        return
    number = _updates.one_more()
    if number is not None:
        journal.write(StepBegan(unit="apply", count=number, name=type(optimizer).__name__))


def executing_eagerly() -> bool:
    """Whether code runs now, and is not being traced into a graph."""
    context: Any = sys.modules.get("tensorflow.python.eager.context")
    return context is None or bool(context.executing_eagerly())
