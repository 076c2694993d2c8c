"""What Keras was at when an exception rose: the layer, what it asks of its input, the model's layers, the call with its
data, the target and the output; runs in the user's process, after an exception.

Invariant: layers and arrays are only read. What a layer is asked for are attributes that Keras itself sets.
"""

from __future__ import annotations

import ast
from typing import Any

from whydied.inside.errors import operands
from whydied.inside.errors.framework.layer_listing import LARGEST_INPUTS, LARGEST_LAYERS, is_model, maker, side_of
from whydied.inside.errors.framework.looked_values import looked_at
from whydied.inside.errors.framework.value_sources import is_layer
from whydied.inside.errors.stack_steps import Step, frame_of
from whydied.inside.guest import live_source, lookup
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.value_facts import describe
from whydied.inside.model import layer_structure
from whydied.records import Frame, InputWanted, Party
from whydied.source.calls import method_calls, passed_argument
from whydied.source.container_parts import part
from whydied.source.trees import nodes_on, written

CALLS = ("fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch")
_PAIRS = (("y_true", "y_pred"), ("y", "y_pred"), ("target", "output"), ("labels", "logits"))


def layer_at_work(steps: list[Step]) -> Any:
    """The innermost layer whose code was running."""
    for step in reversed(steps):
        layer = step.get("self")
        if layer is not None and is_layer(layer):
            return _written(layer, steps)
    return None


def _written(layer: Any, steps: list[Step]) -> Any:
    """The Sequential that the user wrote, for the model that it makes of itself."""
    if type(layer).__name__ != "Functional":
        return layer
    outer = (one for step in reversed(steps) if (one := step.get("self")) is not None and is_layer(one))
    return next((one for one in outer if instance_dict(one).get("_functional") is layer), layer)


def feeding(steps: list[Step], layer: Any) -> Any:
    """The layer whose output went into the one at work, by the graph of the model that ran or was built."""
    for step in reversed(steps):
        node = step.get("node") if step.file is None else None
        if node is not None and getattr(node, "operation", getattr(node, "layer", None)) is layer:
            inputs = layer_structure.tensors(node, "input")
            found = maker(inputs[0]) if inputs else None
            inside = found is not None and type(found).__name__ == "InputLayer"
            return (_feeding_outside(steps, layer) or found) if inside else found
    for step in reversed(steps):
        model = step.get("self")
        if model is None or not is_layer(model) or type(model).__name__ != "Sequential":
            continue
        listed = [one for one in layer_structure.inner(model) if is_layer(one)]
        at = next((n for n, one in enumerate(listed) if one is layer), 0)
        if at > 0:
            return listed[at - 1]
    return None


def _feeding_outside(steps: list[Step], layer: Any) -> Any:
    """The layer whose output went into the model around the one at work, where the model is called like a layer."""
    for step in reversed(steps):
        model = step.get("self") if step.frame.f_code.co_name == "__call__" else None
        if model is None or model is layer or not is_layer(model):
            continue
        given = step.get("inputs")
        found = maker(given[0] if isinstance(given, (list, tuple)) and given else given)
        if found is not None and is_model(found):
            gives = instance_dict(found).get("outputs")
            found = maker(gives[0]) if isinstance(gives, (list, tuple)) and gives else found
        if found is not None:
            return found
    return None


def shaping(layer: Any) -> Any:
    """The layer that gave a layer's output its shape: the layer itself, or one before it where those between only pass
    the shape on (Dropout, a normalisation, an activation)."""
    for _ in range(LARGEST_LAYERS):
        shape, nodes = side_of(layer, "input"), layer_structure.nodes(layer)
        inputs = layer_structure.tensors(nodes[0], "input") if nodes else []
        before = maker(inputs[0]) if len(inputs) == 1 else None
        sets = instance_dict(layer).keys() & {"units", "filters", "output_dim", "target_shape"}
        if before is None or type(before).__name__ == "InputLayer" or sets:
            return layer
        if shape is None or shape != side_of(layer, "output"):
            return layer
        layer = before
    return layer


def wanted(steps: list[Step]) -> tuple[InputWanted, Any] | None:
    """What was asked of an input, and the input, where a check of Keras's raised."""
    for step in reversed(steps):
        name = step.frame.f_code.co_name
        if name == "assert_input_compatibility":
            spec = step.get("spec")
            value = step.get("x")
            if spec is None:
                return None
            return _spec(spec), value if value is not None else step.get("inputs")
        if name == "_adjust_input_rank" and step.get("ref_shape") is not None:
            return InputWanted(shape=_sizes(step.get("ref_shape"))), step.get("x")
    return None


def given_to(steps: list[Step], layer: Any) -> tuple[list[Any], Step] | None:
    """What a layer was called with, and the step of the call."""
    for step in reversed(steps):
        if step.frame.f_code.co_name != "__call__" or step.get("self") is not layer:
            continue
        given = step.get("args")
        if not given and step.get("inputs") is not None:
            # Keras 2 has taken the first argument off the others.
            given = (step.get("inputs"),)
        return (list(given[0]) if given and type(given[0]) in (list, tuple) else list(given or ())[:1]), step
    return None


def inputs_of(steps: list[Step], layer: Any, users: list[Step]) -> list[Party]:
    """What a layer was called with, each value with its words where the user called the layer himself."""
    found = given_to(steps, layer)
    if found is not None:
        values, step = found
        # Of the user's lines the one that called the layer: those further in are of the layer's own code.
        callers = [one for one in users if steps.index(one) < steps.index(step)]
        direct = bool(callers) and all(
            one.file is None for one in steps[steps.index(callers[-1]) + 1 : steps.index(step)]
        )
        call = call_node(callers[-1]) if callers and direct and not calls_keras(steps) else None
        if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "add":
            # A model is given a layer, and not what goes into it.
            call = None
        listed = call.args[0] if call is not None and call.args else None
        nodes = list(listed.elts) if isinstance(listed, (ast.List, ast.Tuple)) else [listed]
        words = nodes if len(nodes) == len(values) else [None] * len(values)
        pairs = list(zip(values, words, strict=True))[:LARGEST_INPUTS]
        return [looked_at("input", value, node, callers) for value, node in pairs]
    return []


def _spec(spec: Any) -> InputWanted:
    axes = getattr(spec, "axes", None) or {}
    return InputWanted(
        shape=_sizes(getattr(spec, "shape", None)),
        rank=_number(getattr(spec, "ndim", None)),
        least_rank=_number(getattr(spec, "min_ndim", None)),
        most_rank=_number(getattr(spec, "max_ndim", None)),
        axes={str(axis): size for axis, size in dict(axes).items() if isinstance(size, int)},
    )


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _sizes(shape: Any) -> list[int | None] | None:
    try:
        return None if shape is None else [None if size is None else int(size) for size in shape]
    except (TypeError, ValueError):
        return None


def call_at_work(steps: list[Step]) -> Step | None:
    for step in reversed(steps):
        if step.file is None and step.frame.f_code.co_name in CALLS and is_layer(step.get("self")):
            return step
    return None


def loss_parties(steps: list[Step], users: list[Step]) -> list[Party]:
    """Target and output where a loss was at work: as they entered the outermost function that has both."""
    after = steps.index(users[-1]) if users else 0
    for step in steps[after:]:
        if step.file is not None and not step.is_generated and step is not users[-1]:
            continue
        for pair in _PAIRS:
            target, output = (step.get(word) for word in pair)
            if step.file is None and describe(target).shape is not None and describe(output).shape is not None:
                words = _given(users, pair) if not calls_keras(steps[after:]) else []
                texts = [*words, None, None][:2]
                return [
                    looked_at(role, value, text, users)
                    for role, value, text in zip(("target", "output"), (target, output), texts, strict=True)
                ]
            if step.file is None and target is not None and output is not None:
                sides = _leaves(target), _leaves(output)
                if sides[0] and sides[1] and len(sides[0]) != len(sides[1]):
                    return [
                        looked_at(role, value, None, users)
                        for role, side in zip(("target", "output"), sides, strict=True)
                        for value in side
                    ]
    return []


def _leaves(value: Any) -> list[Any]:
    """The tensors of a list, tuple or dict of a few of them; empty where anything else is in it."""
    parts = list(value.values()) if type(value) is dict else list(value) if type(value) in (list, tuple) else [value]
    shaped = all(describe(one).shape is not None for one in parts)
    return parts if shaped and len(parts) <= LARGEST_INPUTS else []


def is_in_layer(steps: list[Step]) -> bool:
    """Whether a layer of Keras is at work below the user's line that comes first."""
    return any(step.file is None and is_layer(step.get("self")) for step in steps[1:])


def calls_keras(steps: list[Step]) -> bool:
    return any(step.file is None and step.frame.f_code.co_name in CALLS for step in steps)


def _given(users: list[Step], pair: tuple[str, str]) -> list[ast.AST]:
    """The arguments of the user's call of a loss: by their names, also where the call is a part of another; else the
    first ones of the call."""
    if not users:
        return []
    parsed = live_source.source(users[-1].file or "")
    for call in nodes_on(parsed, users[-1].line) if parsed is not None else ():
        named = {word.arg: word.value for word in call.keywords} if isinstance(call, ast.Call) else {}
        if all(word in named for word in pair):
            return [named[word] for word in pair]
    called = call_node(users[-1])
    given: list[ast.AST] = [*called.args, *(word.value for word in called.keywords)] if called is not None else []
    return given[:2] if len(given) >= 2 else []


def call_node(step: Step, method: str = "") -> ast.Call | None:
    """The call that a step of the user's was at."""
    if step.trace is not None and not step.is_generated:
        failure = operands.failing(step.trace, step.file or "")
        node = failure.node if failure is not None else None
        if isinstance(node, ast.Call):
            return node
    parsed = live_source.source(step.file or "")
    if parsed is None:
        return None
    calls = [node for node in nodes_on(parsed, step.line) if isinstance(node, ast.Call)]
    fitting = (call for _, call in method_calls(calls, (method,))) if method else iter(calls)
    return next(fitting, None)


def validation_data(step: Step) -> tuple[list[ast.expr], ast.Call] | None:
    """What a `fit` of the user's passes on to the evaluation that it begins itself, and that call."""
    call = call_node(step, "fit")
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "fit":
        return None
    passed = passed_argument(call, "validation_data")
    if passed is None:
        return None
    if isinstance(passed, (ast.Tuple, ast.List)):
        return list(passed.elts), call
    value = lookup.evaluate(passed, step.frame)
    if type(value) in (list, tuple):
        return [ast.Subscript(passed, ast.Constant(at), ast.Load()) for at in range(len(value))], call
    return [passed], call


def parts_of(value: Any, node: ast.AST | None) -> list[tuple[Any, ast.AST | None]]:
    """A value; of a list, tuple or dict of arrays each of them, with its words where they are written out."""
    if type(value) is dict and value and all(type(key) is str for key in value):
        pairs = [(one, part(node, key) or _item(node, key)) for key, one in value.items()]
    elif type(value) in (list, tuple) and value and all(describe(one).shape is not None for one in value):
        listed = list(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else []
        fits = len(listed) == len(value) and not any(isinstance(one, ast.Starred) for one in listed)
        pairs = [(one, listed[at] if fits else _item(node, at)) for at, one in enumerate(value)]
    else:
        return [(value, node)]
    return pairs[:LARGEST_INPUTS]


def _item(node: ast.AST | None, key: str | int) -> ast.AST | None:
    """`data['image']`."""
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return None
    return ast.Subscript(node, ast.Constant(key), ast.Load())


def compile_line(step: Step, receiver: str) -> Frame | None:
    """The last `compile` of the same receiver before a line, in the same file."""
    parsed = live_source.source(step.file or "")
    if parsed is None or step.file is None:
        return None
    calls = [(written(model), call.lineno) for model, call in method_calls(ast.walk(parsed.tree), ("compile",))]
    lines = [line for model, line in calls if model == receiver] or [line for _, line in calls]
    if len(lines) > 1:
        lines = sorted(line for line in lines if line <= step.line)[-1:]
    return frame_of(step.file, lines[0], step.function) if lines else None


def loss_name(model: Any) -> str:
    loss = instance_dict(model).get("loss") or instance_dict(model).get("_loss")
    compiled = instance_dict(instance_dict(model).get("_compile_loss")).get("_user_loss")
    loss = loss if loss is not None else compiled
    if isinstance(loss, str):
        return loss
    name = getattr(loss, "__name__", None) if callable(loss) and not is_layer(loss) else None
    return name if isinstance(name, str) else type(loss).__name__ if loss is not None else ""
