"""What a step takes on a device with memory of its own (a GPU), against the memory that it has. Pure.

The step is the one that was traced on the CPU, and what is assumed of the device is told with the answer: the tensors
are those of the CPU's graph, and so much is not TensorFlow's to give to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from whydied import words
from whydied.sizing.prediction import Predicted, Steps

CONTEXT_BYTES = 400 << 20
"""A CUDA context with the code of its kernels. An assumption: 300 to 500 MiB on devices of the last years."""
RESERVED_BYTES = 1536 << 20
"""What TensorFlow leaves free for cuDNN, cuBLAS and the driver on devices of compute capability 8 and above (1,050 MiB
on 7, 500 MiB below)."""
SMALL_DEVICE_BYTES, SMALL_RESERVED_BYTES = 2 << 30, 225 << 20
LARGEST_BATCH = 1 << 20
"""None larger is looked at."""
READY = 2
"""Batches on the device at a time: one that is computed with and one that is copied meanwhile."""


class DevicePoint(NamedTuple):
    batch_size: int
    peak_tensor_bytes: int
    peak_device_bytes: int


class DeviceEstimate(NamedTuple):
    """`assumed_bytes` is what is not for tensors. `points` has the batch of the program and what was asked for."""

    memory_bytes: int
    assumed_bytes: int
    batch_size: int
    points: tuple[DevicePoint, ...]
    largest_batch: int

    @property
    def sentence(self) -> str:
        written = next(one for one in self.points if one.batch_size == self.batch_size)
        fits = "fits" if written.peak_device_bytes <= self.memory_bytes else "does not fit"
        told = (
            f"On a device of {words.size(self.memory_bytes)} batch {self.batch_size:,} {fits}: "
            f"{words.size(written.peak_tensor_bytes)} of tensors, and {words.size(self.assumed_bytes)} assumed for "
            "CUDA and its libraries"
        )
        if self.largest_batch < 1:
            return f"{told}; not even a batch of one row fits."
        if self.largest_batch >= LARGEST_BATCH:
            return f"{told}; no batch that was tried is too large."
        return f"{told}; the largest batch that fits there is {self.largest_batch:,}."


def assumed_bytes(memory_bytes: int) -> int:
    small = memory_bytes - CONTEXT_BYTES < SMALL_DEVICE_BYTES
    return CONTEXT_BYTES + (SMALL_RESERVED_BYTES if small else RESERVED_BYTES)


def on_device(
    steps: Steps,
    memory_bytes: int,
    batches: tuple[int, ...],
    largest: Callable[[Callable[[int], int], int, int], int],
) -> DeviceEstimate:
    """`largest` searches the largest batch whose bytes, by a function, are within a limit, from a first one."""
    # What the host's allocator has, such as a copy of all data, is not on the device.
    own = msgspec.structs.replace(steps.step, allocator=None, ready=READY, begun=False, feeding="pipeline")
    there = steps.begun_from(own)
    extra = assumed_bytes(memory_bytes)
    written = steps.step.batch or 1
    known: dict[int, Predicted] = {}

    def needed(batch: int) -> int:
        if batch not in known:
            known[batch] = there.predict(batch, roughly=True)
        return known[batch].peak_tensor_bytes + extra

    points = tuple(DevicePoint(batch, needed(batch) - extra, needed(batch)) for batch in sorted({written, *batches}))
    return DeviceEstimate(memory_bytes, extra, written, points, largest(needed, memory_bytes, written))
