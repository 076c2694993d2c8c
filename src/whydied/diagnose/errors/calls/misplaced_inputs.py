"""A layer that was given its inputs in its constructor: the line of the constructor, and the call that was meant. Pure.

Keras takes nearly anything for a setting and fails when it uses it, often in another layer or at `fit`. A setting is
held to be no place for inputs where its default is a number or a text, or its documentation begins with such a kind and
speaks of no tensor, layer or model.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors.argument_kinds import taken
from whydied.diagnose.finding import Location
from whydied.records import Argument, HeldInput
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.shapes.layer_edits import position_of
from whydied.source.text import Source
from whydied.source.trees import nodes_on, written

_PLAIN = frozenset({"int", "float", "bool", "str", "tuple", "list"})
_OF_INPUTS = re.compile(r"\b(?:tensors?|layers?|models?|arrays?|cells?|instances?|inputs?|weights?)\b", re.IGNORECASE)
_LITERAL = re.compile(r"-?\d|'|\"|True|False")
_KINDS = {"int": "a number", "float": "a number", "str": "a string", "bool": "True or False", "tuple": "a tuple",
          "list": "a list"}  # fmt: skip


class Misplaced(NamedTuple):
    """`words` say what the layer was given, `name` is its class."""

    place: Location
    name: str
    words: str
    advice: str
    changes: list[Change]


def misplaced_input(case: Case, link: int) -> Misplaced | None:
    for held in case.records.all(HeldInput):
        takes = _takes(held)
        source = case.sources.get(held.made.file) if held.made is not None else None
        if held.link != link or held.made is None or not takes or source is None:
            continue
        given = _given(source, held)
        if given is None:
            continue
        call, node = given
        place = case.locate(held.made)
        what = written(node)
        words = (
            f"`{held.type}` was given `{what}` as its `{held.parameter}`, which takes {takes}: {_held(held)} the input "
            "that the layer is to be called on, and not a setting"
        )
        advice, changes = _advice(source, held, call, node)
        return Misplaced(place, held.type, words, advice, changes)
    return None


def _held(held: HeldInput) -> str:
    kinds = list(dict.fromkeys(one.rpartition(".")[2] for one in held.held))
    single = len(held.held) == 1
    noun = {"tensor": "tensor", "layer": "layer", "model": "model"}[held.kind]
    of = "" if held.kind == "tensor" else f" ({', '.join(kinds)})"
    return f"a {noun}{of} is" if single else f"{len(held.held)} {noun}s{of} are"


def _takes(held: HeldInput) -> str:
    """What a setting takes, in words; "" where inputs may be meant."""
    if held.default is not None and _LITERAL.match(held.default):
        return "a string" if held.default[:1] in "'\"" else "a number" if held.default[0] in "-0123456789" else ""
    found = taken(Argument(parameter=held.parameter, says=held.says, default=held.default))
    if found is None or not found.kinds <= _PLAIN or _OF_INPUTS.search(held.says.partition(".")[0]):
        return ""
    return " or ".join(dict.fromkeys(_KINDS[kind] for kind in sorted(found.kinds)))


def _given(source: Source, held: HeldInput) -> tuple[ast.Call, ast.expr] | None:
    """The call of the constructor, and its argument."""
    assert held.made is not None
    calls = [one for one in nodes_on(source, held.made.line) if isinstance(one, ast.Call) and callee(one) == held.type]
    found = []
    for call in calls:
        by_name = [word.value for word in call.keywords if word.arg == held.parameter]
        position = position_of(held.type, held.parameter)
        at = position if position is not None else 0
        by_place = [call.args[at]] if at < len(call.args) and not isinstance(call.args[at], ast.Starred) else []
        found += [(call, node) for node in by_name or by_place]
    return found[0] if len(found) == 1 else None


def _advice(source: Source, held: HeldInput, call: ast.Call, node: ast.expr) -> tuple[str, list[Change]]:
    assert held.made is not None
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    kept = [written_in(source, one) for one in parts if one is not node and getattr(one, "value", None) is not node]
    made = f"{written_in(source, call.func)}({', '.join(kept)})"
    what = written_in(source, node)
    file = held.made.file
    if held.kind == "tensor":
        right = f"{made}({what})"
        change = Change(title=f"Write `{right}`", kind="call", edits=[over(source, file, call, right)])
        return f"Make the layer first and call it on its input: `{right}`.", [change]
    if held.kind == "model" and isinstance(node, ast.List | ast.Tuple):
        names = [written_in(source, one) for one in node.elts]
        # A Sequential of Keras 3 that was not called has `outputs`, and no `output`.
        outputs, inputs = (f"[{', '.join(f'{name}.{end}[0]' for name in names)}]" for end in ("outputs", "inputs"))
        return (
            f"Call the layer on what the models give, `x = {made}({outputs})`, go on with `x = Dense(…)(x)`, and make "
            f"the whole with `keras.Model({inputs}, x)`: a Sequential is one chain, and cannot join two.",
            [],
        )
    title = f"Write `{made}`, without `{what}`"
    change = Change(title=title, kind="call", edits=[over(source, file, call, made)])
    return f"Make it without that, `{made}`, and call it on what `{what}` gives; in a Sequential Keras does so.", [
        change
    ]
