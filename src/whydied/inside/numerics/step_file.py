"""Writes captured steps into the run's directory; runs in the user's process.

A capture is the directory `<run>/numerics/<pid>-<n>/`, see `whydied.records.numerics`. How values lie in .npy files:
half types that NumPy does not know (bfloat16, float8) as unsigned integers of the same width, strings as fixed-width
bytes, everything else as it is; `load` undoes it with the help of the recorded dtype. Nothing is ever pickled.

Invariant: `step.json` is written last and whole, so a directory without it is a capture that was broken off. A
process writes at most `LARGEST_CAPTURES`, a run at most `LARGEST_RUN_BYTES`; what does not fit is left out with its
reason. Only the owner may read any of it.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import guard
from whydied.records import Capture, Lines, Numbers

DIRECTORY = "numerics"
LARGEST_CAPTURES = 3
LARGEST_RUN_BYTES = 256 << 20
LARGEST_NUMBERS = 1 << 24
"""Elements of which numbers are taken. Of a larger array, those of so many from its start."""
_WORD = re.compile(r"[^A-Za-z0-9_.-]+")
_UNSIGNED = {1: "uint8", 2: "uint16"}
_counts: dict[int, int] = {}


class CaptureDirectory:
    """A capture that is being written. `name` is its path relative to the run's directory."""

    def __init__(self, path: str, name: str, room: int) -> None:
        self.path = path
        self.name = name
        self.size_bytes = 0
        self._room = room
        self._files: set[str] = set()

    @property
    def room_bytes(self) -> int:
        """What may still be written."""
        return self._room - self.size_bytes

    def array(self, name: str, value: Any) -> tuple[str | None, str]:
        """Write a value. Returns its file, or None and the reason in words."""
        import numpy

        array = _storable(numpy.asarray(value))
        if array is None:
            return None, f"values of type {numpy.asarray(value).dtype} are not kept"
        if array.nbytes > self.room_bytes:
            return None, f"{array.nbytes} bytes do not fit into the space left for captures"
        file = self._file_name(name)
        with self._open(file) as stream:
            numpy.lib.format.write_array(stream, array, allow_pickle=False)
        self.size_bytes += array.nbytes + 128
        return file, ""

    def graph(self, graph_def: Any) -> bool:
        """Write `graph.pb`; False where it does not fit."""
        return self.bytes("graph.pb", graph_def.SerializeToString())

    def lines(self, lines: Lines) -> bool:
        return self.bytes("lines.json", _json(lines))

    def bytes(self, file: str, data: bytes) -> bool:
        if len(data) > self.room_bytes:
            return False
        with self._open(file) as stream:
            stream.write(data)
        self.size_bytes += len(data)
        return True

    def finish(self, capture: Capture) -> int:
        """Write `step.json`. Returns the bytes of the whole capture."""
        data = _json(capture)
        with self._open("step.json.new") as stream:
            stream.write(data)
        os.replace(os.path.join(self.path, "step.json.new"), os.path.join(self.path, "step.json"))
        self.size_bytes += len(data)
        return self.size_bytes

    def _file_name(self, name: str) -> str:
        stem = _WORD.sub("_", name)[:80].strip(".") or "value"
        file, number = f"{stem}.npy", 1
        while file in self._files:
            number += 1
            file = f"{stem}-{number}.npy"
        self._files.add(file)
        return file

    def _open(self, file: str) -> Any:
        path = os.path.join(self.path, file)
        return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb")


def has_captured() -> bool:
    """Whether this process has written a capture: what is bad later may come from there."""
    return _counts.get(os.getpid(), 0) > 0


def open_capture() -> CaptureDirectory | None:
    """A new capture, or None where this process or the run has had its share, or is not recorded."""
    owner = journal.current()
    if owner is None:
        return None
    pid = os.getpid()
    number = _counts.get(pid, 0)
    if number >= LARGEST_CAPTURES:
        return None
    parent = os.path.join(owner.run, DIRECTORY)
    os.makedirs(parent, mode=0o700, exist_ok=True)
    room = LARGEST_RUN_BYTES - _size(parent)
    if room <= 0:
        guard.limited("captured steps", "the captured steps reached the size limit of a run")
        return None
    _counts[pid] = number + 1
    name = f"{pid}-{number}"
    path = os.path.join(parent, name)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return CaptureDirectory(path, f"{DIRECTORY}/{name}", room)


def may_capture() -> bool:
    """Whether `open_capture` would be worth a call: cheap, and without a trace."""
    return journal.current() is not None and _counts.get(os.getpid(), 0) < LARGEST_CAPTURES


def options() -> frozenset[str]:
    """The words for the recorder: "no-numerics" and "stop-on-nan" are for captures."""
    return frozenset(os.environ.get("WHYDIED_OPTIONS", "").split(","))


def versions() -> dict[str, str]:
    """Of what a step ran with."""
    names = ("tensorflow", "keras", "tf_keras", "numpy")
    found = {name: getattr(sys.modules.get(name), "__version__", None) for name in names}
    return {name: version for name, version in found.items() if isinstance(version, str)}


def numbers_of(value: Any) -> Numbers:
    """A tensor in numbers; of an integer or bool array there are no bad ones, of a string only its size."""
    import numpy

    array = numpy.asarray(value)
    shape, count = [int(n) for n in array.shape], int(array.size)
    dtype = "string" if array.dtype.kind in "OSU" else str(array.dtype.name)
    if array.dtype.kind not in "biufcV" or (array.dtype.kind == "V" and not _is_half(array.dtype)) or not count:
        return Numbers(shape=shape, dtype=dtype, count=count)
    flat = array.reshape(-1)[:LARGEST_NUMBERS]
    if flat.dtype.kind == "c":
        bad = ~numpy.isfinite(flat)
        nan = numpy.isnan(flat)
        return Numbers(shape=shape, dtype=dtype, count=count, nan=int(nan.sum()), plus_infinity=int((bad & ~nan).sum()))
    wide = flat.astype(numpy.float64 if flat.dtype.itemsize > 2 else numpy.float32, copy=False)
    with numpy.errstate(all="ignore"):
        finite = numpy.isfinite(wide)
        whole = bool(finite.all())
        good = wide if whole else wide[finite]
        return Numbers(
            shape=shape,
            dtype=dtype,
            count=count,
            nan=0 if whole else int(numpy.isnan(wide).sum()),
            plus_infinity=0 if whole else int((wide == numpy.inf).sum()),
            minus_infinity=0 if whole else int((wide == -numpy.inf).sum()),
            zeros=int((wide == 0).sum()),
            least=float(good.min()) if good.size else None,
            greatest=float(good.max()) if good.size else None,
            mean=_finite(good.mean(dtype=numpy.float64)) if good.size else None,
            norm=_norm(good) if good.size else None,
        )


def load(directory: str, file: str, dtype: str) -> Any:
    """A value of a capture as a NumPy array; `dtype` is the recorded one. Raises OSError or ValueError."""
    import numpy

    with open(os.path.join(directory, file), "rb") as stream:
        array = numpy.lib.format.read_array(stream, allow_pickle=False)
    if array.dtype.kind == "S":
        return array.astype(object)
    if array.dtype.name != dtype and array.dtype.kind == "u" and dtype.startswith(("bfloat", "float")):
        tensorflow: Any = sys.modules["tensorflow"]
        return array.view(tensorflow.dtypes.as_dtype(dtype).as_numpy_dtype)
    return array


def _storable(array: Any) -> Any:
    if _is_half(array.dtype):
        return array.view(_UNSIGNED[array.dtype.itemsize])
    if array.dtype.kind in "biufcSU":
        return array.astype("S") if array.dtype.kind == "U" else array
    if array.dtype.kind == "O" and all(isinstance(item, (bytes, str)) for item in array.reshape(-1)):
        return array.astype("S") if array.size else array.reshape(array.shape).astype("S1")
    return None


def _is_half(dtype: Any) -> bool:
    """A small float of a package that extends NumPy, such as bfloat16, which NumPy's own files do not know."""
    return dtype.itemsize in _UNSIGNED and str(dtype.name).startswith(("bfloat", "float8"))


def _norm(values: Any) -> float | None:
    import numpy

    largest = float(numpy.abs(values).max())
    if largest == 0.0:
        return 0.0
    # Scaled, because squares overflow long before values do.
    scaled = values.astype(numpy.float64) / largest
    return _finite(largest * float(numpy.sqrt(numpy.dot(scaled, scaled))))


def _finite(value: Any) -> float | None:
    number = float(value)
    return number if number - number == 0.0 else None


def _json(value: Any) -> bytes:
    import msgspec

    return msgspec.json.encode(value)


def _size(directory: str) -> int:
    total = 0
    for entry in os.scandir(directory):
        if entry.is_dir(follow_symlinks=False):
            total += sum(file.stat(follow_symlinks=False).st_size for file in os.scandir(entry.path))
    return total
