"""What the step that was running needs, from its recorded graph: the peak, who is alive at it, the batch that fits.
Pure.

Invariant: the work is bounded, because the report must be there within a second of the death: one graph, the
one that was running, and a few simulated steps of it; a graph of too many ops is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Evidence
from whydied.diagnose.memo import once
from whydied.diagnose.memory.call_at_death import RunningCall, running_call
from whydied.diagnose.memory.memory_over_time import baseline_bytes
from whydied.graph.expansion import Bindings, expand
from whydied.graph.op_table import Shape, Table
from whydied.graph.simulation import Simulation
from whydied.graph.step_memory import STEPS, LiveTensor, StepMemory, analyse
from whydied.records import GraphRecorded, LayersPlanned, WeightMade

_ONCE = (
    "Conv", "Dense", "Pool", "ReLU", "LeakyReLU", "PReLU", "ELU", "Activation", "Add", "Subtract", "Multiply",
    "Average", "Maximum", "Minimum", "Concatenate", "Softmax", "Embedding", "Padding", "Cropping", "UpSampling",
    "Dropout", "Rescaling",
)  # fmt: skip
_NOTHING = ("InputLayer", "Flatten", "Reshape", "Permute", "RepeatVector")
_NORMALISES = 2.2
"""Batch normalisation is several ops in an eager step, each of which is kept. Fitted on six models, with `MARGIN`: the
estimate is rough."""

LARGEST_OPERATIONS = 25_000
"""A ResNet50 with Adam has 15,000 and takes half a second."""
SMALL_OPERATIONS = 4_000
"""Up to here several steps are simulated, and the batch that fits is tried out; above it is reckoned from the bytes
that grow with the batch."""
TRIES = 8
MARGIN = 0.8
"""Part of the room that a batch may use to be called fitting. A ResNet50 took 13 % more resident memory than the
allocator counted (scratch memory and caches that no graph shows), its prediction was 7 % off, and the pipeline holds
the next batch."""
SMALLEST_OPERATIONS = 5
_GRADIENT = re.compile(r"(?:^|/)(?:gradient_tape|gradients(?:_\d+)?)/")


class Need(NamedTuple):
    """What a step needs. `fits` is the largest batch that stays within the room there was, None where that is not
    known; `trains` is whether the graph has a backward pass."""

    function: str
    memory: StepMemory
    fits: int | None
    trains: bool

    @property
    def peak_bytes(self) -> int:
        """The predicted peak with what the first step makes itself: the batch from its pipeline, optimizer slots."""
        return first_bytes(self.memory)

    def of(self, running: RunningCall) -> int:
        """What the step needs: as predicted, and at least what it was seen to take."""
        return max(self.peak_bytes, running.grown_bytes)

    @property
    def largest(self) -> list[LiveTensor]:
        return list(self.memory.alive[:5])


@once
def need_of(case: Case) -> Need | None:
    """The step that was running at the end; where nothing was, the last one that was traced."""
    running = running_call(case)
    return _need(case, running, _shapes_of(running))


def need_of_rows(case: Case, rows: int) -> Need | None:
    """The same with so many rows, for data that do not say how many a batch has."""
    running = running_call(case)
    return _need(case, running._replace(rows=rows), _shapes_of(running)) if running is not None else None


def need_for(case: Case, shape: Sequence[int]) -> Need | None:
    """The same for a step of Keras, where its data have that shape: a pipeline does not tell what a step gets."""
    running = running_call(case)
    return _need(case, running._replace(rows=shape[0]) if running and shape else running, (tuple(shape),))


def _need(case: Case, running: RunningCall | None, inputs: tuple[Shape, ...]) -> Need | None:
    chosen = graph_of(case, running)
    if chosen is None:
        return None
    recorded, table = chosen
    bindings = Bindings(batch=running.rows, inputs=inputs) if running else Bindings()
    try:
        memory = analyse(table, bindings, STEPS if recorded.operations <= SMALL_OPERATIONS else 1)
        fits = _fits(case, table, bindings, memory, running, recorded.operations)
    except (ArithmeticError, LookupError, ValueError, TypeError, AssertionError, RecursionError):
        # A graph that the model of a step does not understand takes nothing away from the rest of the report.
        return None
    trains = any(_GRADIENT.search(op.name) for function in table.functions for op in function.ops)
    return Need(recorded.function, memory, fits, trains)


def _fits(
    case: Case, table: Table, bindings: Bindings, memory: StepMemory, running: RunningCall | None, operations: int
) -> int | None:
    if running is None or case.uncaught is not None:
        return None
    return _fitting(table, bindings, memory, running.grown_bytes, TRIES if operations <= SMALL_OPERATIONS else 0)


def evidence_of(case: Case, running: RunningCall, need: Need | None) -> list[Evidence]:
    """What was measured of a step, what its graph predicts, and the largest tensors alive at the peak."""
    before = max(0, running.before_bytes - baseline_bytes(case))
    found = [
        Evidence(
            fact="memory beyond the libraries at the start of the step, and at the end",
            value=f"{words.size(before)}, {words.size(before + running.grown_bytes)}",
            source="LineSampled, ProgramEnded",
        )
    ]
    if need is None:
        return found
    memory = need.memory
    found.append(
        Evidence(
            fact=f"predicted peak of `{need.function}` with a batch of {memory.batch:,}",
            value=f"{words.size(need.peak_bytes)} (including optimizer {words.size(memory.slots_bytes)}; plus "
            f"weights {words.size(memory.weights_bytes)})",
            source="GraphRecorded",
        )
    )
    found += [
        Evidence(fact="alive at the peak", value=live_words(tensor), source="GraphRecorded")
        for tensor in need.largest[:3]
        if tensor.size_bytes > memory.tensor_bytes // 50
    ]
    return found


def first_bytes(memory: StepMemory) -> int:
    return memory.peak_bytes + memory.input_bytes + memory.slots_bytes


def live_words(tensor: LiveTensor) -> str:
    """`conv2d_1 Conv2D [1024, 64, 64, 32] float32, 512 MiB, forward, train.py:17`."""
    layer = f"{tensor.layer.name} " if tensor.layer else ""
    times = f" x {tensor.copies:,}" if tensor.copies > 1 else ""
    line = f", {tensor.line.file.rsplit('/', 1)[-1]}:{tensor.line.line}" if tensor.line else ""
    shape = f"{list(tensor.shape)} {tensor.dtype}{times}"
    return f"{layer}{tensor.type} {shape}, {words.size(tensor.size_bytes)}, {tensor.phase}{line}"


def graph_of(case: Case, running: RunningCall | None) -> tuple[GraphRecorded, Table] | None:
    """The graph of the step that was running, with its record."""
    recorded = [
        one for one in case.records.all(GraphRecorded) if SMALLEST_OPERATIONS <= one.operations <= LARGEST_OPERATIONS
    ]
    if running is not None and running.kind == "call":
        return None
    if running is not None and running.kind == "function":
        recorded = [one for one in recorded if running.name and running.name in one.function] or recorded
    for one in reversed(recorded):
        table = case.recording.graphs.table(one.file)
        if table is not None:
            return one, table
    return None


def bindings_of(running: RunningCall) -> Bindings:
    """What the step of a call really got."""
    return Bindings(batch=running.rows, inputs=_shapes_of(running))


def _shapes_of(running: RunningCall | None) -> tuple[Shape, ...]:
    return tuple(tuple(shape) for shape in running.shapes) if running and running.kind == "function" else ()


def _fitting(table: Table, bindings: Bindings, memory: StepMemory, room_bytes: int, tries: int) -> int | None:
    """The largest batch whose step stays within the room, to about 3 %; None where no batch is known to."""
    batch, peak_bytes = memory.batch, first_bytes(memory)
    if batch < 2 or not memory.batch_scaled_bytes:
        return None
    # A step that took more than predicted before it died is taken at what it took.
    room_bytes = round(MARGIN * room_bytes * min(1.0, peak_bytes / max(1, room_bytes)))
    if not tries:
        fixed = memory.slots_bytes + memory.peak_bytes * memory.constant_bytes / max(1, memory.tensor_bytes)
        return max(0, int(MARGIN * batch * (room_bytes - fixed) / max(1, peak_bytes - fixed))) or None
    low, high, guess = 0, batch, batch * room_bytes / peak_bytes
    for _ in range(tries):
        if high - low <= max(1, high // 30):
            break
        middle = min(high - 1, max(low + 1, int(guess)))
        needed = memory.slots_bytes + _peak(table, bindings, batch, middle)
        if needed <= room_bytes:
            low, guess = middle, (middle + high) / 2
        else:
            # What does not grow with the batch makes this too small, never too large.
            high, guess = middle, max((low + middle) / 2, 0.98 * middle * room_bytes / needed)
    return low or None


def _peak(table: Table, bindings: Bindings, old: int, new: int) -> int:
    inputs = tuple((new, *shape[1:]) if shape and shape[0] == old else shape for shape in bindings.inputs)
    expansion = expand(table, bindings._replace(batch=new, inputs=inputs))
    simulation = Simulation(expansion, table.threads or 1, 0)
    given = sum(cell.size_bytes for cell in expansion.cells if cell.source)
    return given + max(simulation.step().counted_bytes for _ in range(2))


class Estimate(NamedTuple):
    """`fits` is the largest batch that stays within the room there was, None where not even one row does."""

    needed_bytes: int
    fits: int | None


def estimate_of(case: Case, running: RunningCall) -> Estimate | None:
    """For a model that is called under a gradient tape, where all of its layers are known: an eager step has no graph.
    The tape keeps what the layers give, and the backward pass has two gradients of the largest besides. Of layers whose
    insides are not one op (recurrent ones, attention) this says nothing."""
    if running.kind != "call" or not running.trains or not running.rows or case.uncaught is not None:
        return None
    planned = [one for one in case.records.all(LayersPlanned) if one.model == running.name]
    parts = [_kept(one.type, one.elements * one.item_bytes) for one in planned[-1].layers] if planned else []
    known = [part for part in parts if part is not None]
    if not parts or len(known) < len(parts):
        return None
    row = round(sum(known)) + 2 * round(max(known))
    made = case.records.last(WeightMade)
    # Each weight has a gradient.
    fixed = made.total_bytes if made else 0
    fits = int((MARGIN * running.grown_bytes - fixed) / row) if row else 0
    return Estimate(running.rows * row + fixed, fits if 0 < fits < running.rows else None)


def _kept(kind: str, size_bytes: int) -> float | None:
    """Bytes that the output of a layer takes until the backward pass; None for a layer whose insides are not known."""
    if kind in _NOTHING:
        return 0.0
    if kind == "BatchNormalization":
        return _NORMALISES * size_bytes
    return float(size_bytes) if any(word in kind for word in _ONCE) and "LSTM" not in kind else None
