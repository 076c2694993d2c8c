"""The estimate for what was found of a program's first step. Pure."""

from __future__ import annotations

from whydied.graph.op_table import Table
from whydied.graph.traced_step import TracedStep
from whydied.sizing.estimate import Estimate, estimate_step
from whydied.sizing.measured_step import estimate_measured

NO_STEP = (
    "the program ended, and no step was seen: fit, evaluate, predict, a tf.function that uses trainable variables, a "
    "GradientTape, or a run of a session (a model that is only called, as in model(x), is not a step)"
)


def answer(
    step: TracedStep | None,
    table: Table | None,
    batches: tuple[int, ...],
    limit_bytes: int,
    device_bytes: int | None = None,
) -> Estimate:
    """From a step that was traced or measured, or with the reason why there is none."""
    if step is None:
        return Estimate((), limit_bytes, NO_STEP)
    if table is not None:
        return Estimate((estimate_step(step, table, batches, limit_bytes, device_bytes),), limit_bytes)
    if step.measured:
        return Estimate((estimate_measured(step, batches, limit_bytes),), limit_bytes)
    return Estimate((), limit_bytes, step.reason)
