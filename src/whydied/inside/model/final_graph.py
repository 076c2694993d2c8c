"""The graph that TensorFlow would really run for a traced function, without running it; in the user's process.

TensorFlow rewrites a traced graph before its first run: it inlines functions, turns loops into their primitive ops,
folds constants, fuses and removes ops. The function is called with a cancellation that has already happened: TensorFlow
makes the graph ready, hands it over, and starts no kernel.

Invariant: no kernel of the step runs and no variable changes. Sizes that the trace leaves open stay open in the table.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from whydied.errors import WhydiedError
from whydied.graph.op_table import Function, Op, Table, Variable
from whydied.inside.model.graph_table import ATTRIBUTES, TableMaker, constant_value, dims, handles, inter_op_threads

_ARGUMENT = "_Arg"
_RESULT = "_Retval"
_VENDOR = ("_MklNative", "_Mkl")
_WRONG = "BackpropFilterWithBias"
_FUSED = ("_FusedConv2D", "_FusedDepthwiseConv2dNative", "_FusedMatMul", "_FusedBatchMatMulV2", "_FusedBatchNormEx")


class NoFinalGraph(WhydiedError):
    """TensorFlow did not hand its graph over."""


class FinalStep(NamedTuple):
    """The table of a final graph, and the variables of the process by their numbers in it."""

    table: Table
    variables: list[tuple[int, Any]]


def final_step(concrete: Any, call: Callable[[], Any], made: Callable[[], None] = lambda: None) -> FinalStep:
    """The rewritten graph of a concrete function. `call` calls it with arguments of the right types, which are not
    looked at; `made` is told when TensorFlow has it ready, before anything of ours is made from it. Raises
    NoFinalGraph."""
    graph = _handed_over(call, made)
    traced = TableMaker().of_function(str(concrete.graph.name), concrete.graph)
    return FinalStep(_Reader(graph, concrete, traced).table(), _variables(concrete.graph, traced))


def plain_step(concrete: Any) -> FinalStep:
    """The graph as it was traced, nothing rewritten."""
    traced = TableMaker().of_function(str(concrete.graph.name), concrete.graph)
    return FinalStep(traced, _variables(concrete.graph, traced))


def _variables(graph: Any, traced: Table) -> list[tuple[int, Any]]:
    known = {id(handle): variable for handle, variable in handles(graph)}
    captured = {inner.op.name: known.get(id(outer)) for outer, inner in graph.captures}
    found = [(op.variable, captured.get(op.name)) for op in traced.functions[0].ops if op.variable >= 0]
    return [(number, variable) for number, variable in found if variable is not None]


def _handed_over(call: Callable[[], Any], made: Callable[[], None]) -> Any:
    tensorflow: Any = importlib.import_module("tensorflow")
    context: Any = importlib.import_module("tensorflow.python.eager.context").context()
    cancellation: Any = importlib.import_module("tensorflow.python.eager.cancellation")
    manager = cancellation.CancellationManager()
    manager.start_cancel()
    context.enable_graph_collection()
    try:
        with contextlib.suppress(tensorflow.errors.CancelledError), cancellation.CancellationManagerContext(manager):
            call()
        made()
        # What was collected is handed over at the end of an ordinary op.
        tensorflow.raw_ops.AddV2(x=tensorflow.constant(1.0), y=tensorflow.constant(2.0))
        found = context.export_run_metadata()
    finally:
        context.disable_graph_collection()
    graphs = [part for one in (found.function_graphs if found is not None else ()) for part in one.partition_graphs]
    if not graphs:
        raise NoFinalGraph("TensorFlow did not hand over the graph of the step")
    return max(graphs, key=lambda part: len(part.node))


class _Reader:
    """Makes a table of a final graph. Layers and lines are those of the traced ops of the same name."""

    def __init__(self, graph: Any, concrete: Any, traced: Table) -> None:
        self._graph = graph
        self._traced = traced
        self._inputs = list(concrete.inputs)
        self._numbers = {node.name: number for number, node in enumerate(graph.node)}
        self._known = {op.name: op for function in traced.functions for op in function.ops}
        self._scopes = {
            op.name.rpartition("/")[0]: op.layer
            for function in traced.functions
            for op in function.ops
            if op.layer >= 0 and "/" in op.name
        }
        self._arguments = [op for op in traced.functions[0].ops if op.type == "Placeholder"]
        self._resources: dict[str, int] = {}
        self._find_resources()

    def table(self) -> Table:
        shapes = _Shapes(self._graph, self._inputs, self._resources, self._traced.variables)
        ops = tuple(self._op(node, shapes) for node in self._graph.node)
        arguments = sorted(
            (node.attr["index"].i, number) for number, node in enumerate(self._graph.node) if node.op == _ARGUMENT
        )
        results = sorted(
            (node.attr["index"].i, number) for number, node in enumerate(self._graph.node) if node.op == _RESULT
        )
        function = Function(
            self._traced.name,
            ops,
            tuple(number for _, number in arguments),
            tuple((number, 0) for _, number in results),
            tuple(number for number, node in enumerate(self._graph.node)),
        )
        return Table(
            self._traced.name,
            # Those that are still called: the others were inlined.
            (function, *self._traced.functions[1:]),
            self._traced.lines,
            self._traced.layers,
            self._traced.variables,
            (),
            inter_op_threads(),
            "final",
        )

    def _find_resources(self) -> None:
        """Which variable each handle is: the traced function's inputs stand in the order of the final arguments."""
        outer = self._traced.functions[0]
        order = [outer.ops[number].variable for number in outer.inputs]
        for node in self._graph.node:
            if node.op == _ARGUMENT and node.attr["index"].i < len(order) and order[node.attr["index"].i] >= 0:
                self._resources[node.name] = order[node.attr["index"].i]
        changed = True
        while changed:
            changed = False
            for node in self._graph.node:
                source = node.input[0].partition(":")[0] if node.input else ""
                passes = node.op in ("Identity", "Enter", "Switch") and node.name not in self._resources
                if passes and source in self._resources:
                    self._resources[node.name] = self._resources[source]
                    changed = True

    def _op(self, node: Any, shapes: _Shapes) -> Op:
        kind = plain_type(node.op)
        found, dtypes = shapes.of(node.name)
        value = None
        attributes: dict[str, Any] = {}
        if node.op == "Const" and found:
            value = constant_value(node.attr["value"].tensor, found[0], dtypes[0])
        elif kind in ATTRIBUTES or kind in _FUSED:
            names = ATTRIBUTES.get(kind) or ATTRIBUTES.get(kind.removeprefix("_Fused"), ())
            attributes = _attributes(node, names)
        if kind in _FUSED:
            attributes["fused"] = [one.decode() for one in node.attr["fused_ops"].list.s]
        if node.op == "Enter":
            attributes = {"frame": node.attr["frame_name"].s.decode(), "constant": bool(node.attr["is_constant"].b)}
        known = self._origin(node.name)
        return Op(
            node.name,
            kind,
            tuple(self._pair(one) for one in node.input if not one.startswith("^")),
            tuple(self._numbers[one[1:]] for one in node.input if one.startswith("^")),
            found,
            dtypes,
            known.line if known is not None else -1,
            known.layer if known is not None and known.layer >= 0 else self._scope(node.name),
            self._resources.get(node.name, -1) if node.op == _ARGUMENT else -1,
            value,
            attributes,
        )

    def _pair(self, text: str) -> tuple[int, int]:
        name, _, output = text.partition(":")
        return self._numbers[name], int(output or 0)

    def _origin(self, name: str) -> Op | None:
        """An inlined op has the name of its call in front of its own; a rewritten one the name of the rewriter."""
        while name:
            if name in self._known:
                return self._known[name]
            name = name.partition("/")[2]
        return None

    def _scope(self, name: str) -> int:
        scope = name.rpartition("/")[0]
        while scope:
            inner = scope
            while inner:
                if inner in self._scopes:
                    return self._scopes[inner]
                inner = inner.partition("/")[2]
            scope = scope.rpartition("/")[0]
        return -1


def plain_type(kind: str) -> str:
    """The type of an op without the vendor whose kernel runs it."""
    for prefix in _VENDOR:
        if kind.startswith(prefix):
            rest = kind.removeprefix(prefix)
            return f"_{rest}" if rest.startswith("Fused") and f"_{rest}" in _FUSED else rest
    return kind


def _attributes(node: Any, wanted: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in wanted:
        if name not in node.attr:
            continue
        field = node.attr[name].WhichOneof("value")
        if field == "list":
            found[name] = list(node.attr[name].list.i)
        elif field == "s":
            found[name] = node.attr[name].s.decode("utf-8", "replace")
        elif field == "func":
            # What is compiled as a whole stays a call; a rewritten function has the name of its origin in front.
            found[name] = node.attr[name].func.name.partition("_specialized_for_")[0]
        elif field in ("i", "b", "f"):
            found[name] = getattr(node.attr[name], field)
    return found


class _Shapes:
    """The shapes of all outputs, as far as TensorFlow's own inference knows them: the graph is imported again with
    placeholders for what comes in."""

    def __init__(
        self, graph: Any, inputs: list[Any], resources: dict[str, int], variables: tuple[Variable, ...]
    ) -> None:
        tensorflow: Any = importlib.import_module("tensorflow")
        self._tensorflow = tensorflow
        copy = type(graph)()
        copy.CopyFrom(graph)
        self._cut_wrong(copy)
        for node in copy.node:
            node.device = ""
            node.attr.pop("_class", None)
            source = node.input[0].partition(":")[0] if node.input else ""
            variable = variables[resources[source]] if source in resources else None
            if node.op == _ARGUMENT:
                given = inputs[node.attr["index"].i]
                _placeholder(node, given.dtype.base_dtype, dims(given.shape))
            elif node.op == _RESULT:
                kept = node.attr["T"].type
                node.op = "Identity"
                node.ClearField("attr")
                node.attr["T"].type = kept
            elif node.op == "ReadVariableOp" and variable is not None and variable.dtype:
                _placeholder(node, tensorflow.dtypes.as_dtype(variable.dtype), variable.shape)
            elif node.op == "VariableShape" and variable is not None and variable.shape and None not in variable.shape:
                wide = node.attr["out_type"].type or tensorflow.int32.as_datatype_enum
                node.op = "Const"
                node.ClearField("attr")
                del node.input[:]
                node.attr["dtype"].type = wide
                node.attr["value"].tensor.CopyFrom(
                    tensorflow.make_tensor_proto(list(variable.shape), tensorflow.dtypes.as_dtype(wide))
                )
        self._imported = tensorflow.Graph()
        try:
            with self._imported.as_default():
                tensorflow.import_graph_def(copy, name="")
        except ValueError as error:
            raise NoFinalGraph(f"the final graph of the step cannot be read: {error}") from error

    def _cut_wrong(self, graph: Any) -> None:
        """TensorFlow infers a wrong shape for the second output of these ops, and then refuses what takes it."""
        wrong = {f"{node.name}:1": node for node in graph.node if node.op.endswith(_WRONG)}
        for node in list(graph.node):
            for position, name in enumerate(node.input):
                if name in wrong:
                    node.input[position] = f"{wrong[name].name}/second"
        for node in wrong.values():
            _placeholder(graph.node.add(name=f"{node.name}/second"), self._tensorflow.float32, None)

    def of(self, name: str) -> tuple[tuple[Any, ...], tuple[str, ...]]:
        outputs = self._imported.get_operation_by_name(name).outputs
        return tuple(dims(one.shape) for one in outputs), tuple(str(one.dtype.base_dtype.name) for one in outputs)


def _placeholder(node: Any, dtype: Any, shape: Any) -> None:
    node.op = "Placeholder"
    node.ClearField("attr")
    del node.input[:]
    node.attr["dtype"].type = dtype.as_datatype_enum
    if shape is None:
        node.attr["shape"].shape.unknown_rank = True
        return
    node.attr["shape"].shape.SetInParent()
    for extent in shape:
        node.attr["shape"].shape.dim.add().size = -1 if extent is None else extent
