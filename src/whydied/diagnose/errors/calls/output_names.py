"""Outputs of a model that have no names of their own, and keys that name them otherwise. Pure."""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case
from whydied.diagnose.errors.calls.candidates import Answer
from whydied.diagnose.errors.framework_error import framework_error
from whydied.diagnose.finding import Culprit
from whydied.records import Frame, LayerFacts
from whydied.source.edits.call_edits import add_argument, walk_calls
from whydied.source.edits.edit import Change, Edit
from whydied.source.trees import around
from whydied.texts import layers

_NAMES = re.compile(r"['\"]([^'\"]+)['\"]")


def unnamed_outputs(case: Case, text: str) -> Answer | None:
    """Keras calls an output by its layer: one that was given no name has a number in it, which no key is."""
    told = layers.KEYS_OF_OUTPUTS.pattern.search(text)
    error = framework_error(case) if told is not None else None
    if told is None or error is None:
        return None
    expected, found = _NAMES.findall(told["expected"]), _NAMES.findall(told["found"])
    by_name = {one.name: one for one in error.facts.layers if one.made is not None}
    outputs = [by_name[name] for name in expected if name in by_name]
    if len(outputs) != len(expected) or len(found) != len(expected) or set(found) & set(expected):
        return None
    pairs = _pairs(case, outputs, found)
    edits = [_named(case, layer.made, key) for layer, key in pairs if layer.made is not None]
    written = [one for one in edits if one is not None]
    first = pairs[0][0].made
    if len(written) != len(pairs) or first is None:
        return None
    names = " and ".join(repr(one.name) for one in outputs)
    keys = " and ".join(repr(one) for one in found)
    words = f"the outputs are called {names}, by their layers, which were given no names; the keys are {keys}"
    given = ", ".join(f'`name="{key}"` on line {layer.made.line}' for layer, key in pairs if layer.made is not None)
    changes = [Change(title=f"Give the output layers the names {keys}", kind="argument", edits=written)]
    culprit = Culprit(kind="layer", name=outputs[0].name, near=found)
    return Answer(words, first.file, first.line, culprit, [f"Give the layers these names: {given}."], changes)


def _pairs(case: Case, outputs: list[LayerFacts], keys: list[str]) -> list[tuple[LayerFacts, str]]:
    """By the variables that the outputs are kept in, else by their order."""
    kept = [_variable(case, one.made) for one in outputs]
    if sorted(filter(None, kept)) == sorted(keys):
        return [(one, name) for one, name in zip(outputs, kept, strict=True) if name is not None]
    return list(zip(outputs, keys, strict=True))


def _variable(case: Case, made: Frame | None) -> str | None:
    source = case.project.get(made.file) if made is not None else None
    statements = around(source.tree, made.line, ast.Assign) if source is not None and made is not None else []
    target = statements[-1].targets[0] if statements else None
    return target.id if isinstance(target, ast.Name) else None


def _named(case: Case, made: Frame | None, key: str) -> Edit | None:
    """The name as an argument of the layer's constructor: of the innermost call of the line that makes a layer."""
    source = case.project.get(made.file) if made is not None else None
    if source is None or made is None:
        return None
    calls = [call.func for call in walk_calls(source, made.line) if isinstance(call.func, ast.Call)]
    makers = calls or walk_calls(source, made.line)
    if len(makers) != 1 or any(word.arg == "name" for word in makers[0].keywords):
        return None
    return add_argument(source, made.file, makers[0], f'name="{key}"')
