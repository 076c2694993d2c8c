"""The table of ops of a traced function, and its file format: this module is the only description of it.

Written in the user's process at trace time, read after its death; imports msgspec and nothing else.

A file `<run>/graphs/<pid>-<number>.bin`:

    offset  size  field
    0       8     magic, b"WHYGRAPH"
    8       2     format version, little-endian
    10      …     zlib stream of msgpack: `Table`

All values are written as arrays in the order of their fields. A later version may add fields at the end, with
defaults, and never moves one; a reader ignores what it does not know. The ops of a function stand in the order in
which they were made, which is nearly, and not always, inputs first.
"""

from __future__ import annotations

import math
import struct
import zlib
from typing import Any

import msgspec

from whydied.errors import RecordingError

MAGIC = b"WHYGRAPH"
VERSION = 1
LARGEST_DECODED_BYTES = 256 << 20
_HEAD = struct.Struct("<8sH")

Shape = tuple[int, ...]
Dims = tuple[int | None, ...]


class Part(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """A row of the file."""


class Line(Part, frozen=True, array_like=True):
    """A line of the user's program. `direct` is true where it made the op itself, with no call of a library's layer in
    between: then it tells more than the line that made the layer. `statement` is the first line of the statement."""

    file: str
    line: int
    function: str
    direct: bool = False
    statement: int = 0


class Layer(Part, frozen=True, array_like=True):
    """A Keras layer and the user's line that constructed it (`file` is empty where nobody knows). `path` has the names
    of the layers that it is in, from the model down."""

    name: str
    type: str
    file: str = ""
    line: int = 0
    function: str = ""
    path: str = ""
    statement: int = 0


class Variable(Part, frozen=True, array_like=True):
    """A resource that the function reads or writes. `dtype` is "" where it is not a plain variable."""

    name: str
    shape: Dims | None
    dtype: str


class Op(Part, frozen=True, array_like=True):
    """One op. `inputs` are pairs (op, output); `line`, `layer` and `variable` are positions in the table's lists, -1 is
    none; `value` is the flat contents of a small integer constant; `attributes` are those that decide shapes."""

    name: str
    type: str
    inputs: tuple[tuple[int, int], ...] = ()
    controls: tuple[int, ...] = ()
    shapes: tuple[Dims | None, ...] = ()
    dtypes: tuple[str, ...] = ()
    line: int = -1
    layer: int = -1
    variable: int = -1
    value: tuple[int, ...] | None = None
    attributes: dict[str, Any] = {}


class Function(Part, frozen=True, array_like=True):
    """A graph. `inputs` are the ops that stand for its arguments, `keep` those that run for their effect."""

    name: str
    ops: tuple[Op, ...]
    inputs: tuple[int, ...] = ()
    outputs: tuple[tuple[int, int], ...] = ()
    keep: tuple[int, ...] = ()


class Table(Part, frozen=True, array_like=True):
    """A traced function with all that it calls; the first function is the outermost. `fed` are the shapes that its
    inputs had when it was recorded, by position, where that is known. `threads` is the number of inter-op threads."""

    name: str
    functions: tuple[Function, ...]
    lines: tuple[Line, ...] = ()
    layers: tuple[Layer, ...] = ()
    variables: tuple[Variable, ...] = ()
    fed: tuple[Dims | None, ...] = ()
    threads: int = 0
    origin: str = "function"


_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(Table)


def encode(table: Table) -> bytes:
    return _HEAD.pack(MAGIC, VERSION) + zlib.compress(_encode(table), 3)


def decode(data: bytes) -> Table:
    """The table in a file's bytes. Raises RecordingError for anything that is none."""
    if len(data) < _HEAD.size or data[:8] != MAGIC:
        raise RecordingError("the file is not a recorded graph")
    version = _HEAD.unpack_from(data)[1]
    if version != VERSION:
        raise RecordingError(f"the graph has format version {version}, this whydied reads {VERSION}")
    try:
        unpacker = zlib.decompressobj()
        body = unpacker.decompress(data[_HEAD.size :], LARGEST_DECODED_BYTES)
        if not unpacker.eof:
            raise RecordingError("the recorded graph is torn or too large")
        return _decoder.decode(body)
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RecordingError(f"the recorded graph is damaged: {error}") from error


_ELEMENT_BYTES = {
    "bool": 1, "int8": 1, "uint8": 1, "qint8": 1, "quint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2,
    "half": 2, "qint16": 2, "quint16": 2, "int32": 4, "uint32": 4, "qint32": 4, "float32": 4, "int64": 8, "uint64": 8,
    "float64": 8, "complex64": 8, "complex128": 16, "float8_e5m2": 1, "float8_e4m3fn": 1, "string": 24,
}  # fmt: skip


def element_bytes(dtype: str) -> int:
    """Bytes of one element; 0 for handles and variants, which are no data of their own."""
    return _ELEMENT_BYTES.get(dtype, 0)


def elements(shape: Shape) -> int:
    return math.prod(shape)
