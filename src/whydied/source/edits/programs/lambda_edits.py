"""Lambda layers of Keras, whose functions are saved as code and own no weights: what a lambda needs of its file, the
same as a function that Keras finds by its name, and layers that a function makes put into the model itself. Pure."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee, own_names
from whydied.source.edits.edit import Edit, end_of, over, start_of, written_in
from whydied.source.edits.import_edits import add_import, module_names, name_of
from whydied.source.edits.programs.definition_edits import set_parameters
from whydied.source.text import Source
from whydied.source.trees import across, holds, last_name, walk, within, written


class LayerLambda(NamedTuple):
    """`needed` are the names that the lambda has from outside of itself."""

    file: str
    layer: ast.Call
    node: ast.Lambda
    needed: set[str]


def layer_lambdas(sources: Mapping[str, Source]) -> list[LayerLambda]:
    """The lambdas that are given to Lambda layers."""
    found = []
    for file, call in across(sources, ast.Call):
        if callee(call) != "Lambda":
            continue
        for one in [*call.args[:1], *(word.value for word in call.keywords if word.arg == "function")]:
            if isinstance(one, ast.Lambda):
                used = {name.id for name in walk(one.body, ast.Name)}
                found.append(LayerLambda(file, call, one, used - own_names(one) - set(dir(builtins))))
    return found


def as_function(sources: Mapping[str, Source], one: LayerLambda) -> list[Edit]:
    """The lambda as a registered function of its file. Nothing where it needs what only its surroundings have."""
    source = sources[one.file]
    known = module_names(source)
    top = next((part for part in source.tree.body if part.lineno <= one.node.lineno <= (part.end_lineno or 0)), None)
    if one.needed - known or top is None:
        return []
    called = [word.value for word in one.layer.keywords if word.arg == "name"]
    label = str(called[0].value) if called and isinstance(called[0], ast.Constant) else "layer"
    name = f"{label}_function"
    if not name.isidentifier() or name in known:
        return []
    keras = name_of(source, "keras")
    needed = add_import(source, one.file, "import keras") if keras is None else None
    # `tf.keras` has no `saving`.
    home = f"{keras}.utils" if keras and keras != "keras" else "keras.saving"
    parameters = ast.unparse(one.node.args)
    body = written_in(source, one.node.body)
    text = f"@{home}.register_keras_serializable()\ndef {name}({parameters}):\n    return {body}\n\n\n"
    first = min([top.lineno, *(part.lineno for part in getattr(top, "decorator_list", []))])
    made = [Edit(one.file, (first, 0), (first, 0), text), over(source, one.file, one.node, name)]
    return [needed, *made] if needed is not None else made


class Maker(NamedTuple):
    """A Lambda layer whose function makes layers: `function` is its name, "" for a lambda; `instead` is what is written
    in the place of the layer, empty where that is not known."""

    file: str
    layer: ast.Call
    function: str
    instead: str
    edits: list[Edit]


def maker(sources: Mapping[str, Source], file: str, line: int) -> Maker | None:
    """The Lambda layer in whose function a line stands, where there is only one."""
    found = []
    for own, layer in across(sources, ast.Call):
        given = [*layer.args[:1], *(word.value for word in layer.keywords if word.arg == "function")]
        if callee(layer) != "Lambda" or not given:
            continue
        definition = _definition(sources, given[0])
        inside = own == file and isinstance(given[0], ast.Lambda) and holds(given[0], line)
        if inside or (definition is not None and definition[0] == file and holds(definition[1], line)):
            found.append((own, layer, given[0], definition))
    if len(found) != 1:
        return None
    own, layer, function, definition = found[0]
    edits, instead = _instead(sources[own], own, layer, function, definition)
    return Maker(own, layer, definition[1].name if definition is not None else "", instead, edits)


_Definition = tuple[str, ast.FunctionDef]


def _definition(sources: Mapping[str, Source], function: ast.expr) -> _Definition | None:
    """The function of the program that is given, or that is all that a lambda calls with its argument."""
    if isinstance(function, ast.Lambda):
        call = function.body
        first = call.args[0] if isinstance(call, ast.Call) and call.args else None
        named = isinstance(call, ast.Call) and isinstance(first, ast.Name) and first.id in own_names(function)
        function = call.func if named and isinstance(call, ast.Call) else function
    name = last_name(function)
    found = [(file, one) for file, one in across(sources, ast.FunctionDef) if one.name == name]
    return found[0] if len(found) == 1 and name else None


def _instead(
    source: Source, file: str, layer: ast.Call, function: ast.expr, definition: _Definition | None
) -> tuple[list[Edit], str]:
    called = next((one for one in walk(source.tree, ast.Call) if one.func is layer and len(one.args) == 1), None)
    if called is not None:
        # The function runs on the tensor of the model itself, which then knows its layers.
        text = _applied(source, function, written_in(source, called.args[0]))
        return ([over(source, file, called, text)], text) if text else ([], "")
    if definition is None and isinstance(function, ast.Lambda):
        layers = _chain(source, function.body, _first(function.args))
        is_listed = any(layer in one.elts for one in walk(source.tree, ast.List))
        text = ", ".join(layers) if len(layers) == 1 or is_listed else ""
        return ([over(source, file, layer, text)], text) if text else ([], "")
    return _returned_layer(source, file, layer, function, definition) if definition is not None else ([], "")


def _applied(source: Source, function: ast.expr, tensor: str) -> str:
    """The function called with a tensor, written out."""
    if not isinstance(function, ast.Lambda):
        return f"{written_in(source, function)}({tensor})"
    names = [one for one in walk(function.body, ast.Name) if one.id == _first(function.args)]
    if len(names) != 1 or names[0].lineno != function.body.lineno or function.body.end_lineno != function.body.lineno:
        return ""
    text, begin = written_in(source, function.body), start_of(source, function.body)[1]
    return text[: start_of(source, names[0])[1] - begin] + tensor + text[end_of(source, names[0])[1] - begin :]


def _first(given: ast.arguments) -> str:
    names = [*given.posonlyargs, *given.args]
    return names[0].arg if names else ""


def _chain(source: Source, node: ast.expr, name: str) -> list[str]:
    """The layers of `B()(A()(x))` in their order; empty where it is something else."""
    found: list[str] = []
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and len(node.args) == 1 and not node.keywords:
        if any(one.id == name for one in walk(node.func, ast.Name)):
            return []
        found.append(written_in(source, node.func))
        node = node.args[0]
    return found[::-1] if isinstance(node, ast.Name) and node.id == name else []


def _returned_layer(
    source: Source, file: str, layer: ast.Call, function: ast.expr, definition: _Definition
) -> tuple[list[Edit], str]:
    """The function without its first parameter, giving the layer that it called on it."""
    own, node = definition
    name = _first(node.args)
    returns = [one for one in within(node) if isinstance(one, ast.Return) and one.value is not None]
    used = [one for one in walk(node, ast.Name) if one.id == name]
    named = [one for one in walk(source.tree, (ast.Name, ast.Attribute)) if last_name(one) == node.name]
    if own != file or len(returns) != 1 or len(used) != 1 or len(named) != 1 or node.args.posonlyargs:
        return [], ""
    value = returns[0].value
    if not isinstance(value, ast.Call) or value.keywords or [written(one) for one in value.args] != [name]:
        chain = _chain(source, value, name) if value is not None else []
        made = next((written(one.func) for one in walk(source.tree, ast.Call) if callee(one) == "Sequential"), "")
        text = f"{made}([{', '.join(chain)}])" if made and chain else ""
    else:
        text = written_in(source, value.func)
    given = written(node.args).partition(",")[2].strip()
    header = set_parameters(source, file, node, given)
    if not text or value is None or header is None:
        return [], ""
    call = function.body if isinstance(function, ast.Lambda) else None
    rest: list[ast.expr | ast.keyword] = [*call.args[1:], *call.keywords] if isinstance(call, ast.Call) else []
    instead = f"{node.name}({', '.join(written_in(source, one) for one in rest)})"
    return [header, over(source, file, value, text), over(source, file, layer, instead)], instead
