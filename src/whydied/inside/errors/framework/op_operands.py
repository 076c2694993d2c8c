"""The op that failed and the values that went into it, each with its words in the user's source; runs in the user's
process, after an exception.

Invariant: values are described, never computed with. The op and its inputs are read from the library's own
frames: `quick_execute` and the generated op functions (eager), `_create_op_internal` (a graph that is being made), the
node that the error names (a graph that ran).
"""

from __future__ import annotations

import ast
import re
import sys
from typing import Any

from whydied import redact
from whydied.inside.errors import operands, quoted_traceback
from whydied.inside.errors.framework import data_functions
from whydied.inside.errors.framework.value_sources import size_makers, sources_of
from whydied.inside.errors.stack_steps import Step, frame_of, is_of
from whydied.inside.guest import live_source, lookup
from whydied.inside.guest.lookup import Missing
from whydied.inside.guest.value_facts import Facts, describe
from whydied.records import Frame, Party, ValueSource
from whydied.source.trees import last_name, nodes_on
from whydied.texts import graph_messages

LARGEST_PARTIES = 6
LARGEST_SIZES = 9
LARGEST_TRAIL = 30
_LARGEST_TEXT = 80
_OP = graph_messages.OP.pattern
_NODE = graph_messages.NODE.pattern
_RAN = graph_messages.NODE_THAT_RAN.pattern
_MADE_NODE = graph_messages.MADE_NODE.pattern
_DETECTED = graph_messages.DETECTED_AT.pattern
_OPERATORS = {
    "add": "AddV2",
    "sub": "Sub",
    "mul": "Mul",
    "truediv": "RealDiv",
    "floordiv": "FloorDiv",
    "mod": "FloorMod",
    "pow": "Pow",
    "matmul": "MatMul",
}
"""The ops of Python's operators, by the names that TensorFlow gives to their nodes; others are named after their op."""
_ALSO = {"stack": "pack", "unstack": "unpack", "dot": "matmul", "batchdot": "einsum"}
_RUN_OTHERS = ("EagerPyFunc", "PyFunc", "Iterator")
_GRADIENT = re.compile(r"(?:.*/)?gradients(?:_\d+)?/(.+)_grad/BroadcastGradientArgs(?:_\d+)?")
_LAID_OUT = ("Reshape", "Transpose", "Sum", "Mean", "Max", "Min", "Prod", "Squeeze", "ExpandDims", "StridedSlice")
_LIBRARIES = frozenset({"numpy", "tensorflow", "keras", "tf_keras", "pandas"})


class Operation:
    """An op at work: its type, its node, its inputs, and whether each of two matrices is transposed."""

    def __init__(self, op: str, node: str, inputs: list[Any], transposed: list[bool], axis: int | None = None) -> None:
        self.op = op
        self.node = node
        self.inputs = inputs
        self.transposed = transposed
        self.axis = axis
        self.in_data = False
        self.made: Frame | None = None
        """The line that made a node of a graph that ran: it stands for the op, the line that ran the graph does not."""


def operation(steps: list[Step], message: str, error: BaseException) -> Operation | None:
    found = _in_graph(steps) or _executed(steps)
    if found is None or _RAN.search(message) is not None or found.op.startswith(_RUN_OTHERS):
        # What was executed ran a graph or a function of Python, and an op in there failed.
        found = _of_node(steps, message, error)
    if found is None:
        named = _OP.search(message)
        # The name of a traced function is not an op that anybody wrote.
        return Operation(named[1], "", [], []) if named and not named[1].startswith("__") else None
    named = _MADE_NODE.search(message)
    if named is not None and not found.node:
        found.node = named[1]
    found.transposed = found.transposed or _transposed(steps)
    found.axis = _axis(steps)
    return found


def _in_graph(steps: list[Step]) -> Operation | None:
    for step in reversed(steps):
        if step.frame.f_code.co_name in ("_create_op_internal", "_create_c_op"):
            inputs = step.get("inputs")
            kind = step.get("op_type") or getattr(step.get("node_def"), "op", "")
            if isinstance(inputs, (list, tuple)) and isinstance(kind, str):
                return Operation(kind, "", _flat(inputs), [])
    return None


def _executed(steps: list[Step]) -> Operation | None:
    """An eager op. A call of a traced function is an op as well, and is looked at elsewhere."""
    for step in reversed(steps):
        name = step.frame.f_code.co_name
        if name == "quick_execute" and not _op_name(step).startswith("__"):
            inputs = step.get("inputs")
            if isinstance(inputs, (list, tuple)):
                return Operation(_op_name(step), "", _flat(inputs), [])
        if "/gen_" in step.code_file and is_of(step, "_ops.py"):
            code = step.frame.f_code
            words = code.co_varnames[: code.co_argcount]
            values = [step.names.get(word) for word in words if word != "name"]
            kind = "".join(part.title() for part in name.removesuffix("_eager_fallback").split("_"))
            inputs = [value for value in _flat(values) if _is_array(value)]
            if inputs:
                return Operation(kind.replace("Mat_Mul", "MatMul"), "", inputs, [])
    return None


def _op_name(step: Step) -> str:
    """The type of an op that is executed; the generated functions pass it as bytes."""
    name = step.get("op_name")
    return name.decode() if isinstance(name, bytes) else str(name)


def _of_node(steps: list[Step], message: str, error: BaseException) -> Operation | None:
    """The node that an error of a running graph names, looked up in that graph."""
    op, in_data = _attribute(error, "_op"), False
    name = _NODE.search(message)
    if op is None and name is not None:
        for step in reversed(steps):
            graph = _attribute(step.get("self"), "_graph") or _attribute(step.get("self"), "graph")
            find = getattr(graph, "get_operation_by_name", None)
            if find is None:
                continue
            try:
                op = find(name[1])
                break
            except (KeyError, ValueError):
                continue
    if op is None and name is not None:
        op, in_data = data_functions.node_of(steps, name[1], node_frame), True
    if op is None or not is_of_library(op):
        return _of_told_node(message)
    op = _forward(op)
    try:
        flags = [bool(op.get_attr(flag)) for flag in ("transpose_a", "transpose_b")]
    except ValueError:
        flags = []
    found = Operation(op.type, op.name, list(op.inputs), flags)
    found.made = node_frame(op)
    found.in_data = in_data
    return found


def _forward(op: Any) -> Any:
    """The op that the user wrote, for the bookkeeping of its gradient: which axes were broadcast is asked first."""
    made_for = _GRADIENT.fullmatch(op.name) if op.type == "BroadcastGradientArgs" else None
    try:
        return op.graph.get_operation_by_name(made_for[1]) if made_for is not None else op
    except (KeyError, ValueError):
        return op


def _of_told_node(message: str) -> Operation | None:
    """The node and the line that made it, from the text alone: Keras takes the frames that lead to the graph out of the
    traceback."""
    from whydied.inside import journal

    owner, told = journal.current(), _DETECTED.search(message)
    if owner is None or told is None:
        return None
    mine = [frame for frame in quoted_traceback.frames_in(told["stack"], owner.ownership) if frame.user]
    # The line that called `fit` made no op.
    if not mine or mine[-1].function == "<module>":
        return None
    name = re.sub(r"_\d+$", "", told["node"].rpartition("/")[2])
    found = Operation(_OPERATORS.get(name.lower(), name), told["node"], [], [])
    found.made = mine[-1]
    return found


def _transposed(steps: list[Step]) -> list[bool]:
    for step in reversed(steps):
        for pair in (("transpose_a", "transpose_b"), ("adj_x", "adj_y")):
            if all(type(step.get(word)) is bool for word in pair):
                return [bool(step.get(word)) for word in pair]
    return []


def _axis(steps: list[Step]) -> int | None:
    for step in reversed(steps):
        value = step.get("axis") if step.file is None else None
        if type(value) is int and step.frame.f_code.co_name in ("concat", "stack", "concatenate"):
            return value
    return None


def parties(found: Operation, users: list[Step], named: bool = True, inner: bool = False) -> list[Party]:
    """The inputs, each with the words of the user's expression that it stands for, where they are `named` in it. An op
    that is `inner` to a layer of Keras was given other values than the layer: there only a value that is the very same
    is named."""
    facts = [_described(value) for value in found.inputs[:LARGEST_PARTIES]]
    if not users or (not named and found.made is None):
        return [_party(fact, "", _trail(value)) for value, fact in zip(found.inputs, facts, strict=False)]
    step, outer = users[-1], users[:-1]
    if found.made is not None and (found.made.file, found.made.line) != (step.file, step.line):
        # The function that made the node has ended, unless it is the module itself: its source is still there.
        step = Step(step.frame, found.made.line, found.made.file, called=found.made.function)
    words = _words(step, found.inputs[:LARGEST_PARTIES], facts, inner, found.op if step.called else "")
    told = []
    for value, fact, node in zip(found.inputs, facts, words, strict=False):
        text = redact.text(ast.unparse(node)[:_LARGEST_TEXT]) if node is not None else ""
        sources = sources_of(node, step, outer) if node is not None else []
        sizes = size_makers(node, step, outer, fact.shape) if node is not None else []
        told.append(_party(fact, text, [*(sources or made_by(value)), *_trail(value)], sizes))
    if found.op == "Reshape" and len(told) > 1:
        told += _sizes(found.inputs[1], words[1], step, outer)
    return told


def without_shape(steps: list[Step]) -> list[Party]:
    """The tensor of a graph that the innermost function of TensorFlow was given and whose axes are not known, with the
    op that made it so. `steps` begin with the user's line."""
    for step in reversed(steps[1:]):
        code = step.frame.f_code
        for word in code.co_varnames[: code.co_argcount] if step.file is None else ():
            value = step.get(word)
            made = _opened_by(value) if type(value).__module__.startswith("tensorflow.") else None
            if made is not None:
                fact, frame = describe(value), node_frame(made)
                text = frame.source.strip()[:_LARGEST_TEXT] if frame is not None else ""
                source = ValueSource(kind="op", name=made.type, text=text, frame=frame)
                return [_party(fact, "", [source])] if frame is not None else []
    return []


def _opened_by(value: Any) -> Any:
    """The op of a graph that made a tensor without known axes of ones that have them."""
    op, found = getattr(value, "op", None) if hasattr(type(value), "op") else None, None
    for _ in range(LARGEST_TRAIL):
        if op is None or not op.outputs or op.outputs[0].shape.rank is not None:
            break
        found = op
        op = next((each.op for each in op.inputs if each.shape.rank is None), None)
    # What a graph is given was made outside of it.
    return found if found is not None and found.inputs else None


def _sizes(value: Any, node: ast.AST | None, step: Step, outer: list[Step]) -> list[Party]:
    """The sizes that a tensor was to be reshaped to, each with its words."""
    numbers = _whole_numbers(value)
    listed = list(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else []
    words: list[ast.AST | None] = [*listed] if len(listed) == len(numbers) else [None] * len(numbers)
    found = []
    for number, word in zip(numbers, words, strict=True):
        names = [part for part in ast.walk(word) if isinstance(part, ast.Name)] if word is not None else []
        sources = sources_of(names[0], step, outer) if len(names) == 1 else []
        text = ast.unparse(word)[:_LARGEST_TEXT] if word is not None else ""
        found.append(Party(role="size", text=text, lowest=number, highest=number, sources=sources))
    return found


def _whole_numbers(value: Any) -> list[int]:
    """The numbers of a shape: a list, an eager tensor, or what a graph knows to be constant."""
    if type(value) in (list, tuple):
        listed = list(value)
    elif type(value).__name__ == "EagerTensor":
        listed = value.numpy().reshape(-1)[:LARGEST_SIZES].tolist()
    elif is_of_library(value) and hasattr(type(value), "op") and "tensorflow" in sys.modules:
        known = sys.modules["tensorflow"].get_static_value(value)
        listed = known.reshape(-1)[:LARGEST_SIZES].tolist() if known is not None else []
    else:
        listed = []
    return listed if len(listed) < LARGEST_SIZES and all(type(one) is int for one in listed) else []


def _trail(value: Any) -> list[ValueSource]:
    """The ops of a graph behind a tensor, from the nearest on, that lay out or sum up its rows anew: with what they
    take and give, and the line of the user's that made them."""
    found: list[ValueSource] = []
    op = getattr(value, "op", None) if is_of_library(value) and hasattr(type(value), "op") else None
    if "EagerTensor" in type(value).__name__:
        return []
    for _ in range(LARGEST_TRAIL):
        inputs = list(op.inputs) if op is not None else []
        if op is None or not inputs:
            break
        if op.type in _LAID_OUT:
            frame = node_frame(op)
            takes, gives = describe(inputs[0]).shape, describe(op.outputs[0]).shape
            text = frame.source.strip()[:_LARGEST_TEXT] if frame is not None else ""
            found.append(ValueSource(kind="op", name=op.type, text=text, frame=frame, takes=takes, gives=gives))
        op = inputs[0].op
    return found[:LARGEST_PARTIES]


def _party(fact: Facts, text: str, sources: list[ValueSource], sizes: list[list[ValueSource]] | None = None) -> Party:
    return Party(
        role="operand",
        text=text,
        type=fact.type,
        shape=fact.shape,
        dtype=fact.dtype,
        sources=sources,
        size_makers=sizes or [],
    )


def _words(step: Step, inputs: list[Any], facts: list[Facts], inner: bool, op: str = "") -> list[ast.AST | None]:
    """The expressions of the failing statement, one for each input: the operands of the expression that failed, where
    their number or their shapes fit; of an `inner` op those that are the inputs themselves."""
    best: list[ast.AST | None] = [None] * len(inputs)
    score = 0
    operator = _operator(step) if not inner else []
    # Where Python says which operator failed, those of another one only look alike.
    for candidate in [operator] if len(operator) == len(inputs) else _candidates(step, "" if inner else op):
        if len(candidate) < len(inputs):
            continue
        fit: list[ast.AST | None] = []
        points = 0
        for node, value, fact in zip(candidate, inputs, facts, strict=False):
            own = lookup.evaluate(node, step.frame)
            if isinstance(own, Missing) and not inner:
                fit.append(node)
            elif own is value or (not inner and _same(describe(own), fact)):
                fit.append(node)
                points += 2
            else:
                break
        else:
            points += 1
        if len(fit) == len(inputs) and points > score:
            best, score = fit, points
    return best if score else _very_same(step, inputs)


def _very_same(step: Step, inputs: list[Any]) -> list[ast.AST | None]:
    """The expressions of the failing statement that are inputs themselves: an op may have more than its call says."""
    parts = [node for candidate in _candidates(step) for node in candidate]
    values = [(node, lookup.evaluate(node, step.frame)) for node in parts]
    return [next((node for node, own in values if own is value), None) for value in inputs]


def _candidates(step: Step, op: str = "") -> list[list[ast.AST]]:
    """What the parts of the failing statement are given. Where the values of its names are gone, only that of calls
    which are named like the op: another one may give its op anything."""
    if step.trace is not None and not step.is_generated:
        failure = operands.failing(step.trace, step.file or "")
        if failure is not None:
            exact = _operands(failure.node)
            inner = [_operands(node) for node in ast.walk(failure.node)]
            return [part for part in (exact, *inner) if part]
    parsed = live_source.source(step.file or "")
    if parsed is None:
        return []
    nodes = [
        node for node in nodes_on(parsed, step.line) if not op or not isinstance(node, ast.Call) or _is_named(node, op)
    ]
    return [part for part in map(_operands, nodes) if part]


def _is_named(call: ast.Call, op: str) -> bool:
    """`tf.concat` for ConcatV2, `tf.multiply` for Mul."""
    name, kind = last_name(call.func).replace("_", "").lower(), re.sub(r"V\d+$|^Real", "", op).lower()
    return bool(name) and (kind in name or name in kind or _ALSO.get(name) == kind)


def _operator(step: Step) -> list[ast.AST]:
    """The operands of the operator that failed, by its exact position: of the exception, or of a frame that is still
    at it."""
    parsed = live_source.source(step.file or "")
    at = step.trace.tb_lasti if step.trace is not None else step.frame.f_lasti
    is_there = step.trace is not None or step.frame.f_lineno == step.line
    exact = parsed is not None and not step.is_generated and is_there
    node = operands.node_at(step.frame, at, parsed) if exact and parsed is not None else None
    return _operands(node) if isinstance(node, ast.BinOp | ast.Compare) else []


def _operands(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call):
        if node.args and isinstance(node.args[0], (ast.List, ast.Tuple)):
            return list(node.args[0].elts)
        function = node.func
        assigns = isinstance(function, ast.Attribute) and function.attr.startswith("assign")
        method = [function.value] if isinstance(function, ast.Attribute) and assigns else []
        given = [*node.args, *(word.value for word in node.keywords)]
        return [*method, *given]
    return []


def _same(one: Facts, other: Facts) -> bool:
    return one.shape is not None and one.shape == other.shape


def made_by(value: Any) -> list[ValueSource]:
    """The line of the user's that made a tensor of a graph, from the stack that the graph keeps with it."""
    op = getattr(value, "op", None) if is_of_library(value) and hasattr(type(value), "op") else None
    frame = node_frame(op) if op is not None and "EagerTensor" not in type(value).__name__ else None
    if op is None or frame is None:
        return []
    kind = "placeholder" if op.type == "Placeholder" else "variable"
    return [ValueSource(kind=kind, name=op.name, frame=frame, text=frame.source.strip()[:_LARGEST_TEXT])]


def node_frame(op: Any) -> Frame | None:
    """The innermost line of the user's in the stack of a graph's op."""
    from whydied.inside import journal

    owner = journal.current()
    trace = getattr(op, "traceback", None)
    if owner is None or trace is None:
        return None
    entries = trace.get_user_frames() if hasattr(trace, "get_user_frames") else trace
    mine = [entry for entry in entries if owner.ownership.is_user_path(entry.filename)]
    if not mine:
        return None
    return frame_of(owner.ownership.resolve(mine[-1].filename), mine[-1].lineno, mine[-1].name)


def _described(value: Any) -> Facts:
    facts = describe(value)
    if facts.shape is None and type(value) in (list, tuple, int, float, bool):
        return Facts(facts.type, _nested(value), None)
    return facts


def _nested(value: Any) -> list[int | None] | None:
    """The shape of nested lists, by their first items."""
    shape: list[int | None] = []
    while type(value) in (list, tuple) and len(shape) < 8:
        shape.append(len(value))
        value = value[0] if value else None
    return shape if type(value) in (int, float, bool) else None


def _flat(values: Any) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if type(value) in (list, tuple) and any(_is_array(part) for part in value):
            found += list(value)
        else:
            found.append(value)
    return found


def _is_array(value: Any) -> bool:
    return is_of_library(value) and describe(value).shape is not None


def is_of_library(value: Any) -> bool:
    module = type.__getattribute__(type(value), "__module__")
    return isinstance(module, str) and module.partition(".")[0] in _LIBRARIES


def _attribute(value: Any, name: str) -> Any:
    found = lookup.instance_dict(value).get(name) if value is not None else None
    if found is None and value is not None and is_of_library(value):
        found = getattr(value, name, None)
    return found
