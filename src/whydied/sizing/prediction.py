"""What a traced step would take with so many rows: bytes of tensors and of the process. Pure.

The step is simulated a few times from what the process really had before it: the allocator's free chunks, where each
variable lies, which of them share memory. `peak_tensor_bytes` is what TensorFlow's allocator would name as its peak
after `STEPS` steps of that call in a fresh process.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import NamedTuple

from whydied.graph import marked_batch
from whydied.graph.allocator_model import COUNTED_BYTES
from whydied.graph.dataflow import expand_final
from whydied.graph.expansion import Bindings, Expansion, expand, traced_batch
from whydied.graph.op_table import Table, element_bytes, elements
from whydied.graph.simulation import Peak, Simulation, Start
from whydied.graph.step_work import Links, Work, links_of
from whydied.graph.traced_step import TracedStep
from whydied.sizing.eager_order import in_program_order

STEPS = 5
SEEDS = 5
JITTER = 0.5
PAUSED = 0.01
"""The highest of five steps is decided by ops that happen to take long, more so on a machine that does other things. Of
0.3, 0.4 and 0.5, with and without pauses, these had the smallest worst error over 45 trainings; the means were all
between 2.4 and 3.3 %."""
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


class Steps:
    """A traced step and its table. `change` alters an expansion before it is simulated, for what-if questions."""

    def __init__(self, step: TracedStep, table: Table, change: Callable[[Expansion], Expansion] | None = None) -> None:
        self.step = step
        self.table = table
        self.change = change
        self._rows: int | None = None
        self._marked: Expansion | None = None
        self._links: Links | None = None
        self._predicted: dict[int, Predicted] = {}

    def changed(self, change: Callable[[Expansion], Expansion]) -> Steps:
        """The same step, altered."""
        return self._alike(self.step, change)

    def begun_from(self, step: TracedStep) -> Steps:
        """The same step of the same inputs, with other facts about the process that it begins in."""
        return self._alike(step, self.change)

    def _alike(self, step: TracedStep, change: Callable[[Expansion], Expansion] | None) -> Steps:
        found = Steps(step, self.table, change)
        found._rows, found._marked, found._links = self._rows, self._marked, self._links
        return found

    def predict(self, batch: int, *, roughly: bool = False) -> Predicted:
        """With so many rows; `roughly` simulates fewer steps, where that batch was not predicted better before."""
        known = self._predicted
        if not roughly or batch not in known:
            known[batch] = predict(self, batch, roughly=roughly)
        return known[batch]

    def expanded(self, batch: int) -> Expansion:
        """The step with so many rows. One that is traced with marked rows, or is large, is unrolled once for all."""
        if self._rows is None:
            self._rows = self._marked_rows()
        if not self._rows:
            return _expanded(self.table, self.step, batch)
        if self._marked is None:
            self._marked = _expanded(self.table, self.step, self._rows)
        return marked_batch.rebatched(self._marked, self._rows, batch)

    def _marked_rows(self) -> int:
        traced = traced_batch(self.table)
        if traced is not None:
            return traced if traced == self.step.traced_rows else 0
        if self.table.origin != "final":
            return 0
        rows = marked_batch.choose(shape[1:] for shape in self.step.inputs if shape)
        marked = _expanded(self.table, self.step, rows)
        if len(marked.nodes) <= LARGE_NODES:
            return 0
        self._marked = marked
        return rows

    def work(self, expansion: Expansion) -> Work:
        """Ready to be simulated."""
        if self._marked is None or expansion.nodes is not self._marked.nodes:
            return Work(expansion)
        if self._links is None:
            self._links = links_of(expansion)
        return Work(expansion, self._links)


def predict(steps: Steps, batch: int, *, roughly: bool = False) -> Predicted:
    step, table = steps.step, steps.table
    expansion = steps.expanded(batch)
    if steps.change is not None:
        expansion = steps.change(expansion)
    peak, simulation = _simulated(steps.work(expansion), table.threads or 1, _start(step), roughly)
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
    work = steps.work(steps.expanded(known.batch))
    _, simulation = _simulated(work, steps.table.threads or 1, _start(steps.step), True)
    tensors = simulation.touched_bytes + simulation.most_small_bytes
    return max(0, known.peak_bytes - known.before_bytes - tensors)


def _expanded(table: Table, step: TracedStep, batch: int) -> Expansion:
    shapes = tuple((batch, *shape[1:]) if shape else shape for shape in step.inputs)
    bindings = Bindings(batch, shapes)
    found = expand_final(table, bindings) if table.origin == "final" else expand(table, bindings)
    return in_program_order(found) if step.eager else found


def _start(step: TracedStep) -> Start:
    own = step.allocator
    ready, keeps = max(1, step.ready), step.kept_results
    if own is None:
        return Start(ready=ready, jitter=JITTER, paused=PAUSED, keeps_results=keeps)
    held = tuple((one.variable, one.address) for one in own.held)
    return Start(tuple(own.free), own.next_region_bytes, held, ready, JITTER, PAUSED, keeps)


def _simulated(work: Work, threads: int, start: Start, roughly: bool) -> tuple[Peak, Simulation]:
    """The middle of several tries of `STEPS` steps each, by their highest moment."""
    large = len(work.nodes) > LARGE_NODES
    fewer = roughly or large
    steps = 1 if roughly and large else 2 if fewer else STEPS
    found = []
    for seed in range(1 if fewer else SEEDS):
        simulation = Simulation(work, threads, seed, start)
        peaks = [simulation.step() for _ in range(STEPS if start.keeps_results else steps)]
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
