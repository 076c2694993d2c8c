"""The recording's format: this module is its only description.

A *stream* is what one process recorded. It has two *lanes*, "key" for important records and "log" for the rest. A lane
is a row of *segments*, files named `<stream>.<lane>.<number>.rec`, numbers from 0 without end; rotation removes files
from the middle of the row, never the first ones and never the last ones.

A segment:

    offset  size  field
    0       8     magic, b"WHYDIED\\0"
    8       2     format version, little-endian like all that follows
    10      2     header size: where the first frame starts
    12      4     number of the segment in its lane
    16      8     pid of the writer
    24      8     monotonic clock at creation, nanoseconds
    32      4     CRC-32 of bytes 0 to 31
    36      28    zero
    64      …     frames, then zeros to the end of the file

A frame:

    0       4     size n of the body; 0 means that nothing was written from here on
    4       4     CRC-32 of the body
    8       n     body, msgpack: [at_ns, number, kind, fields]

`at_ns` is the machine's monotonic clock, shared by all processes of one boot; `number` counts the records of the
stream over both lanes, so a gap shows what rotation dropped; `kind` names a class of `whydied.records`; `fields` is
its map. Text that UTF-8 cannot hold (a path of other bytes) is written with its surrogates escaped, as `\\udcff`.

A frame is stored with one copy into shared memory, so a writer that dies leaves either nothing of it or a prefix,
which its CRC gives away: the reader stops a segment at the first frame that does not hold, and never raises for what
it finds in one. A higher format version may change all but the first 12 bytes; a reader that does not know the version
passes the segment over and says so.
"""

from __future__ import annotations

import functools
import struct
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from whydied import records

MAGIC = b"WHYDIED\0"
VERSION = 1
HEADER_BYTES = 64
FRAME = struct.Struct("<II")
_HEADER = struct.Struct("<8sHHIQQ")
_CRC = struct.Struct("<I")
_encode = msgspec.msgpack.Encoder().encode


class Entry(NamedTuple):
    """A record as read: when (monotonic nanoseconds), its number in the stream, and the fact."""

    at_ns: int
    number: int
    record: records.Record


class Segment(NamedTuple):
    """What a segment gave. `torn` says why reading stopped before the end, if it did; `unknown` counts records of
    kinds that this version does not know."""

    number: int
    pid: int
    entries: list[Entry]
    torn: str | None
    unknown: int


class Head(NamedTuple):
    """What a segment says of itself; `first` is where its first frame starts."""

    number: int
    pid: int
    first: int


class Frames(NamedTuple):
    """What some bytes gave; `end` is where the frame begins that is not there, or does not hold: then it is `torn`."""

    entries: list[Entry]
    end: int
    torn: bool
    unknown: int


def header(number: int, pid: int, at_ns: int) -> bytes:
    head = _HEADER.pack(MAGIC, VERSION, HEADER_BYTES, number, pid, at_ns)
    return (head + _CRC.pack(zlib.crc32(head))).ljust(HEADER_BYTES, b"\0")


def frame(at_ns: int, number: int, record: records.Record) -> bytes:
    try:
        body = _encode((at_ns, number, type(record).__name__, record))
    except UnicodeEncodeError:
        fields = _encodable(msgspec.to_builtins(record, builtin_types=(bytes,)))
        body = _encode((at_ns, number, type(record).__name__, fields))
    return FRAME.pack(len(body), zlib.crc32(body)) + body


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list | tuple) else value


def read_segment(data: bytes) -> Segment:
    """All that holds in a segment's bytes, whatever they are."""
    head = read_header(data)
    if isinstance(head, str):
        return Segment(0, 0, [], head, 0)
    found = read_frames(data, head.first)
    return Segment(
        head.number, head.pid, found.entries, "its last record is torn" if found.torn else None, found.unknown
    )


def read_header(data: bytes) -> Head | str:
    """Of a segment, or why it cannot be read."""
    if len(data) < HEADER_BYTES:
        return "shorter than its header"
    magic, version, size, number, pid, _ = _HEADER.unpack_from(data)
    if magic != MAGIC:
        return "not a recording"
    if version != VERSION:
        return f"format version {version}, this whydied reads {VERSION}"
    if _CRC.unpack_from(data, _HEADER.size)[0] != zlib.crc32(data[: _HEADER.size]):
        return "its header is damaged"
    return Head(number, pid, size)


def read_frames(data: bytes, start: int) -> Frames:
    """The frames from an offset on that hold. Of a segment that is being written, the first that does not is one that
    is not there yet: reading goes on at `end` later."""
    entries: list[Entry] = []
    unknown, end = 0, start
    for body in _bodies(data, start):
        if body is None:
            return Frames(entries, end, True, unknown)
        end += FRAME.size + len(body)
        try:
            at_ns, count, kind, fields = _body_decoder().decode(body)
            decoder = _decoder(kind)
            if decoder is None:
                unknown += 1
            else:
                entries.append(Entry(at_ns, count, decoder.decode(fields)))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            unknown += 1
    return Frames(entries, end, False, unknown)


@functools.cache
def _body_decoder() -> msgspec.msgpack.Decoder[tuple[int, int, str, msgspec.Raw]]:
    # Made when first needed: the user's process writes records and never reads one.
    return msgspec.msgpack.Decoder(tuple[int, int, str, msgspec.Raw])


@functools.cache
def _decoder(kind: str) -> msgspec.msgpack.Decoder[records.Record] | None:
    known = records.KINDS.get(kind)
    return msgspec.msgpack.Decoder(known) if known else None


def _bodies(data: bytes, start: int) -> Iterator[bytes | None]:
    view, end = memoryview(data), len(data)
    while start + FRAME.size <= end:
        size, crc = FRAME.unpack_from(view, start)
        if size == 0:
            return
        body = bytes(view[start + FRAME.size : start + FRAME.size + size])
        if len(body) != size or zlib.crc32(body) != crc:
            yield None
            return
        yield body
        start += FRAME.size + size
