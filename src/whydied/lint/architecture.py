"""Keras models as the source writes them: their layers, how they end, what they are compiled with. Pure.

Followed are `Sequential` with its list and its `add`, `Model(inputs, outputs)` back from its outputs, subclasses with
the return of their `call`, and functions of the project that return one of these. What branches is not known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from whydied.lint.kinds import kinds_of, returns_of
from whydied.lint.library_kinds import LOSS, MODEL
from whydied.lint.unit import Unit
from whydied.source.calls import callee, passed_argument
from whydied.source.trees import Function

_DEEPEST = 8
_SEQUENTIAL = ("keras.Sequential", "keras.models.Sequential")
_FUNCTIONAL = ("keras.Model", "keras.models.Model")
_KEEPING = frozenset({"Reshape", "Flatten", "Dropout"})
"""Layers behind the last one that has an activation, which leave its values as they are."""
_ENDING = frozenset({"Dense", "Conv1D", "Conv2D", "Conv3D"})


class Output(NamedTuple):
    """How a model ends: the call that makes the layer, its activation ("linear" where it has none) and its units."""

    unit: Unit
    layer: ast.Call
    activation: str
    units: float | None


class Loss(NamedTuple):
    """A cross-entropy or another loss by its name in lower case without underscores. `node` is what names it, `call`
    the call that makes it, `from_logits` None where that cannot be seen."""

    name: str
    node: ast.expr
    call: ast.Call | None
    from_logits: bool | None


class Trained(NamedTuple):
    """A model and the loss that it is trained with, and the node that joins them."""

    model: ast.expr
    loss: Loss
    node: ast.Call


def output_of(unit: Unit, model: ast.AST | None, depth: int = _DEEPEST) -> Output | None:
    """How the model ends that an expression stands for."""
    made = kinds_of(unit).maker(model)
    if made is None or not depth:
        return None
    name = unit.called(made)
    if name in _SEQUENTIAL:
        return _end_of_sequential(unit, made, model, depth)
    if name in _FUNCTIONAL:
        outputs = passed_argument(made, "outputs") or passed_argument(made, "1")
        return _end_of_tensor(unit, outputs, depth) if outputs is not None else None
    own = unit.definition(made.func)
    if own is None:
        return None
    where, found = own
    if isinstance(found, ast.ClassDef):
        return _end_of_class(where, found, depth) if kinds_of(where).class_kind(found) == MODEL else None
    returned = returns_of(where, found)
    if len(returned) != 1 or returned[0].value is None:
        return None
    return output_of(where, returned[0].value, depth - 1)


def _end_of_sequential(unit: Unit, made: ast.Call, model: ast.AST | None, depth: int) -> Output | None:
    given = passed_argument(made, "layers") or passed_argument(made, "0")
    last = given.elts[-1] if isinstance(given, ast.List | ast.Tuple) and given.elts else None
    if given is not None and last is None and not isinstance(given, ast.List | ast.Tuple):
        return None
    layers: list[ast.expr] = list(given.elts) if isinstance(given, ast.List | ast.Tuple) else []
    name = _bound_name(unit, made)
    if name is not None:
        scope = unit.scopes.scope(made)
        block = unit.scopes.parent(unit.scopes.statement(made))
        for call in unit.calls:
            function = call.func
            if not (isinstance(function, ast.Attribute) and function.attr == "add" and call.args):
                continue
            if unit.written(function.value) != name or unit.scopes.scope(call) is not scope:
                continue
            if kinds_of(unit).maker(function.value) is not made:
                continue
            if unit.scopes.parent(unit.scopes.statement(call)) is not block:
                return None
            layers.append(call.args[0])
        if any(callee(call) == "pop" and _is_method_of(unit, call, name) for call in unit.calls):
            return None
    reshaped = False
    for layer in reversed(layers):
        maker = kinds_of(unit).maker(layer)
        if maker is None or isinstance(layer, ast.Starred):
            return None
        if _keeps_values(unit, maker):
            reshaped = reshaped or _reshapes(unit, maker)
            continue
        end = _layer_output(unit, maker, depth)
        return end._replace(units=None) if end is not None and reshaped else end
    return None


def _keeps_values(unit: Unit, layer: ast.Call) -> bool:
    """Whether what a layer gives is what it gets, in another shape or type at most."""
    kind = unit.called(layer).rpartition(".")[2]
    if kind == "Activation":
        return _activation(unit, passed_argument(layer, "activation") or passed_argument(layer, "0")) == "linear"
    return kind in _KEEPING and unit.called(layer).startswith("keras.layers.")


def _reshapes(unit: Unit, layer: ast.Call) -> bool:
    return unit.called(layer).rpartition(".")[2] in ("Reshape", "Flatten")


def _is_method_of(unit: Unit, call: ast.Call, name: str) -> bool:
    return isinstance(call.func, ast.Attribute) and unit.written(call.func.value) == name


def _bound_name(unit: Unit, made: ast.Call) -> str | None:
    statement = unit.scopes.statement(made)
    if isinstance(statement, ast.Assign) and statement.value is made and len(statement.targets) == 1:
        return unit.written(statement.targets[0])
    return None


def _layer_output(unit: Unit, call: ast.Call, depth: int) -> Output | None:
    """What a layer gives by itself."""
    path = unit.called(call)
    kind = path.rpartition(".")[2]
    if not path.startswith("keras.layers."):
        own = unit.definition(call.func)
        inner = own is not None or path in (*_SEQUENTIAL, *_FUNCTIONAL)
        return output_of(unit, call, depth - 1) if inner else None
    if kind in ("Softmax",):
        return Output(unit, call, "softmax", None)
    if kind == "Activation":
        activation = _activation(unit, passed_argument(call, "activation") or passed_argument(call, "0"))
        return Output(unit, call, activation, None) if activation else None
    if kind not in _ENDING:
        return None
    at = "1" if kind == "Dense" else ""
    given = passed_argument(call, "activation") or (passed_argument(call, at) if at else None)
    if any(one.arg is None for one in call.keywords) or (kind != "Dense" and len(call.args) > 2):
        return None
    activation = _activation(unit, given) if given is not None else "linear"
    units = unit.number(
        passed_argument(call, "units") or passed_argument(call, "filters") or passed_argument(call, "0")
    )
    return Output(unit, call, activation, units) if activation else None


def _activation(unit: Unit, node: ast.expr | None) -> str:
    """ "" where it is not known."""
    if node is None:
        return ""
    if isinstance(node, ast.Constant) and node.value is None:
        return "linear"
    text = unit.text_of(node)
    if text is not None:
        return text.lower()
    name = unit.named(node)
    return name.rpartition(".")[2].lower() if name.startswith(("tf.nn.", "keras.activations.", "tf.")) else ""


def _end_of_tensor(unit: Unit, node: ast.expr, depth: int) -> Output | None:
    """The layer that gave a tensor: `Dense(10)(x)`, by name or written out."""
    if not depth:
        return None
    if isinstance(node, ast.List | ast.Tuple):
        return _end_of_tensor(unit, node.elts[0], depth - 1) if len(node.elts) == 1 else None
    made = kinds_of(unit).maker(node)
    if made is None:
        return None
    layer = made.func if isinstance(made.func, ast.Call) else kinds_of(unit).maker(made.func)
    if not isinstance(layer, ast.Call):
        name = unit.called(made)
        if name in ("tf.nn.softmax", "tf.nn.sigmoid", "tf.sigmoid", "tf.math.sigmoid", "keras.ops.softmax"):
            return Output(unit, made, name.rpartition(".")[2], None)
        return None
    if _keeps_values(unit, layer) and made.args:
        end = _end_of_tensor(unit, made.args[0], depth - 1)
        return end._replace(units=None) if end is not None and _reshapes(unit, layer) else end
    return _layer_output(unit, layer, depth - 1)


def _end_of_class(unit: Unit, made: ast.ClassDef, depth: int) -> Output | None:
    call = next((one for one in made.body if isinstance(one, Function) and one.name == "call"), None)
    returned = returns_of(unit, call) if call is not None else []
    if len(returned) != 1 or returned[0].value is None:
        return None
    return _end_of_tensor(unit, returned[0].value, depth - 1)


def layer_names(unit: Unit, model: ast.AST | None, depth: int = 4) -> set[str]:
    """The kinds of layers that a model is made of, as far as the code that makes it names them."""
    made = kinds_of(unit).maker(model)
    if made is None or not depth:
        return set()
    own = unit.definition(made.func)
    region: ast.AST = own[1] if own is not None else unit.scopes.scope(made)
    where = own[0] if own is not None else unit
    return {
        where.called(node).rpartition(".")[2]
        for node in ast.walk(region)
        if isinstance(node, ast.Call) and where.called(node).startswith("keras.layers.")
    } | {"application" for node in ast.walk(region) if isinstance(node, ast.Call) and _is_application(where, node)}


def _is_application(unit: Unit, call: ast.Call) -> bool:
    name = unit.called(call)
    return name.startswith("keras.applications.") and name.rpartition(".")[2][:1].isupper()


def trainings(unit: Unit) -> list[Trained]:
    """The models that this unit compiles, or asks a loss object about, each with its loss."""
    found = unit.memory.get("trainings")
    if not isinstance(found, list):
        found = unit.memory["trainings"] = [*_compiled(unit), *_asked(unit)]
    return found


def _compiled(unit: Unit) -> Iterator[Trained]:
    for call in unit.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "compile":
            given = passed_argument(call, "loss") or passed_argument(call, "1")
            loss = loss_of(unit, given) if given is not None else None
            if loss is not None:
                yield Trained(call.func.value, loss, call)


def _asked(unit: Unit) -> Iterator[Trained]:
    """`loss_fn(y, model(x))`."""
    kinds = kinds_of(unit)
    for call in unit.calls:
        if len(call.args) < 2 or unit.called(call) or kinds.of(call.func) != LOSS:
            continue
        loss = loss_of(unit, call.func)
        given = kinds.maker(call.args[1])
        if loss is not None and given is not None and kinds.of(given.func) == MODEL:
            yield Trained(given.func, loss, call)


def loss_of(unit: Unit, node: ast.expr) -> Loss | None:
    text = unit.text_of(node)
    if text is not None:
        return Loss(_plain(text), node, None, False)
    name = unit.named(node)
    if name.startswith(("keras.losses.", "tf.losses.", "keras.metrics.")):
        return Loss(_plain(name.rpartition(".")[2]), node, None, False)
    call = kinds_of(unit).maker(node)
    name = unit.called(call) if call is not None else ""
    if (
        call is None
        or not name.startswith(("keras.losses.", "tf.losses."))
        or not name.rpartition(".")[2][:1].isupper()
    ):
        return None
    given = passed_argument(call, "from_logits") or passed_argument(call, "0")
    from_logits: bool | None = False
    if given is not None:
        from_logits = given.value if isinstance(given, ast.Constant) and isinstance(given.value, bool) else None
    if any(one.arg is None for one in call.keywords):
        from_logits = None
    return Loss(_plain(name.rpartition(".")[2]), node, call, from_logits)


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
