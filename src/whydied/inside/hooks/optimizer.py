"""Optimizers: where they are made, and updates in a training loop that the user wrote and that runs eagerly; runs in
the user's process."""

from __future__ import annotations

import atexit
import sys
from types import FrameType, ModuleType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.pacing import Paced
from whydied.inside.hooks import eager_numerics
from whydied.inside.model import layer_lines, open_calls
from whydied.inside.model.execution_mode import executing_eagerly
from whydied.inside.numerics.step_file import options
from whydied.records import NormsSeen, StepBegan

# Each library's innermost method that every update goes through once and that is only fetched to be called.
_UPDATE_METHODS = (
    ("BaseOptimizer", "_backend_apply_gradients"),
    ("_BaseOptimizer", "_internal_apply_gradients"),
    ("Optimizer", "_internal_apply_gradients"),
    ("OptimizerV2", "_transform_unaggregated_gradients"),
)
SCALE_FLOOR = 1.0
_updates = Paced(2_000_000)
_scaled = False


def hook_optimizer(module: ModuleType) -> None:
    hooked = False
    for owner, name in _UPDATE_METHODS:
        kind = getattr(module, owner, None)
        if isinstance(kind, type) and name in kind.__dict__:
            frameless.before_method(kind, name, _applied)
            if "no-numerics" not in options():
                # They run after a loss scale has said yes.
                frameless.before_method(kind, name, eager_numerics.applies)
            hooked = True
        if isinstance(kind, type) and "__init__" in kind.__dict__:
            frameless.before_method(kind, "__init__", _constructed)
    if not hooked and "keras.src.optimizers.base_optimizer" not in sys.modules:
        guard.limited("optimizer steps", f"{module.__name__} has none of the expected methods")


@guarded("optimizer.constructed")
def _constructed(optimizer: Any, frame: FrameType) -> None:
    global _scaled
    layer_lines.optimizers.note(optimizer, frame)
    if not _scaled and "LossScale" in type(optimizer).__name__:
        _scaled = True
        atexit.register(_end)


@guarded("optimizer.end")
def _end() -> None:
    """A loss scale at its floor is told: where each step is left out, nobody else sees it."""
    from whydied.inside.numerics.traced.traced_norms import number_of
    from whydied.inside.numerics.variable_names import scale_of

    for optimizer in layer_lines.optimizers.living():
        scale = number_of(scale_of(optimizer)) if "LossScale" in type(optimizer).__name__ else None
        if scale is not None and scale <= SCALE_FLOOR:
            made = layer_lines.optimizers.frame(optimizer)
            journal.write(
                NormsSeen(
                    function="", names=[], steps=[], norms=[], moment="end", scale=scale, optimizer_made=made
                )
            )  # fmt: skip


@guarded("optimizer.applied")
def _applied(optimizer: Any, frame: FrameType) -> None:
    if open_calls.running(frame) is not None or not executing_eagerly():
        return
    number = _updates.one_more()
    if number is not None:
        journal.write(StepBegan(unit="apply", count=number, name=type(optimizer).__name__))
