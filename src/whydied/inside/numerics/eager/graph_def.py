"""A program as a GraphDef, with the lines of its nodes; runs in the user's process, at a capture.

Invariant: no op is created and no graph is built. A call of a function is a StatefulPartitionedCall, and the
definitions of all functions go with it. A node that cannot be written raises ValueError.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from whydied.inside.guest.user_frames import statement_frame
from whydied.inside.model.layer_lines import LineMaker
from whydied.inside.numerics.eager.needed_ops import functions_below
from whydied.inside.numerics.eager.step_program import Given, Node, Program, Written
from whydied.records import Lines, NodeLine

_FUNCTION_ATTRIBUTES = ("config_proto", "executor_type")


def graph_of(program: Program) -> Any:
    core: Any = sys.modules["tensorflow.core.framework.graph_pb2"]
    versions: Any = sys.modules["tensorflow.python.framework.versions"]
    graph = core.GraphDef()
    graph.versions.producer = versions.GRAPH_DEF_VERSION
    called = {node.entry.kind for node in program.nodes if node.entry.kind in program.functions}
    named = {name for node in program.nodes for name in _named_functions(node)}
    functions = functions_below(called | named)
    graph.library.function.extend(functions)
    signatures = {function.signature.name: function.signature for function in functions}
    for given in program.given:
        _given(graph.node.add(), given)
    for variable in program.variables:
        _variable(graph.node.add(), variable)
    for node in program.nodes:
        _node(graph.node.add(), node, signatures.get(node.entry.kind) if node.entry.kind in called else None)
    return graph


def lines_of(program: Program) -> Lines:
    maker = LineMaker()
    own: dict[str, NodeLine] = {}
    frame = cache(statement_frame)
    for node in program.nodes:
        around = node.entry.around
        if not around.lines and around.layer is None and not node.forward:
            continue
        if node.forward in own:
            # A line of the backward pass says only where the tape was asked.
            own[node.name] = own[node.forward]
            continue
        origin = around.layer
        own[node.name] = NodeLine(
            frames=[frame(*line) for line in around.lines],
            layer=origin.name if origin is not None else "",
            layer_made=frame(*origin.line) if origin is not None and origin.line is not None else None,
        )
    functions = {"": own}
    for name, graph in _graphs(program).items():
        functions[name] = maker.of_ops(graph.get_operations())
    return Lines(functions=functions)


def _graphs(program: Program) -> dict[str, Any]:
    """The graphs of the called functions and of those that they call."""
    found: dict[str, Any] = {}
    called = {node.entry.kind for node in program.nodes}
    waiting = [
        (name, getattr(function(), "graph", None)) for name, function in program.functions.items() if name in called
    ]
    while waiting:
        name, graph = waiting.pop()
        if graph is None or name in found:
            continue
        found[name] = graph
        for inner, function in list(getattr(graph, "_functions", {}).items()):
            text = inner.decode() if isinstance(inner, bytes) else str(inner)
            waiting.append((text, getattr(function, "graph", None)))
    return found


def _given(node: Any, given: Given) -> None:
    node.name = given.node
    if given.dtype is None:
        raise ValueError(f"the type of {given.node} is not known")
    node.attr["dtype"].type = given.dtype.as_datatype_enum
    if given.constant:
        tensors: Any = sys.modules["tensorflow.python.framework.tensor_util"]
        node.op = "Const"
        node.attr["value"].tensor.CopyFrom(
            tensors.make_tensor_proto(given.value, dtype=given.dtype, shape=list(given.shape))
        )
        return
    node.op = "Placeholder"
    node.attr["shape"].shape.unknown_rank = True


def _variable(node: Any, variable: Written) -> None:
    node.name, node.op = variable.node, "VarHandleOp"
    handle = variable.handle()
    if handle is None:
        raise ValueError(f"the variable {variable.name} is gone")
    facts = handle._handle_data.shape_and_type[0]
    node.attr["dtype"].type = facts.dtype
    node.attr["shape"].shape.CopyFrom(facts.shape)
    node.attr["shared_name"].s = variable.node.encode()


def _node(proto: Any, node: Node, signature: Any) -> None:
    proto.name = node.name
    proto.input.extend(_input(text) for text in node.inputs)
    proto.input.extend(f"^{name}" for name in node.controls)
    given = dict(zip(node.entry.attributes[::2], node.entry.attributes[1::2], strict=True))
    if signature is not None:
        proto.op = "StatefulPartitionedCall"
        proto.attr["f"].func.name = node.entry.kind
        proto.attr["Tin"].list.type.extend(argument.type for argument in signature.input_arg)
        proto.attr["Tout"].list.type.extend(argument.type for argument in signature.output_arg)
        for name in _FUNCTION_ATTRIBUTES:
            value = given.get(name, b"")
            proto.attr[name].s = value if isinstance(value, bytes) else str(value).encode()
        return
    proto.op = node.entry.kind
    definition = _definition(proto.op)
    if definition is None:
        raise ValueError(f"the op {proto.op} is not known")
    for attribute in definition.attr:
        value = given.get(attribute.name)
        if value is not None:
            _put(proto.attr[attribute.name], attribute.type, value)
        elif not attribute.HasField("default_value"):
            raise ValueError(f"{proto.op} ran without {attribute.name}")


def _definition(kind: str) -> Any:
    registry: Any = sys.modules["tensorflow.python.framework.op_def_registry"]
    return registry.get(kind)


def _named_functions(node: Node) -> list[str]:
    attributes = node.entry.attributes
    found = []
    definition = _definition(node.entry.kind)
    kinds = {attribute.name: attribute.type for attribute in definition.attr} if definition is not None else {}
    for name, value in zip(attributes[::2], attributes[1::2], strict=True):
        if kinds.get(name) == "func":
            found.append(_function_name(value))
        elif kinds.get(name) == "list(func)":
            found += [_function_name(item) for item in value]
    return found


def _function_name(value: Any) -> str:
    name = getattr(value, "name", value)
    return name.decode() if isinstance(name, bytes) else str(name)


def _input(text: str) -> str:
    name, _, slot = text.rpartition(":")
    return name if slot == "0" else text


def _type(value: Any) -> int:
    dtypes: Any = sys.modules["tensorflow.python.framework.dtypes"]
    return int(dtypes.as_dtype(value).as_datatype_enum)


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _shape(value: Any) -> Any:
    shapes: Any = sys.modules["tensorflow.python.framework.tensor_shape"]
    return shapes.as_shape(value).as_proto()


_FIELDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "type": ("type", _type),
    "int": ("i", int),
    "float": ("f", float),
    "bool": ("b", bool),
    "string": ("s", _bytes),
}


def _put(proto: Any, kind: str, value: Any) -> None:
    if kind.startswith("list("):
        proto.list.SetInParent()
        for item in value:
            _put_in_list(proto.list, kind[5:-1], item)
    elif kind in _FIELDS:
        field, converted = _FIELDS[kind]
        setattr(proto, field, converted(value))
    elif kind == "shape":
        proto.shape.CopyFrom(_shape(value))
    elif kind == "tensor":
        proto.tensor.CopyFrom(value)
    elif kind == "func":
        proto.func.name = _function_name(value)
    else:
        raise ValueError(f"an attribute of type {kind}")


def _put_in_list(proto: Any, kind: str, value: Any) -> None:
    if kind in _FIELDS:
        field, converted = _FIELDS[kind]
        getattr(proto, field).append(converted(value))
    elif kind == "shape":
        proto.shape.add().CopyFrom(_shape(value))
    elif kind == "func":
        proto.func.add().name = _function_name(value)
    else:
        raise ValueError(f"a list of {kind}")
