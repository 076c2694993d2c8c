"""Records the table of ops of each traced function and of each new fetch of a session; runs in the user's
process.

Invariant: only the outermost function of a trace is recorded, with all that it calls; at most
`LARGEST_FILES` files and `LARGEST_BYTES` a run and process; a file is written whole, with the permissions of
the run's directory.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from whydied.inside import journal
from whydied.inside.guest import frameless, garbage_collection, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.model import layer_lines
from whydied.inside.model.execution_mode import executing_eagerly
from whydied.inside.model.graph_ops import TooLarge
from whydied.records import GraphRecorded

if TYPE_CHECKING:
    from whydied.graph.op_table import Table
    from whydied.inside.model.graph_table import TableMaker

LARGEST_FILES = 32
LARGEST_BYTES = 16 << 20
LARGEST_FETCHES = 1000
LARGEST_FILES_OF_FUNCTION = 4
_pid = 0
_sizes: dict[str, int] = {}
_names: dict[str, list[str]] = {}
_fetches: set[tuple[int, ...]] = set()


@guarded("graphs.called")
def _called(layer: Any, frame: FrameType) -> None:
    if executing_eagerly() or "_parent_path" not in getattr(layer, "__dict__", {}) or _full():
        return
    ops: Any = sys.modules.get("tensorflow.python.framework.ops")
    if ops is None:
        return
    graph = ops.get_default_graph()
    scope = getattr(graph, "_name_stack", "")
    if isinstance(scope, str) and scope:
        layer_lines.scope_opened(graph, scope, layer)


@guarded("graphs.traced")
def _traced(frame: FrameType) -> None:
    """A trace is complete; `frame` is that of TensorFlow's `_create_concrete_function`. The graph is read now: later
    the program may have dropped it."""
    names = of_library(frame)
    graph = names.get("traced_func_graph")
    if graph is None:
        graph = getattr(names.get("concrete_function"), "graph", None)
    if graph is None or hasattr(getattr(graph, "outer_graph", None), "outer_graph"):
        return
    try:
        if not _full():
            # Thousands of small objects would make the garbage collector walk through all of TensorFlow in the middle.
            with garbage_collection.held_off():
                if _worth(graph):
                    name = str(graph.name)
                    _record(name, lambda maker: maker.of_function(name, graph))
    finally:
        layer_lines.forget_scopes()


def _worth(graph: Any) -> bool:
    """Functions of a data pipeline and other trifles would use up the files."""
    if str(graph.name).startswith("Dataset_"):
        return False
    return (
        len(graph._functions) > 0 or len(graph.get_operations()) >= 30 or len(getattr(graph, "_weak_variables", ())) > 0
    )


def _record(name: str, table_of: Callable[[TableMaker], Table]) -> None:
    from whydied.inside.model.graph_table import TableMaker

    began = time.perf_counter()
    try:
        table = table_of(TableMaker())
    except TooLarge as error:
        guard.limited("graph", f"the graph of {name} has {error}, too many to record")
        return
    _write(table, began)


@guarded("graphs.ran")
def _ran(session: Any, frame: FrameType) -> None:
    """A session is about to run; `frame` is that of TensorFlow's `_run`, where fetches and feeds are complete."""
    names = of_library(frame)
    fetches, targets = names.get("final_fetches"), names.get("final_targets")
    fed = names.get("feed_dict_tensor")
    if not isinstance(fetches, list) or not isinstance(targets, list) or _full():
        return
    key = (id(session), *(id(thing) for thing in (*fetches, *targets)))
    if key in _fetches or len(_fetches) >= LARGEST_FETCHES:
        return
    _fetches.add(key)
    shapes = {ref.deref() if hasattr(ref, "deref") else ref: _shape(value) for ref, value in (fed or {}).items()}
    name = ", ".join(thing.name for thing in (*targets, *fetches)[:3])
    wanted = [tensor for tensor in fetches if hasattr(tensor, "op")]
    ops = [getattr(target, "op", target) for target in targets]
    _record(name, lambda maker: maker.of_fetches(name, session.graph, wanted, ops, shapes))


def _shape(value: Any) -> tuple[int, ...] | None:
    shape = getattr(value, "shape", None)
    try:
        return tuple(int(dim) for dim in shape) if shape is not None else ()
    except TypeError:
        return None


def _full() -> bool:
    return len(_sizes) >= LARGEST_FILES or sum(_sizes.values()) >= LARGEST_BYTES


def _write(table: Table, began: float) -> None:
    from whydied.graph.op_table import encode

    owner = journal.current()
    if owner is None:
        return
    data = encode(table)
    if sum(_sizes.values()) + len(data) > LARGEST_BYTES:
        guard.limited("graph", "the recorded graphs reached the size limit of a run")
        return
    _forget_parent()
    name = _file_name(table.name)
    directory = os.path.join(owner.run, "graphs")
    os.makedirs(directory, mode=0o700, exist_ok=True)
    path = os.path.join(directory, name)
    with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        stream.write(data)
    os.replace(path + ".new", path)
    _sizes[name] = len(data)
    journal.write(
        GraphRecorded(
            function=table.name,
            file=name,
            operations=sum(len(function.ops) for function in table.functions),
            wall_s=round(time.perf_counter() - began, 4),
        )
    )


def _forget_parent() -> None:
    """In a fork the files are the parent's."""
    global _pid
    if _pid != os.getpid():
        _pid = os.getpid()
        _sizes.clear()
        _names.clear()


def _file_name(function: str) -> str:
    """A new file, or the newest of a function that has its share: one that is traced repeatedly keeps its first graphs
    and its last."""
    names = _names.setdefault(function, [])
    if len(names) < LARGEST_FILES_OF_FUNCTION:
        names.append(f"{os.getpid()}-{len(_sizes)}.bin")
    return names[-1]


# Keras 3: `keras.src.layers.layer`; Keras 2: `keras.src.engine.base_layer`.
hook_layer = frameless.hooking(
    "lines of layers", "Layer.__init__", guarded("graphs.constructed")(layer_lines.layers.note)
)
# Keras 3: a layer fetches this method inside its own name scope.
hook_operation = frameless.hooking("scopes of layers", "Operation.__call__", _called)
hook_traces = frameless.hooking("graphs of functions", "call_concrete_function_callbacks", _traced)
hook_session = frameless.hooking("graphs of sessions", "BaseSession._do_run", _ran)
