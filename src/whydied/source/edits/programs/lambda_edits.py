"""Lambdas of Keras layers, which are saved as code: what they need of their file, and the same as functions that Keras
finds by their names. Pure."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee, own_names
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import add_import, module_names, name_of
from whydied.source.text import Source
from whydied.source.trees import across, walk


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
