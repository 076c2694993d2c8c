"""Finds out what TensorFlow's CPU allocator has free, by taking all of it; runs in the user's process, which ends soon.

The allocator tells only how much is in use. Its free chunks decide what the next buffers count for, so they are taken
one after the other, as large ones first, until it asks the system for more: the addresses of what was taken are the
free chunks. Memory is taken and not touched, so that it costs nothing.

Invariant: all is given back, but the allocator keeps the larger regions that it made.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from whydied.graph.allocator_model import COUNTED_BYTES
from whydied.graph.traced_step import AllocatorState, Held

_SIZES = (64 << 20, 8 << 20, 1 << 20, COUNTED_BYTES)
_MOST_PIECES = 20_000


def state(variables: list[tuple[int, Any]]) -> AllocatorState | None:
    """Variables are given with their numbers. None where the allocator does not count, as without oneDNN."""
    tensorflow: Any = sys.modules["tensorflow"]
    counted = _counted(tensorflow)
    if not counted["peak"]:
        return None
    held, unread = _held(variables)
    free, region = _free(tensorflow, counted["peak"])
    return AllocatorState(
        current_bytes=counted["current"],
        peak_bytes=counted["peak"],
        free=free,
        next_region_bytes=region,
        held=held,
        unread=unread,
    )


def _held(variables: list[tuple[int, Any]]) -> tuple[list[Held], str]:
    """Where each variable is, and what is not known of them."""
    held: list[Held] = []
    refused: list[str] = []
    for number, variable in variables:
        if _is_small(variable):
            continue
        try:
            value = variable.read_value() if hasattr(variable, "read_value") else variable
            held.append(Held(variable=number, address=_address(value)))
        except Exception as error:
            # A variable of strings or of a device has no address for numpy.
            refused.append(f"{type(error).__name__}: {error}")
    told = (
        f"where {len(refused)} of {len(variables)} variables lie in memory is not known ({refused[0]})"
        if refused
        else ""
    )
    return held, told


def peak_bytes() -> int:
    """The most that was ever in use; 0 where nothing counts."""
    return _counted(sys.modules["tensorflow"])["peak"]


def _counted(tensorflow: Any) -> dict[str, int]:
    try:
        found = tensorflow.config.experimental.get_memory_info("CPU:0")
        return {"current": int(found["current"]), "peak": int(found["peak"])}
    except (ValueError, RuntimeError, KeyError):
        return {"current": 0, "peak": 0}


def _is_small(variable: Any) -> bool:
    """Below what the allocator counts: where it lies does not matter."""
    count = getattr(getattr(variable, "shape", None), "num_elements", lambda: None)()
    return count is not None and count * getattr(variable.dtype, "size", 0) < COUNTED_BYTES


def _address(tensor: Any) -> int:
    return int(tensor._numpy().ctypes.data)


def _free(tensorflow: Any, most_bytes: int) -> tuple[list[tuple[int, int]], int]:
    """The free chunks, and the size of the region that comes next."""
    empty: Any = importlib.import_module("tensorflow.python.ops.gen_array_ops").empty
    taken: list[Any] = []
    pieces: list[tuple[int, int]] = []
    new: list[tuple[int, int]] = []
    # A region is at least a quarter of what was ever in use: these sizes do not make it larger than it would be.
    for size in [size for size in _SIZES if size <= most_bytes // 4 or size == _SIZES[-1]]:
        shape = tensorflow.constant([size], tensorflow.int32)
        while len(taken) < _MOST_PIECES:
            mapped, used = _mapped_bytes(), _counted(tensorflow)["current"]
            piece = empty(shape, tensorflow.uint8, init=False)
            at = _address(piece)
            taken.append(piece)
            grown = _mapped_bytes() - mapped
            if grown >= size and not any(start <= at < start + length for start, length in new):
                new.append((at, grown))
            if any(start <= at < start + length for start, length in new):
                break
            pieces.append((at, _counted(tensorflow)["current"] - used))
    taken.clear()
    return _joined(pieces), _power_of_two(new[0][1]) if new else 0


def _joined(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for at, size in sorted(pieces):
        if found and found[-1][0] + found[-1][1] == at:
            found[-1] = (found[-1][0], found[-1][1] + size)
        else:
            found.append((at, size))
    return found


def _power_of_two(size: int) -> int:
    """A region is one; what the system maps for it is a little more."""
    return 1 << (size.bit_length() - 1)


def _mapped_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * 4096
