"""What a traced step would take with so many rows: bytes of tensors and of the process. Pure.

The step is simulated a few times from what the process really had before it: the allocator's free chunks, where each
variable lies, which of them share memory. `peak_tensor_bytes` is what TensorFlow's allocator would name as its peak
after `STEPS` steps of that call in a fresh process.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import NamedTuple

from whydied.graph.allocator_model import COUNTED_BYTES
from whydied.graph.dataflow import expand_final
from whydied.graph.expansion import Bindings, Expansion, expand
from whydied.graph.op_table import Table, element_bytes, elements
from whydied.graph.simulation import Peak, Simulation, Start
from whydied.graph.traced_step import TracedStep
from whydied.sizing.eager_order import in_program_order

STEPS = 5
SEEDS = 5
JITTER = 0.5
"""The highest of five steps is decided by ops that happen to take long, more so on a machine that does other things.
Of 0.3, 0.5 and 0.8 this had the smallest error over 75 trainings, by a tenth of a per cent."""
LARGE_NODES = 8_000
"""Luck matters less in steps of more nodes, and they take longer: fewer are simulated."""
FIRST_STEP_BYTES = 25 << 20
"""What a first step takes beside tensors: the code of kernels, their threads and plans. The median of 12 trainings on
TensorFlow 2.21 was 19 MB, the highest 77; a calibration measures it instead."""


class Predicted(NamedTuple):
    """`step_bytes` is what the allocator counts above the start, `touched_bytes` by what the process grows; `peak` is
    the highest moment of the simulated steps, `expansion` the step that it belongs to."""

    batch: int
    peak_tensor_bytes: int
    peak_rss_bytes: int
    step_bytes: int
    touched_bytes: int
    peak: Peak
    expansion: Expansion


class Steps(NamedTuple):
    """A traced step and its table. `change` alters an expansion before it is simulated, for what-if questions."""

    step: TracedStep
    table: Table
    change: Callable[[Expansion], Expansion] | None = None

    def predict(self, batch: int, *, roughly: bool = False) -> Predicted:
        """With so many rows; `roughly` simulates fewer steps."""
        return predict(self, batch, roughly=roughly)


def predict(steps: Steps, batch: int, *, roughly: bool = False) -> Predicted:
    step, table = steps.step, steps.table
    expansion = expanded(table, step, batch)
    if steps.change is not None:
        expansion = steps.change(expansion)
    peak, simulation = _simulated(expansion, table.threads or 1, _start(step), roughly)
    own = step.allocator
    base = own.current_bytes if own is not None else simulation.base_bytes
    kept = _results_bytes(expansion) if step.results_stay else 0
    highest = base - _present_inputs(step) + peak.above_bytes + kept
    touched = simulation.touched_bytes + simulation.most_small_bytes + _joined_results(step, expansion) + kept
    return Predicted(
        batch=batch,
        peak_tensor_bytes=max(highest, own.peak_bytes if own is not None else 0),
        peak_rss_bytes=max(step.most_rss_bytes, step.rss_bytes + touched + overhead_bytes(steps)),
        step_bytes=peak.above_bytes,
        touched_bytes=touched,
        peak=peak,
        expansion=expansion,
    )


def overhead_bytes(steps: Steps) -> int:
    """What steps take beside tensors: as a real one showed, else as usual."""
    known = steps.step.calibration
    if known is None:
        return FIRST_STEP_BYTES
    expansion = expanded(steps.table, steps.step, known.batch)
    _, simulation = _simulated(expansion, steps.table.threads or 1, _start(steps.step), True)
    tensors = simulation.touched_bytes + simulation.most_small_bytes
    return max(0, known.peak_bytes - known.before_bytes - tensors)


def expanded(table: Table, step: TracedStep, batch: int) -> Expansion:
    shapes = tuple((batch, *shape[1:]) if shape else shape for shape in step.inputs)
    bindings = Bindings(batch, shapes)
    found = expand_final(table, bindings) if table.origin == "final" else expand(table, bindings)
    return in_program_order(found) if step.eager else found


def _start(step: TracedStep) -> Start:
    own = step.allocator
    if own is None:
        return Start(ready=max(1, step.ready), jitter=JITTER, keeps_results=step.kept_results)
    held = tuple((one.variable, one.address) for one in own.held)
    return Start(tuple(own.free), own.next_region_bytes, held, max(1, step.ready), JITTER, step.kept_results)


def _simulated(expansion: Expansion, threads: int, start: Start, roughly: bool) -> tuple[Peak, Simulation]:
    """The middle of several tries of `STEPS` steps each, by their highest moment."""
    fewer = roughly or len(expansion.nodes) > LARGE_NODES
    found = []
    for seed in range(1 if fewer else SEEDS):
        simulation = Simulation(expansion, threads, seed, start)
        peaks = [simulation.step() for _ in range(2 if fewer and not start.keeps_results else STEPS)]
        found.append((max(peaks, key=lambda peak: peak.above_bytes), simulation))
    middle = statistics.median_low(peak.above_bytes for peak, _ in found)
    return next(one for one in found if one[0].above_bytes == middle)


def _present_inputs(step: TracedStep) -> int:
    """Bytes of inputs that are counted already, because the program has made them."""
    if step.batch is None or not (step.begun or step.feeding == "held"):
        return 0
    return max(1, step.ready) * input_bytes(step, step.batch)


def input_bytes(step: TracedStep, batch: int, least: int = COUNTED_BYTES) -> int:
    """Bytes of the inputs of one step that the allocator counts."""
    found = 0
    for shape, dtype in zip(step.inputs, step.input_dtypes, strict=False):
        if shape:
            size = batch * elements(tuple(extent or 1 for extent in shape[1:])) * element_bytes(dtype)
            found += size if size >= least else 0
    return found


def _joined_results(step: TracedStep, expansion: Expansion) -> int:
    """What is made of results that were kept: one array, at the end."""
    if not step.kept_results:
        return 0
    return STEPS * _results_bytes(expansion)


def _results_bytes(expansion: Expansion) -> int:
    """What the step makes and hands out."""
    return sum(expansion.cells[cell].size_bytes for cell in set(expansion.results) if expansion.cells[cell].node >= 0)
