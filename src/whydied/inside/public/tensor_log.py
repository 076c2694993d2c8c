"""Histograms and statistics of tensors by name: `whydied.log`, and the layers that `--watch` names; runs in the user's
process.

Invariant: nothing of the model is changed, and nothing raises. (What a graph's optimizer would have joined is
read between its parts, and may differ in the last bit: docs/logging.md.) Eager tensors are looked at with
NumPy; a graph gets a call into Python that is made every step and tells whether this one is due, and one that takes the
tensors, made only then. Where such calls cannot be (XLA, a function that is being exported, graphs of TensorFlow 1
without a fetch) nothing is logged, and the recording says so. Without a recording `log` does nothing.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import weakref
from fnmatch import fnmatchcase
from types import FrameType
from typing import Any, NamedTuple, TypeVar

from whydied.inside import journal
from whydied.inside.guest import guard
from whydied.inside.guest.guard import guarded
from whydied.inside.model import execution_mode
from whydied.inside.public import requested_watches
from whydied.inside.public.asserting.check_ops import behind
from whydied.records import TensorLogged

LARGEST_NAMES = 2000
BUCKETS = 30
LARGEST_BYTES = 64 << 20

_T = TypeVar("_T")
_uses: dict[str, int] = {}
_events: dict[str, EventFile] = {}


class Watched(NamedTuple):
    """A tensor with the name and the role that it is logged under."""

    name: str
    role: str
    tensor: Any


class _Graph:
    """What is logged from one graph, and how often it ran."""

    def __init__(self) -> None:
        self.runs = 0
        self.names: list[str] = []
        self.due: Any = None


_graphs: weakref.WeakKeyDictionary[Any, _Graph] = weakref.WeakKeyDictionary()


def log(name: str, tensor: _T) -> _T:
    """The tensor, whose histogram and statistics go into the recording and into event files of TensorBoard, at the
    first use and then at every Nth (`whydied run --watch-every N`)."""
    if journal.current() is None:
        return tensor
    placed = _place([Watched(name, "log", tensor)])
    return placed if placed is not None else tensor


# Read by AutoGraph, which would otherwise rewrite our code as it does the user's.
vars(log)["autograph_info__"] = True


def outputs_made(layer: Any, outputs: Any) -> None:
    """A layer has been called: its outputs, and the weights that are its own."""
    name = getattr(layer, "name", "")
    if not isinstance(name, str) or not _is_watched(name):
        return
    tf: Any = sys.modules["tensorflow"]
    tensors = [one for one in tf.nest.flatten(outputs) if isinstance(one, tf.Tensor)]
    watched = [Watched(f"{name}/output" + (f"_{at}" if at else ""), "output", one) for at, one in enumerate(tensors)]
    if not watched:
        return
    own = getattr(layer, "_trainable_variables", None) or getattr(layer, "_trainable_weights", None) or ()
    watched += [Watched(f"{name}/{_path(variable).rpartition('/')[2]}", "weight", variable) for variable in own]
    _place(watched)


def gradients_made(pairs: list[tuple[Any, Any]]) -> None:
    """An optimizer was given gradients, each with its variable."""
    watched = []
    for gradient, variable in pairs:
        parts = _path(variable).split("/")
        layer = next((part for part in reversed(parts[:-1]) if _is_watched(part)), None)
        if layer is not None:
            tensor = getattr(gradient, "values", gradient)
            watched.append(Watched(f"{layer}/{parts[-1]}/gradient", "gradient", tensor))
    if watched:
        _place(watched)


def _is_watched(layer: str) -> bool:
    return any(fnmatchcase(layer, glob) for glob in requested_watches.current().watch)


def _path(variable: Any) -> str:
    """Keras 3 has a path, Keras 2 a name of the form "dense/kernel:0"."""
    path = getattr(variable, "path", None) or getattr(variable, "name", "")
    return str(path).partition(":")[0]


@guarded("tensor_log.place")
def _place(watched: list[Watched]) -> Any:
    """Log tensors that have values, or make their logging part of their graph. Of a graph, returns the first tensor
    with the logging behind it."""
    if len(_uses) > LARGEST_NAMES:
        guard.limited("watched tensors", f"only the first {LARGEST_NAMES} names are logged")
        return None
    tf: Any = sys.modules.get("tensorflow")
    first = watched[0].tensor
    symbolic = tf is not None and isinstance(first, tf.Tensor) and tf.is_symbolic_tensor(first)
    if not symbolic:
        names = [one.name for one in watched]
        for name in names:
            _uses[name] = _uses.get(name, 0) + 1
        if any(_is_due(_uses[name]) for name in names):
            _emit([(one.name, one.role) for one in watched], [one.tensor for one in watched])
        return None
    return _in_graph(tf, watched)


def _in_graph(tf: Any, watched: list[Watched]) -> Any:
    why_not = _obstacle(sys._getframe(1))
    if why_not:
        guard.limited(f"watched tensors {why_not[0]}", why_not[1])
        return None
    graph = watched[0].tensor.graph
    state = _graphs.setdefault(graph, _Graph())
    state.names += [one.name for one in watched if one.name not in state.names]
    kinds = [(one.name, one.role) for one in watched]
    tensors = [tf.convert_to_tensor(one.tensor) for one in watched]
    with tf.name_scope("whydied_watch"), tf.control_dependencies(None):
        if state.due is None:
            state.due = tf.numpy_function(lambda: _tick(state), [], tf.bool)
            state.due.set_shape([])

    def emit() -> Any:
        return tf.numpy_function(lambda *values: _taken(kinds, values), tensors, [])

    with tf.name_scope("whydied_watch"):
        operation = tf.cond(state.due, lambda: tf.group(emit()), tf.no_op)
        return behind(tf, tensors[0], operation)


def _tick(state: _Graph) -> Any:
    """A graph runs once more: whether this time is due."""
    import numpy

    return numpy.bool_(_counted(state) is True)


@guarded("tensor_log.tick")
def _counted(state: _Graph) -> bool:
    state.runs += 1
    for name in state.names:
        _uses[name] = _uses.get(name, 0) + 1
    return _is_due(state.runs)


def _is_due(use: int) -> bool:
    return use == 1 or use % requested_watches.current().watch_every == 0


def _taken(kinds: list[tuple[str, str]], values: Any) -> list[Any]:
    _emit(kinds, values)
    return []


@guarded("tensor_log.emit")
def _emit(kinds: list[tuple[str, str]], values: Any) -> None:
    owner = journal.current()
    if owner is None:
        return
    pairs = zip(kinds, values, strict=True)
    logged = [found for (name, role), value in pairs if (found := _logged(name, role, value)) is not None]
    for one in logged:
        journal.write(one)
    directory = requested_watches.current().watch_directory or os.path.join(owner.run, "tensorboard")
    if "tensorflow" in sys.modules:
        _events.setdefault(directory, EventFile(directory)).write(logged)


def _logged(name: str, role: str, value: Any) -> TensorLogged | None:
    import numpy

    from whydied.inside.numerics.step_file import numbers_of

    array = numpy.asarray(value)
    if array.dtype.kind in "OSU":
        return None
    counts: list[int] = []
    edges: list[float] = []
    flat = array.reshape(-1)
    if not array.dtype.isbuiltin or flat.dtype.kind in "bf":
        flat = flat.astype("float64" if flat.dtype.itemsize == 8 else "float32")
    finite = flat[numpy.isfinite(flat)] if flat.dtype.kind == "f" else flat
    if finite.size and finite.dtype.kind != "c":
        found, bounds = numpy.histogram(finite, bins=BUCKETS)
        counts, edges = [int(count) for count in found], [float(edge) for edge in bounds]
    return TensorLogged(
        name=name, role=role, step=_uses.get(name, 1), numbers=numbers_of(array), edges=edges, counts=counts
    )


def _obstacle(frame: FrameType | None) -> tuple[str, str] | None:
    """Where and why a call into Python cannot be put into the graph that is being made."""
    if execution_mode.is_compiled(frame):
        return "under XLA", "a function that XLA compiles cannot call into Python"
    if execution_mode.is_exported(frame):
        return "in exports", "a function that is exported is left as it is"
    return None


class EventFile:
    """A file that TensorBoard reads. TensorFlow's own record writer and messages are used and nothing of `tf.summary`,
    whose default writer and step are the program's. A process writes at most `LARGEST_BYTES`, into a file of its
    own."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._lock = threading.Lock()
        self._writer: Any = None
        self._pid = 0
        self._bytes = 0

    def write(self, logged: list[TensorLogged]) -> None:
        """Add what was logged at one moment."""
        from tensorflow.core.framework import summary_pb2
        from tensorflow.core.util import event_pb2

        with self._lock:
            self._open(event_pb2)
            for one in logged:
                summary = summary_pb2.Summary(value=_summary_values(summary_pb2, one))
                self._put(event_pb2.Event(wall_time=time.time(), step=one.step, summary=summary))
            self._writer.flush()

    def _open(self, event_pb2: Any) -> None:
        # In a fork the file is the parent's.
        if self._writer is not None and self._pid == os.getpid():
            return
        self._pid, self._bytes = os.getpid(), 0
        os.makedirs(self._directory, mode=0o700, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{self._pid}.whydied"
        self._writer = sys.modules["tensorflow"].io.TFRecordWriter(os.path.join(self._directory, name))
        self._put(event_pb2.Event(wall_time=time.time(), file_version="brain.Event:2"))

    def _put(self, event: Any) -> None:
        data = event.SerializeToString()
        self._bytes += len(data)
        if self._bytes > LARGEST_BYTES:
            guard.limited("event files", f"a process writes at most {LARGEST_BYTES >> 20} MiB of them")
            return
        self._writer.write(data)


def _summary_values(summary_pb2: Any, logged: TensorLogged) -> list[Any]:
    numbers = logged.numbers
    values = [summary_pb2.Summary.Value(tag=f"{logged.name}/nonfinite", simple_value=float(numbers.nonfinite))]
    for word, number in (("mean", numbers.mean), ("norm", numbers.norm)):
        if number is not None:
            values.append(summary_pb2.Summary.Value(tag=f"{logged.name}/{word}", simple_value=number))
    if logged.counts:
        finite = sum(logged.counts)
        histogram = summary_pb2.HistogramProto(
            min=logged.edges[0],
            max=logged.edges[-1],
            num=finite,
            sum=(numbers.mean or 0.0) * finite,
            sum_squares=(numbers.norm or 0.0) ** 2,
            bucket_limit=logged.edges[1:],
            bucket=[float(count) for count in logged.counts],
        )
        values.append(summary_pb2.Summary.Value(tag=logged.name, histo=histogram))
    return values
