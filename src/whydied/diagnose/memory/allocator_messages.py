"""What TensorFlow's allocators say when memory runs out: the best-fit allocator's dump in the log, the message of the
exception, and the forms of CUDA's own allocator and of XLA. Pure.

Invariant: any text is answered, with None for what it does not tell. Numbers are bytes. A line that says itself
that it is not a failure (a request that was tried and given up) does not count.
"""

from __future__ import annotations

import re
from math import prod
from typing import NamedTuple

from whydied.graph.op_table import element_bytes
from whydied.texts import allocators, graph_messages
from whydied.texts.entry import any_of

_RAN_OUT = allocators.RAN_OUT.pattern
_TENSOR = allocators.TENSOR_REFUSED.pattern
_PLAIN = any_of(allocators.XLA_REFUSED, allocators.CUDA_REFUSED)
_DEVICE_STATE = allocators.DEVICE_STATE.pattern
_POOL = allocators.POOL.pattern
_STATISTIC = allocators.STATISTIC.pattern
_CHUNK = allocators.CHUNK.pattern
_GROUP = allocators.CHUNKS_OF_A_SIZE.pattern
_USAGE = allocators.USAGE.pattern
_USE = allocators.USE.pattern
_NO_FAILURE = allocators.GAVE_UP.pattern
_UNITS = {"": 0, "B": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_SPOKEN = {"float": "float32", "double": "float64"}
"""What TensorFlow's own messages call some types."""


class ChunkGroup(NamedTuple):
    """Chunks of one size that are in use."""

    pieces: int
    chunk_bytes: int

    @property
    def total_bytes(self) -> int:
        return self.pieces * self.chunk_bytes


class NamedUse(NamedTuple):
    """Memory by the op that made it, told where the session was asked for it."""

    name: str
    used_bytes: int


class Exhaustion(NamedTuple):
    """An allocator that could not answer a request.

    `free_bytes` is what its pool has left in all, `largest_free_bytes` the largest piece of that, `unreserved_bytes`
    what it could still ask of the device within its limit. `compiled`: XLA asked, for all that it compiled."""

    allocator: str | None = None
    device: str | None = None
    asked_bytes: int | None = None
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    op: str | None = None
    limit_bytes: int | None = None
    in_use_bytes: int | None = None
    free_bytes: int | None = None
    largest_free_bytes: int | None = None
    unreserved_bytes: int | None = None
    device_free_bytes: int | None = None
    groups: tuple[ChunkGroup, ...] = ()
    uses: tuple[NamedUse, ...] = ()
    compiled: bool = False

    @property
    def is_device(self) -> bool:
        """Whether it is the memory of a GPU."""
        words = f"{self.allocator or ''} {self.device or ''}"
        # The pinned memory of the host is named after the device that it serves.
        return bool(re.search(r"\bGPU|gpu_|cuda", words)) and "host" not in (self.allocator or "")

    @property
    def fragmented(self) -> bool:
        """Enough is free in all, and no piece of it is large enough."""
        return (
            self.asked_bytes is not None
            and self.free_bytes is not None
            and self.largest_free_bytes is not None
            and self.largest_free_bytes < self.asked_bytes <= self.free_bytes
        )


def parse(message: str, log: str = "") -> Exhaustion | None:
    """The failed request that a message tells of, with what the log says of the same allocator; None if it tells of
    none. The message may be empty: then the last failed request in the log counts."""
    told = _from_message(message)
    logged = _from_log(log, told.allocator if told else None)
    if told is None or logged is None:
        return told or logged
    # The log rounds up what is asked as the allocator does; the shape is what the program asked for.
    mine = {name: value for name, value in told._asdict().items() if value not in (None, (), False)}
    return logged._replace(**mine)


def item_bytes(dtype: str) -> int:
    """Bytes of one element, by the name that a message has for its type; 0 where that is not known."""
    return element_bytes(_SPOKEN.get(dtype, dtype))


def size_bytes(text: str) -> int | None:
    """`1.25GiB`, `104.0KiB`, `11.40G`, `268435456`, `42 bytes`."""
    found = re.fullmatch(r"([\d.]+)\s?([KMGTPE]?)(?:i?B|bytes)?", text.strip())
    if found is None:
        return None
    try:
        return int(float(found[1]) * 1024 ** _UNITS[found[2]])
    except ValueError:
        return None


def _from_message(message: str) -> Exhaustion | None:
    if found := _TENSOR.search(message):
        shape = tuple(int(part) for part in re.findall(r"\d+", found["shape"]))
        item = item_bytes(found["dtype"] or "")
        return Exhaustion(
            allocator=found["allocator"],
            device=found["device"],
            asked_bytes=prod(shape) * item if item else None,
            shape=shape,
            dtype=found["dtype"],
            op=_node(message),
            uses=_uses(message),
        )
    if found := _PLAIN.search(message):
        state = _DEVICE_STATE.search(message)
        return Exhaustion(
            allocator="gpu_async" if allocators.CUDA_ASYNC.pattern.search(message) else None,
            device="GPU" if "CUDA" in message else None,
            asked_bytes=size_bytes(found["asked"] or found["cuda"]),
            device_free_bytes=int(state[1]) if state else None,
            uses=_buffers(message),
            compiled=found["asked"] is not None,
        )
    return None


def _from_log(log: str, allocator: str | None) -> Exhaustion | None:
    """The last failed request of an allocator (of any, where the exception does not name one) and its dump."""
    failures = [
        found
        for found in _RAN_OUT.finditer(log)
        if not _NO_FAILURE.search(found["rest"]) and allocator in (None, found["allocator"])
    ]
    if not failures:
        return _from_message(log) if allocator is None and allocators.CUDA_OUT_OF_MEMORY.pattern.search(log) else None
    last = failures[-1]
    dump = log[last.end() :]
    pool, statistics = _POOL.search(dump), dict(_STATISTIC.findall(dump))
    limit = size_bytes(pool["limit"] if pool else statistics.get("Limit", ""))
    in_use = size_bytes(statistics.get("InUse", ""))
    reserved = size_bytes(pool["pool"]) if pool else None
    chunks = [(state, int(size)) for state, size in _CHUNK.findall(dump)]
    free = [size for state, size in chunks if state == "Free"]
    whole = reserved is None or abs(sum(size for _, size in chunks) - reserved) <= 0.01 * reserved
    return Exhaustion(
        allocator=last["allocator"],
        asked_bytes=int(last["rounded"]) if last["rounded"] else size_bytes(last["asked"]),
        op=(last["op"] or "").rstrip(".") or None,
        limit_bytes=limit,
        in_use_bytes=in_use,
        free_bytes=max(0, reserved - in_use) if reserved is not None and in_use is not None else sum(free) or None,
        # The recorded log may have lost its middle: then nothing is said about the largest piece.
        largest_free_bytes=max(free, default=0) if chunks and whole else None,
        unreserved_bytes=size_bytes(pool["available"]) if pool else None,
        groups=_groups(dump),
    )


def _groups(dump: str) -> tuple[ChunkGroup, ...]:
    found = {ChunkGroup(int(count), int(size)) for count, size in _GROUP.findall(dump)}
    return tuple(sorted(found, key=lambda group: group.total_bytes, reverse=True))


def _uses(message: str) -> tuple[NamedUse, ...]:
    return tuple(
        NamedUse(name, used)
        for usage in _USAGE.finditer(message)
        for size, name in _USE.findall(usage[3])
        if (used := size_bytes(size)) is not None
    )[:8]


def _buffers(message: str) -> tuple[NamedUse, ...]:
    """The largest buffers of a compiled step, by their ops, where XLA lists them."""
    found = []
    for buffer in allocators.XLA_BUFFER.pattern.finditer(message):
        place = f" ({buffer['file'].rsplit('/', 1)[-1]}:{buffer['line']})" if buffer["file"] else ""
        if (used := size_bytes(buffer["size"])) is not None:
            found.append(NamedUse(f"{buffer['op']}{place}", used))
    return tuple(found[:8])


def _node(message: str) -> str | None:
    found = graph_messages.NODE.pattern.search(message) or graph_messages.OP.pattern.search(message)
    return found[1] if found else None
