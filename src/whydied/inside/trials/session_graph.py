"""The graph of a session run that failed, built again with what was fed: which of its sizes go together; runs in the
user's process, and the building in a copy of it.

TensorFlow's own shape functions say whether the ops behind the placeholders take the fed shapes, and at which op they
do not. Where a size is written down there (the target of a reshape, the shape of a variable), what it would have to be
follows from the shapes that arrive, and the building goes on with that, so that all places which belong together are
found at once.

Invariant: the program's graph is only read; no op of it runs. What is not built (gradients, updates, functions that
the graph does not define) is not judged.
"""

from __future__ import annotations

import itertools
import math
import re
import sys
from types import TracebackType
from typing import Any, NamedTuple

import msgspec

from whydied.inside.errors import exception_chain
from whydied.inside.errors.sessions import graph_walk
from whydied.inside.errors.stack_steps import Step, is_of, last, steps_of
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.value_facts import describe
from whydied.inside.journal import Journal
from whydied.inside.trials import forked
from whydied.records import GraphTried, Resized
from whydied.texts import session_errors

BUILD_CPU_S = 0.8
LARGEST_OPS = 4_000
LARGEST_FEEDS = 16
MOST_RESIZED = 5
MOST_BUILDS = 16
LARGEST_FILL = 1 << 20
"""Elements of a constant that is made anew."""
_UPDATES = re.compile(r"(Resource)?(Sparse)?Apply|Assign|Scatter|Save|Restore|MergeSummary|.*Summary")
_NODE = session_errors.REFUSED_NODE.pattern
_SHAPES = session_errors.REFUSED_SHAPES.pattern
_ONE_SHAPE = re.compile(r"\[([^\]]*)\]|\?|<unknown>")
_VARIABLES = ("VariableV2", "Variable", "VarHandleOp")

COMPARING = ("Sub", "SquaredDifference", "Mul", "SoftmaxCrossEntropyWithLogits")
"""The ops in which targets meet what was computed."""

Shape = list[int | None]


class _Run(NamedTuple):
    """A run of a session: the ops that it needs and that are built again, and the shapes of what was fed, by op."""

    graph: Any
    ops: list[Any]
    fed: dict[str, Shape]


class _Said(msgspec.Struct):
    """What the copy answers. `resized` has op, old and new sizes."""

    fits: bool
    resized: list[tuple[str, Shape, Shape]]
    at: str = ""
    crossed: str = ""


@guarded("session_graph.look")
def look(owner: Journal, error: BaseException, trace: TracebackType | None) -> None:
    """Write whether the graph of the failed run takes what was fed, and what else would have to have another size."""
    for index, (_, link_trace, _) in reversed([*enumerate(exception_chain._links(error, trace, set()))]):
        steps = steps_of(link_trace, None, owner.ownership)
        run = last(steps, lambda one: one.frame.f_code.co_name == "_run" and is_of(one, "client/session.py"))
        if run is not None:
            found = tried(index, run)
            if found is not None:
                owner.write(found)
            return


def tried(index: int, run: Step) -> GraphTried | None:
    asked = _asked(run)
    if asked is None or not asked.fed:
        return None
    answer = forked.answers([lambda: _built(asked)], BUILD_CPU_S)[0]
    if not answer:
        return None
    said = msgspec.json.decode(answer, type=_Said)
    if said.fits and not said.resized and not _misfits(asked):
        # The failure is not one of shapes.
        return None
    made = asked.graph.get_operation_by_name
    return GraphTried(
        link=index,
        fits=said.fits,
        resized=[Resized(node=graph_walk.node_of(made(name)), was=was, now=now) for name, was, now in said.resized],
        at=graph_walk.node_of(made(said.at)) if said.at else None,
        crossed=graph_walk.node_of(made(said.crossed)) if said.crossed else None,
    )


def _asked(run: Step) -> _Run | None:
    graph, feeds, fetches = getattr(run.get("self"), "graph", None), run.get("feed_dict"), run.get("fetches")
    if graph is None or type(feeds) is not dict or not 0 < len(feeds) <= LARGEST_FEEDS:
        return None
    fed: dict[str, Shape] = {}
    for key, value in feeds.items():
        shape = _shape_of(value)
        tensor = key if getattr(key, "graph", None) is graph else None
        if tensor is None or not hasattr(tensor, "op") or shape is None:
            return None
        fed[str(tensor.op.name)] = shape
    tops = _fetched(fetches, graph)
    return _Run(graph, _forward(tops, fed), fed) if tops else None


def _shape_of(value: Any) -> Shape | None:
    if type(value) in (int, float, bool):
        return []
    if type(value) in (list, tuple):
        numpy: Any = sys.modules["numpy"]
        try:
            return list(numpy.shape(value)) if len(value) <= 10_000 else None
        except ValueError:
            return None
    found = describe(value).shape
    return list(found) if found is not None else None


def _fetched(fetches: Any, graph: Any) -> list[Any]:
    """The ops that are asked for, out of lists and dictionaries."""
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if isinstance(fetches, list | tuple):
        return [op for one in fetches for op in _fetched(one, graph)]
    if isinstance(fetches, str):
        try:
            fetches = graph.as_graph_element(fetches)
        except (KeyError, ValueError):
            return []
    op = fetches if type(fetches).__name__ == "Operation" else getattr(fetches, "op", None)
    return [op] if op is not None and getattr(op, "graph", None) is graph else []


def _forward(tops: list[Any], fed: dict[str, Shape]) -> list[Any]:
    """What the run computes before gradients and updates, each op after those that it takes."""
    needed: dict[str, Any] = {}
    for top in tops:
        for name in graph_walk.needed(top, {f"{one}:0" for one in fed}):
            needed.setdefault(name, top.graph.get_operation_by_name(name))
        if len(needed) > LARGEST_OPS:
            return []
    for name in fed:
        needed.setdefault(name, tops[0].graph.get_operation_by_name(name))
    kept = {name: op for name, op in needed.items() if not _is_backward(op)}
    while True:
        lacking = [name for name, op in kept.items() if name not in fed and _lacks(op, kept)]
        if not lacking:
            return list(kept.values())
        for name in lacking:
            del kept[name]


def _is_backward(op: Any) -> bool:
    return "gradients" in str(op.name).split("/")[:-1] or bool(_UPDATES.match(str(op.type)))


def _lacks(op: Any, kept: dict[str, Any]) -> bool:
    return any(tensor.op.name not in kept for tensor in op.inputs)


def _misfits(asked: _Run) -> bool:
    """Whether a placeholder declares something else than it was fed."""
    for name, shape in asked.fed.items():
        declared = asked.graph.get_operation_by_name(name).outputs[0].shape
        if declared.rank is not None and not declared.is_compatible_with(shape):
            return True
    return False


def _built(asked: _Run) -> str:
    """In the copy: the forward ops with placeholders of the fed shapes, and with other sizes where they must be."""
    nodes = _nodes(asked)
    resized: list[tuple[str, Shape, Shape]] = []
    at = ""
    for _ in range(MOST_BUILDS):
        said = _imported(asked, nodes)
        if not isinstance(said, str):
            return msgspec.json.encode(_Said(True, resized, crossed=_crossed(asked, said))).decode()
        found = _NODE.search(said)
        at = found["name"] if found is not None else ""
        if at in nodes and _refilled(asked, nodes, at, said):
            continue
        change = _resizing(asked, nodes, at, said) if at in nodes and len(resized) < MOST_RESIZED else None
        if change is None:
            break
        resized.append(change)
    return msgspec.json.encode(_Said(False, resized, at if at in nodes else "")).decode()


def _nodes(asked: _Run) -> dict[str, Any]:
    from tensorflow.core.framework import node_def_pb2

    found: dict[str, Any] = {}
    names = {str(op.name) for op in asked.ops}
    for op in asked.ops:
        node = node_def_pb2.NodeDef()
        if op.name in asked.fed:
            node.name, node.op = str(op.name), "Placeholder"
            node.attr["dtype"].type = op.outputs[0].dtype.base_dtype.as_datatype_enum
            _set_shape(node, asked.fed[str(op.name)])
        else:
            node.CopyFrom(op.node_def)
            kept = [one for one in node.input if not one.startswith("^") or one[1:] in names]
            del node.input[:]
            node.input.extend(kept)
        found[str(op.name)] = node
    return found


def _set_shape(node: Any, shape: Shape) -> None:
    node.attr["shape"].shape.ClearField("dim")
    node.attr["shape"].shape.unknown_rank = False
    for size in shape:
        node.attr["shape"].shape.dim.add().size = -1 if size is None else size


def _imported(asked: _Run, nodes: dict[str, Any]) -> Any:
    """The graph that TensorFlow makes of the nodes, or what it says where it does not take them."""
    from tensorflow.core.framework import graph_pb2
    from tensorflow.python.framework import importer, ops

    definition = graph_pb2.GraphDef()
    definition.versions.CopyFrom(asked.graph.graph_def_versions)
    asked.graph._copy_functions_to_graph_def(definition, 0)
    definition.node.extend(nodes.values())
    with ops.Graph().as_default() as graph:
        try:
            importer.import_graph_def(definition, name="")
        except ValueError as error:
            return str(error)
    return graph


def _crossed(asked: _Run, graph: Any) -> str:
    """The first op that compares two values of one shape in the program's graph, and whose operands in the other one
    are spread out to fit each other."""
    for op in asked.ops:
        if op.type not in COMPARING:
            continue
        before, after = _pairs(op), _pairs(graph.get_operation_by_name(str(op.name)))
        if before is None or after is None:
            continue
        spread = [1 in now and now != (1, 1) and None not in now for now in after]
        if any(now and (1 not in was or was == (1, 1)) for was, now in zip(before, spread, strict=False)):
            return str(op.name)
    return ""


def _pairs(op: Any) -> list[tuple[int | None, int | None]] | None:
    """The sizes of both operands, axis by axis from the last; None where one is not known. An axis that only one of
    them has is one of size 1 for the other."""
    shapes = [tensor.shape for tensor in op.inputs]
    if any(one.rank is None for one in shapes):
        return None
    first, second = (one.as_list()[::-1] for one in shapes)
    return [*itertools.zip_longest(first, second, fillvalue=1)]


def _refilled(asked: _Run, nodes: dict[str, Any], at: str, said: str) -> bool:
    """Whether a constant of equal numbers that the op takes got the shape of what it meets: TensorFlow writes down
    `zeros_like` where a shape is fixed, and would not with an open one."""
    from tensorflow.python.framework import tensor_util

    shapes = _arriving(said)
    for tensor, shape in zip(asked.graph.get_operation_by_name(at).inputs, shapes, strict=False):
        other = next((one for one in shapes if one is not None and one != shape and None not in one), None)
        node = nodes.get(str(tensor.op.name))
        if node is None or node.op != "Const" or shape is None or other is None or len(other) != len(shape):
            continue
        if other[1:] != shape[1:] or not 0 < math.prod(size or 0 for size in other) <= LARGEST_FILL:
            continue
        value = tensor_util.MakeNdarray(node.attr["value"].tensor)
        if value.size and (value == value.flat[0]).all():
            filled = sys.modules["numpy"].full(other, value.flat[0], value.dtype)
            node.attr["value"].tensor.CopyFrom(tensor_util.make_tensor_proto(filled))
            node.attr.pop("_output_shapes", None)
            return True
    return False


def _resizing(asked: _Run, nodes: dict[str, Any], at: str, said: str) -> tuple[str, Shape, Shape] | None:
    """What has another size in the graph from now on, so that the op `at` takes what arrives."""
    shapes = _arriving(said)
    op = asked.graph.get_operation_by_name(at)
    if op.type == "Reshape" and shapes and shapes[0] is not None:
        return _other_target(asked, nodes, op, shapes[0])
    if op.type in ("MatMul", "BatchMatMulV2") and len(shapes) == 2 and shapes[0] and shapes[1]:
        turned = ("transpose_a", "transpose_b") if op.type == "MatMul" else ("adj_x", "adj_y")
        return None if any(map(op.get_attr, turned)) else _other_rows(nodes, op, shapes[0], shapes[1])
    return None


def _arriving(said: str) -> list[Shape | None]:
    found = _SHAPES.search(said)
    if found is None:
        return []
    return [
        [None if size.strip() == "?" else int(size) for size in one[1].split(",") if size.strip()]
        if one[1] is not None
        else None
        for one in _ONE_SHAPE.finditer(found["shapes"])
    ]


def _other_target(asked: _Run, nodes: dict[str, Any], op: Any, came: Shape) -> tuple[str, Shape, Shape] | None:
    """A reshape that keeps the rows: with any number of them where it has a fixed one, else as wide as they are."""
    from tensorflow.python.framework import tensor_util

    target = tensor_util.constant_value(op.inputs[1])
    holder = nodes.get(str(op.inputs[1].op.name))
    if target is None or holder is None or holder.op != "Const" or None in came:
        return None
    was = [int(size) for size in target]
    whole, left_open = math.prod(size or 0 for size in came), was[1:].count(-1)
    written = math.prod(size for size in was[1:] if size != -1)
    if not was or not came or not came[0] or not written:
        return None
    if left_open == 1 and (whole // came[0]) % written == 0:
        # Both cannot be open: what was follows from the rows as they come.
        now = [-1, *(whole // came[0] // written if size == -1 else size for size in was[1:])]
    elif was[0] > 0 and not left_open and whole % written == 0:
        now = [-1, *was[1:]]
    elif len(was) == 2 and was[0] == -1:
        now = [-1, whole // came[0]]
    else:
        return None
    proto = tensor_util.make_tensor_proto(now, dtype=op.inputs[1].dtype.base_dtype.as_numpy_dtype, shape=[len(now)])
    if was == now:
        return None
    holder.attr["value"].tensor.CopyFrom(proto)
    return str(op.name), list(was), list(now)


def _other_rows(nodes: dict[str, Any], op: Any, left: Shape, right: Shape) -> tuple[str, Shape, Shape] | None:
    """The variable on the right of a product, with as many rows as the left side has columns."""
    holder = op.inputs[1].op
    while holder.type in ("Identity", "ReadVariableOp", "Cast") and holder.inputs:
        holder = holder.inputs[0].op
    node = nodes.get(str(holder.name))
    if node is None or holder.type not in _VARIABLES or len(right) != 2 or left[-1] is None or left[-1] == right[0]:
        return None
    now = [left[-1], right[1]]
    _set_shape(node, now)
    node.attr.pop("_output_shapes", None)
    return str(holder.name), list(right), now
