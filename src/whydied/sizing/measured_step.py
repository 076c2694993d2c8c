"""The answer for a step that could not be traced and was run with a few rows instead: a line through what they took.
Pure."""

from __future__ import annotations

from whydied.graph.traced_step import TracedStep
from whydied.sizing.estimate import CallEstimate, LargestBatch, Point, largest_that_fits


def estimate_measured(step: TracedStep, batches: tuple[int, ...], limit_bytes: int) -> CallEstimate:
    """Batches, layers and tensors at the peak are not known: only how much more each row takes."""
    written = step.batch or 1

    def point(batch: int) -> Point:
        few, most = step.measured[0], step.measured[-1]
        apart = most.rows - few.rows
        row = max(0, most.peak_tensor_bytes - few.peak_tensor_bytes) / apart if apart else 0.0
        more = int(row * (batch - most.rows))
        # The process grows by its tensors; what it had before may have been more.
        rss = max(step.most_rss_bytes, most.peak_rss_bytes + more)
        return Point(batch, max(0, most.peak_tensor_bytes + more), rss)

    room = limit_bytes + step.mapped_bytes
    tried: dict[int, Point] = {batch: point(batch) for batch in (written, *batches)}

    def needed(batch: int) -> int:
        tried[batch] = point(batch)
        return tried[batch].peak_rss_bytes

    largest = largest_that_fits(needed, room, written)
    return CallEstimate(
        kind=step.kind,
        mapped_bytes=step.mapped_bytes,
        place=step.place,
        batch_size=written,
        points=tuple(point(batch) for batch in batches or (written,)),
        largest_batch=LargestBatch(largest, limit_bytes),
        layers=(),
        alive=(),
        curve=tuple(tried[batch] for batch in sorted(tried)),
        remedies=(),
        eager=step.eager,
        partial=step.partial,
        untraced=step.untraced,
    )
