"""Makes the table of ops of a graph; runs in the user's process, once a trace, so its cost is part of the
tracing.

Invariant: the graph is only read. No op is created, no tensor is evaluated, no large constant is
copied. Ops are bounded in number and the time spent on their lines is bounded; what is left out is left out
of the table, never guessed.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable
from typing import Any

from whydied.graph.op_table import Function, Layer, Line, Op, Table, Variable
from whydied.inside import journal
from whydied.inside.guest.live_source import span
from whydied.inside.model import graph_ops, layer_lines
from whydied.inside.model.graph_ops import LARGEST_OPS, TooLarge
from whydied.inside.model.layer_lines import Origin

LARGEST_VALUE = 64
SMALL_BYTES = 1024
"""Ops all of whose outputs are known to be smaller get no line: they cannot matter, and lines are the dearest part."""

LINE_SECONDS = 40e-6
"""Time for the line of an op, on the mean; tracing one takes half a millisecond and more."""
_LEAST_LINE_SECONDS = 0.01

_WINDOW = ("strides", "ksize", "padding", "data_format", "dilations", "explicit_paddings", "paddings")
_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        [f"{kind}{grad}" for kind in ("MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D") for grad in ("", "V2", "Grad")]
        + [f"{kind}{end}" for kind in ("Conv2D", "Conv3D") for end in ("", "BackpropInput", "BackpropFilter")]
        + ["Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", "DepthwiseConv2dNative", "Conv"]
        + ["DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter", "SpaceToDepth", "DepthToSpace"],
        (*_WINDOW, "block_size"),
    ),
    **dict.fromkeys(["MatMul", "SparseMatMul"], ("transpose_a", "transpose_b")),
    **dict.fromkeys(["BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"], ("adj_x", "adj_y")),
    **dict.fromkeys(["Sum", "Mean", "Max", "Min", "Prod", "All", "Any", "EuclideanNorm"], ("keep_dims",)),
    **dict.fromkeys(["While", "StatelessWhile"], ("cond", "body")),
    **dict.fromkeys(["If", "StatelessIf"], ("then_branch", "else_branch")),
    **dict.fromkeys(["PartitionedCall", "StatefulPartitionedCall", "RemoteCall"], ("f",)),
    **dict.fromkeys(["Case", "StatelessCase"], ("branches",)),
    "StridedSlice": _MASKS,
    "StridedSliceGrad": _MASKS,
    "Einsum": ("equation",),
    "Squeeze": ("squeeze_dims",),
    "Pack": ("axis",),
    "Unpack": ("axis", "num"),
    "GatherV2": ("batch_dims",),
    "ResourceGather": ("batch_dims",),
    "OneHot": ("axis",),
    "Split": ("num_split",),
    "TopKV2": ("k",),
    "VarHandleOp": ("shape", "dtype"),
    "FusedBatchNormV3": ("is_training", "data_format"),
    "IteratorGetNext": (),
}
_CALLS = ("f", "body", "cond", "then_branch", "else_branch")
_PLAIN = frozenset({"Const", "Placeholder", "NoOp", "ReadVariableOp", "VarIsInitializedOp", "Shape", "VariableShape"})
_WATCH = "whydied_watch/"
_WHOLE = ("int32", "int64", "bool")


class TableMaker:
    """Collects the functions, lines, layers and variables of one traced function."""

    def __init__(self) -> None:
        self._functions: dict[str, Function | None] = {}
        self._lines: dict[Line, int] = {}
        self._layers: dict[Layer, int] = {}
        self._variables: list[Variable] = []
        self._files: dict[str, tuple[str | None, bool]] = {}
        self._spans: dict[tuple[str, int], int] = {}
        self._line_seconds = _LEAST_LINE_SECONDS
        self._names = layer_lines.by_name()
        self._dtypes: dict[Any, str] = {}
        self._count = 0
        owner = journal.current()
        self._ownership = owner.ownership if owner is not None else None

    def of_function(self, name: str, graph: Any) -> Table:
        """The table of a FuncGraph and of all that it calls."""
        known = {id(handle): variable for handle, variable in handles(graph)}
        captured = {id(inner): known.get(id(outer)) for outer, inner in graph.captures}
        first = self._function(name, graph, graph.outputs, graph.control_outputs, graph.inputs, captured)
        return self._table(name, first, (), "function")

    def of_fetches(self, name: str, graph: Any, fetches: list[Any], targets: list[Any], fed: dict[Any, Any]) -> Table:
        """The table of the part of a TensorFlow 1 graph that a fetch needs."""
        needed = graph_ops.ancestors(
            [*(tensor.op for tensor in fetches), *targets], {tensor.op for tensor in fed}, LARGEST_OPS
        )
        # In the order of their making, which TensorFlow 1 keeps too: inputs come first.
        chosen = sorted(needed, key=lambda op: op._id)
        first = self._function(name, graph, fetches, targets, list(fed), {}, chosen)
        return self._table(name, first, tuple(fed.values()), "session")

    def _table(self, name: str, first: Function, fed: tuple[Any, ...], origin: str) -> Table:
        rest = [function for function in self._functions.values() if function is not None]
        return Table(
            name,
            (first, *rest),
            tuple(self._lines),
            tuple(self._layers),
            tuple(self._variables),
            fed,
            inter_op_threads(),
            origin,
        )

    def _function(
        self,
        name: str,
        graph: Any,
        outputs: Iterable[Any],
        keep: Iterable[Any],
        inputs: Iterable[Any],
        captured: dict[int, Any] | None = None,
        chosen: list[Any] | None = None,
    ) -> Function:
        outermost, captured = captured is not None, captured or {}
        # Without our own, which are not the program's.
        found = [op for op in graph.get_operations() if not op.name.startswith(_WATCH)] if chosen is None else chosen
        self._count += len(found)
        self._line_seconds += len(found) * LINE_SECONDS
        if self._count > LARGEST_OPS:
            raise TooLarge(f"{self._count} ops")
        resources = {id(tensor.op): tensor for tensor in inputs if tensor.dtype == "resource"} if outermost else {}
        numbers = {op.name: number for number, op in enumerate(found)}
        scopes = layer_lines.scopes_of(graph)
        kept: dict[str, int] = {}
        rows = []
        for op in found:
            handle = resources.get(id(op))
            variable = self._resource(handle, captured.get(id(handle))) if handle is not None else -1
            rows.append(self._op(op, numbers, variable, scopes, kept, graph))
        return Function(
            name,
            tuple(rows),
            tuple(numbers[tensor.op.name] for tensor in inputs if tensor.op.name in numbers),
            tuple((numbers[t.op.name], t.value_index) for t in outputs if t is not None and t.op.name in numbers),
            tuple(numbers[op.name] for op in keep if op.name in numbers),
        )

    def _op(
        self,
        op: Any,
        numbers: dict[str, int],
        variable: int,
        scopes: dict[str, Origin],
        kept: dict[str, int],
        graph: Any,
    ) -> Op:
        kind, name = op.type, op.name
        outputs = op.outputs
        shapes = tuple([dims(tensor.shape) for tensor in outputs])
        dtypes = tuple([self._dtypes.get(tensor.dtype) or self._dtype(tensor.dtype) for tensor in outputs])
        value, attributes = None, {}
        if kind == "Const":
            value = _constant(op, shapes[0], dtypes[0])
        elif kind in ATTRIBUTES:
            attributes = self._attributes(op, ATTRIBUTES[kind], graph)
        if kind in ("VarHandleOp", "VariableV2", "Variable"):
            self._variables.append(
                Variable(name, attributes.pop("shape", shapes[0]), attributes.pop("dtype", dtypes[0]))
            )
            variable = len(self._variables) - 1
        return Op(
            name,
            kind,
            tuple([(numbers.get(tensor.op.name, -1), tensor.value_index) for tensor in op.inputs]),
            tuple([numbers[control.name] for control in op.control_inputs if control.name in numbers]),
            shapes,
            dtypes,
            -1 if kind in _PLAIN or _small(shapes, dtypes) else self._line(op),
            self._layer(name, scopes, kept),
            variable,
            value,
            attributes,
        )

    def _dtype(self, dtype: Any) -> str:
        name = self._dtypes[dtype] = str(dtype.base_dtype.name)
        return name

    def _attributes(self, op: Any, wanted: tuple[str, ...], graph: Any) -> dict[str, Any]:
        given = op.node_def.attr
        found: dict[str, Any] = {}
        for name in wanted:
            if name not in given:
                continue
            field = given[name].WhichOneof("value")
            if field == "func":
                found[name] = given[name].func.name
                self._nested(given[name].func.name, graph)
            elif field == "list" and name == "branches":
                found[name] = [function.name for function in given[name].list.func]
                for function in found[name]:
                    self._nested(function, graph)
            elif field == "list":
                found[name] = list(given[name].list.i)
            elif field == "s":
                found[name] = given[name].s.decode("utf-8", "replace")
            elif field == "shape":
                found[name] = tuple(dim.size if dim.size >= 0 else None for dim in given[name].shape.dim)
            elif field == "type":
                dtypes: Any = sys.modules["tensorflow.python.framework.dtypes"]
                found[name] = str(dtypes.as_dtype(given[name].type).base_dtype.name)
            elif field in ("i", "b", "f"):
                found[name] = getattr(given[name], field)
        return found

    def _nested(self, name: str, graph: Any) -> None:
        if name in self._functions:
            return
        self._functions[name] = None
        inner = graph_ops.function_graph(name, graph)
        if inner is not None:
            self._functions[name] = self._function(name, inner, inner.outputs, inner.control_outputs, inner.inputs)

    def _resource(self, tensor: Any, variable: Any) -> int:
        """A resource that came in from outside; without its variable, the ops that read it tell its shape."""
        found = Variable(tensor.op.name, None, "")
        if variable is not None:
            found = Variable(str(variable.name), dims(variable.shape), variable.dtype.base_dtype.name)
        self._variables.append(found)
        return len(self._variables) - 1

    def _line(self, op: Any) -> int:
        """The innermost line of the user's that made an op; -1 where there is none or the time is used up."""
        if self._line_seconds <= 0 or self._ownership is None:
            return -1
        began = time.perf_counter()
        found = self._walk(op.traceback)
        self._line_seconds -= time.perf_counter() - began
        return found

    def _walk(self, trace: Any) -> int:
        # None for an op of a function that TensorFlow has only as a definition.
        frames = trace.get_user_frames() if hasattr(trace, "get_user_frames") else trace or ()
        direct = True
        for number in range(len(frames) - 1, -1, -1):
            frame = frames[number]
            path, calls_layer = self._file(frame.filename)
            if path is not None:
                line = Line(path, frame.lineno, frame.name, direct, self._first(path, frame.lineno))
                return self._lines.setdefault(line, len(self._lines))
            if calls_layer and frame.name == "__call__":
                direct = False
        return -1

    def _file(self, name: str) -> tuple[str | None, bool]:
        known = self._files.get(name)
        if known is None:
            assert self._ownership is not None
            mine = self._ownership.is_user_path(name)
            calls_layer = name.endswith(("keras/src/layers/layer.py", "keras/src/engine/base_layer.py"))
            known = self._files[name] = (self._ownership.resolve(name) if mine else None, calls_layer)
        return known

    def _first(self, path: str, line: int) -> int:
        known = self._spans.get((path, line))
        if known is None:
            known = self._spans[path, line] = span(path, line)[0]
        return known

    def _layer(self, name: str, scopes: dict[str, Origin], kept: dict[str, int]) -> int:
        scope = name.rpartition("/")[0]
        found = kept.get(scope)
        if found is None:
            origin = layer_lines.of_scope(scope, scopes, self._names)
            found = kept[scope] = -1 if origin is None else self._known_layer(origin)
        return found

    def _known_layer(self, origin: Origin) -> int:
        file, line, function = origin.line or ("", 0, "")
        first = self._first(file, line) if file else 0
        layer = Layer(origin.name, origin.type, file, line, function, origin.path, first)
        return self._layers.setdefault(layer, len(self._layers))


def dims(shape: Any) -> tuple[int | None, ...] | None:
    # `as_list` of an unknown rank raises.
    return None if shape.rank is None else tuple(shape.as_list())


def _small(shapes: tuple[Any, ...], dtypes: tuple[str, ...]) -> bool:
    for shape, dtype in zip(shapes, dtypes, strict=True):
        if dtype in ("resource", "variant"):
            continue
        if shape is None or None in shape or math.prod(shape) * 4 >= SMALL_BYTES:
            return False
    return True


def _constant(op: Any, shape: Any, dtype: str) -> tuple[int, ...] | None:
    # The definition of an op is copied when it is asked for, with all that a large constant contains.
    if dtype not in _WHOLE or shape is None or math.prod(shape) > LARGEST_VALUE:
        return None
    return constant_value(op.node_def.attr["value"].tensor, shape, dtype)


def constant_value(proto: Any, shape: Any, dtype: str) -> tuple[int, ...] | None:
    """The contents of a small integer constant: shapes, axes and loop bounds are computed from them."""
    if dtype not in _WHOLE or shape is None or None in shape or math.prod(shape) > LARGEST_VALUE:
        return None
    count = int(math.prod(shape))
    stored: Any = {"int32": proto.int_val, "int64": proto.int64_val, "bool": proto.bool_val}[dtype]
    if proto.tensor_content:
        width = {"int32": 4, "int64": 8, "bool": 1}[dtype]
        data = proto.tensor_content
        return tuple(
            int.from_bytes(data[at : at + width], sys.byteorder, signed=width > 1)
            for at in range(0, count * width, width)
        )
    values = [int(item) for item in stored]
    if not values:
        return (0,) * count
    return tuple(values + [values[-1]] * (count - len(values)))


def handles(graph: Any) -> Iterable[tuple[Any, Any]]:
    # The property `variables` raises where the program has dropped one of them.
    for reference in getattr(graph, "_weak_variables", ()):
        variable = reference()
        handle = getattr(variable, "handle", None)
        if handle is not None:
            yield handle, variable


def inter_op_threads() -> int:
    import os

    context: Any = sys.modules.get("tensorflow.python.eager.context")
    current = context.context() if context is not None else None
    chosen = getattr(current, "_inter_op_parallelism_threads", None) or 0
    return int(chosen) or len(os.sched_getaffinity(0))
