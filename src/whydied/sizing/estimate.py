"""The answers of `whydied estimate` from a step that was traced and not run. Pure: no clock, no I/O, no TensorFlow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from whydied import words
from whydied.graph.op_table import Table
from whydied.graph.step_memory import LiveTensor, live_tensors
from whydied.graph.traced_step import Place, TracedStep
from whydied.sizing.device import LARGEST_BATCH, DeviceEstimate, on_device
from whydied.sizing.layer_table import LayerRow, layer_rows
from whydied.sizing.prediction import LARGE_NODES, Predicted, Steps
from whydied.sizing.remedies import Remedy, remedies_of

MOST_TRIES = 12
FEW_TRIES = 4
"""Of a step that takes seconds to simulate."""
CLOSE = 1.02
MOST_ALIVE = 12


class Point(NamedTuple):
    batch_size: int
    peak_tensor_bytes: int
    peak_rss_bytes: int


class LargestBatch(NamedTuple):
    """The largest batch whose process stays below the limit, mapped files left out; 0 where not one row does.
    `verified` where it ran under the limit and one of 15 % more did not."""

    batch_size: int
    limit_bytes: int
    verified: bool = False


class CallEstimate(NamedTuple):
    """A call of the program and what it takes. `batch_size` is the one that the program asks for, `curve` has more
    points than were asked for, by batch."""

    kind: str
    mapped_bytes: int
    place: Place | None
    batch_size: int
    points: tuple[Point, ...]
    largest_batch: LargestBatch
    layers: tuple[LayerRow, ...]
    alive: tuple[LiveTensor, ...]
    curve: tuple[Point, ...]
    remedies: tuple[Remedy, ...]
    notes: tuple[str, ...] = ()
    """What could not be found out, and why: the figures are rougher for it."""
    trace_s: float = 0.0
    estimate_s: float = 0.0
    """Seconds of the trace, and of the whole estimate with it, without what the program did before its step."""
    device: DeviceEstimate | None = None
    eager: bool = False
    partial: str = ""
    untraced: str = ""

    @property
    def how(self) -> str:
        """How the step was looked at, in a few words."""
        told = "traced, not run"
        if self.untraced:
            told = f"measured with a few rows, because it could not be traced ({self.untraced})"
        if self.eager:
            told = f"run by Python op by op; {told}"
        return f"{told}; without {self.partial}" if self.partial else told

    @property
    def sentences(self) -> list[str]:
        """The answers."""
        return [self.sentence, *([self.device.sentence] if self.device is not None else [])]

    @property
    def as_written(self) -> Point:
        return next(one for one in self.curve if one.batch_size == self.batch_size)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        limit, needed = self.largest_batch, self.as_written.peak_rss_bytes - self.mapped_bytes
        told = f"As written (batch {self.batch_size:,}) this needs {words.size(needed)}"
        if self.mapped_bytes:
            told += f" beside {words.size(self.mapped_bytes)} of mapped libraries"
        if limit.batch_size < 1:
            return f"{told}; not even a batch of one row fits into {words.size(limit.limit_bytes)}."
        fits = "fits" if needed <= limit.limit_bytes else "does not fit"
        largest = f"the largest batch that fits is {limit.batch_size:,}{' (verified)' if limit.verified else ''}"
        if limit.batch_size >= LARGEST_BATCH:
            largest = "no batch that was tried is too large"
        return f"{told} and {fits} into {words.size(limit.limit_bytes)}; {largest}."


class Estimate(NamedTuple):
    """`reason` says why there is no call in it."""

    calls: tuple[CallEstimate, ...]
    limit_bytes: int
    reason: str = ""

    def __str__(self) -> str:
        if not self.calls:
            return self.reason
        lines = []
        for call in self.calls:
            lines += call.sentences
            lines += [
                f"batch {one.batch_size}: tensors {words.size(one.peak_tensor_bytes)}, "
                f"process {words.size(one.peak_rss_bytes)}"
                for one in call.points
            ]
        return "\n".join(lines)


def estimate_step(
    step: TracedStep, table: Table, batches: tuple[int, ...], limit_bytes: int, device_bytes: int | None = None
) -> CallEstimate:
    """What the step takes with each of these batches, the one of the program among them or not; and on a device with
    so much memory."""
    steps = Steps(step, table)
    written = step.batch or 1
    known: dict[int, Predicted] = {}

    def predicted(batch: int, roughly: bool = False) -> Predicted:
        if batch not in known:
            known[batch] = steps.predict(batch, roughly=roughly)
        return known[batch]

    points = tuple(_point(predicted(batch)) for batch in batches or (written,))
    now = predicted(written)
    tries = FEW_TRIES if len(now.expansion.nodes) > LARGE_NODES else MOST_TRIES
    # Mapped files are dropped before anything is killed.
    room = limit_bytes + step.mapped_bytes
    largest = largest_that_fits(lambda batch: predicted(batch, True).peak_rss_bytes, room, written, tries)
    other = steps.expanded(written + 1)
    alive = live_tensors(table, now.expansion, other, now.peak)
    return CallEstimate(
        kind=step.kind,
        mapped_bytes=step.mapped_bytes,
        place=step.place,
        batch_size=written,
        points=points,
        largest_batch=LargestBatch(largest, limit_bytes),
        layers=tuple(layer_rows(table, now.expansion, now.peak.alive)),
        alive=alive[:MOST_ALIVE],
        curve=tuple(_point(known[batch]) for batch in sorted(known)),
        remedies=tuple(remedies_of(steps, now)),
        notes=notes_of(step),
        trace_s=step.trace_s,
        device=_on_device(steps, device_bytes, batches, tries) if device_bytes else None,
        eager=step.eager,
        partial=step.partial,
    )


def _on_device(steps: Steps, device_bytes: int, batches: tuple[int, ...], tries: int) -> DeviceEstimate:
    return on_device(
        steps,
        device_bytes,
        batches,
        lambda needed, limit, first: largest_that_fits(needed, limit, first, tries),
    )


def notes_of(step: TracedStep) -> tuple[str, ...]:
    found = []
    if step.fixed_because:
        found.append(f"traced with the program's own batch only, because any other is refused ({step.fixed_because})")
    if step.not_calibrated:
        found.append(f"not calibrated: {step.not_calibrated}")
    if step.uncounted:
        found.append("TensorFlow's allocator does not count tensors here, as without oneDNN")
    if step.allocator is not None and step.allocator.unread:
        found.append(step.allocator.unread)
    return tuple(found)


def _point(found: Predicted) -> Point:
    return Point(found.batch, found.peak_tensor_bytes, found.peak_rss_bytes)


def largest_that_fits(needed: Callable[[int], int], limit_bytes: int, first: int, tries: int = MOST_TRIES) -> int:
    """By trying: from the first batch up or down by doubling, then between what fits and what does not, where a
    straight line says."""
    low, high = 0, 0
    at: dict[int, int] = {}

    def fits(batch: int) -> bool:
        at[batch] = needed(batch)
        return at[batch] <= limit_bytes

    batch = max(1, first)
    while not high or not low:
        if fits(batch):
            low = batch
            if high or batch >= LARGEST_BATCH:
                break
            batch = min(_further(at, batch, limit_bytes), LARGEST_BATCH)
        else:
            high = batch
            if low or batch == 1:
                break
            batch = max(1, min(batch // 2, int(batch * limit_bytes / at[batch])))
    while high - low > max(1, low * (CLOSE - 1)) and low and len(at) < tries:
        part = (limit_bytes - at[low]) / max(1, at[high] - at[low])
        batch = low + math.floor(part * (high - low))
        batch = min(max(batch, low + 1), high - 1)
        if fits(batch):
            low = batch
        else:
            high = batch
    return low


def _further(at: dict[int, int], batch: int, limit_bytes: int) -> int:
    """Where the limit lies if what two batches take goes on as a line, and a little more."""
    before = [one for one in at if one < batch]
    if not before:
        return batch * 2
    other = max(before)
    slope = (at[batch] - at[other]) / (batch - other)
    if slope <= 0:
        return batch * 4
    aim = batch + (limit_bytes - at[batch]) / slope * 1.05 + 1
    return max(batch + 1, min(int(aim), batch * 16))
