"""Edits of Keras layers where they are made: a setting, the shape of an Input, a layer put before one. Pure.

A layer is known by the line that made it, its type and its settings. Where a statement makes several of one type they
are told apart by their settings, else by their order; a call that makes several layers, in a loop, is not changed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.edits import call_edits
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.whole_numbers import Sizes, number_edit, one_more, shape_text, sizes_edits
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import nodes_on, walk

_INPUTS = ("Input", "InputLayer")
_SHAPES = ("shape", "input_shape")
_BATCHED = ("batch_shape", "batch_input_shape")
_FIRST = ("units", "filters", "pool_size", "input_dim", "n", "target_shape", "max_tokens", "size")
_CONV = {"kernel_size": 1, "strides": 2, "padding": 3}
_POOL = {"strides": 1, "padding": 2}
_TOLD = ("units", "filters", "input_dim", "output_dim", "n", "activation", "rate")


class Made(NamedTuple):
    """A layer as it was recorded: `settings` are the words of its values."""

    type: str
    name: str
    settings: Mapping[str, str]


def layer_call(source: Source, line: int, layer: Made, beside: Sequence[Made]) -> ast.Call | None:
    """The call that made a layer; `beside` are all layers that the line made, in the order of the model."""
    calls = call_edits.calls_at(source, line, layer.type)
    alike = [one for one in beside if one.type == layer.type]
    if not calls or len(alike) > len(calls):
        return None
    fitting = [call for call in calls if _agrees(source, call, layer)]
    if len(fitting) == 1:
        return fitting[0]
    nested = any(_is_called_on(node, calls) for node in nodes_on(source, line) if isinstance(node, ast.Call))
    at = next((n for n, one in enumerate(alike) if one.name == layer.name), None)
    return calls[at] if at is not None and len(alike) == len(calls) and not nested else None


def _is_called_on(node: ast.Call, calls: Sequence[ast.Call]) -> bool:
    """Whether one of the layers is called on what another one gives: the outer one is made first."""
    return node.func in calls and any(part in calls for given in node.args for part in walk(given, ast.Call))


def _agrees(source: Source, call: ast.Call, layer: Made) -> bool:
    known = constants(source.tree)
    for word in _TOLD:
        given = argument_of(call, layer.type, word)
        number = evaluate(given, known) if given is not None else None
        text = given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else number
        if text is not None and word in layer.settings and str(text) != layer.settings[word]:
            return False
    name = next((word.value for word in call.keywords if word.arg == "name"), None)
    return not isinstance(name, ast.Constant) or name.value == layer.name


def position_of(kind: str, word: str) -> int | None:
    """Where a layer of a type takes a setting; None where it is given by its keyword only."""
    if word in _FIRST:
        return 0
    if (kind, word) in (("Dense", "activation"), ("Embedding", "output_dim")):
        return 1
    if "Pool" in kind:
        return _POOL.get(word)
    return _CONV.get(word) if "Conv" in kind and "Depthwise" not in kind else None


def argument_of(call: ast.Call, kind: str, word: str) -> ast.expr | None:
    given = next((one.value for one in call.keywords if one.arg == word), None)
    position = position_of(kind, word)
    if given is None and position is not None and position < len(call.args):
        given = call.args[position]
    return None if isinstance(given, ast.Starred) else given


def set_setting(source: Source, file: str, call: ast.Call, kind: str, word: str, value: str) -> list[Edit] | None:
    """A setting of the layer that a call makes; a number is changed where it is said."""
    given = argument_of(call, kind, word)
    if given is not None and value.isdigit() and not isinstance(given, ast.Tuple | ast.List):
        edit = number_edit(source, file, given, int(value))
    else:
        edit = call_edits.set_argument(source, file, call, word, position_of(kind, word), value)
    return [edit] if edit is not None else None


def set_one_more(source: Source, file: str, call: ast.Call, kind: str, word: str, value: int) -> list[Edit] | None:
    """A number of a layer that is one too small."""
    given = argument_of(call, kind, word)
    edit = one_more(source, file, given, value) if given is not None else None
    return [edit] if edit is not None else None


def input_edits(source: Source, file: str, line: int, was: Sizes, wanted: Sizes) -> list[Edit] | None:
    """The shape that an Input of the statement declares, without the axis of the batch, or the first layer of a
    model (`input_shape=`). None where several could be meant."""
    found = [
        (word, node)
        for call in nodes_on(source, line)
        if isinstance(call, ast.Call)
        for word, node in _declared(call)
        if _may_be(source, node, was, word in _BATCHED)
    ]
    if len(found) != 1:
        return None
    word, node = found[0]
    if isinstance(node, ast.keyword):
        if len(wanted) > 1 or wanted[0] is None:
            return [over(source, file, node, f"input_shape={shape_text(wanted)}")]
        edit = number_edit(source, file, node.value, wanted[0])
        return [edit] if edit is not None else None
    if word in _BATCHED:
        first = node.elts[0] if isinstance(node, ast.Tuple | ast.List) and node.elts else None
        rows = first.value if isinstance(first, ast.Constant) and isinstance(first.value, int) else None
        return sizes_edits(source, file, node, [rows, *was], [rows, *wanted]) if first is not None else None
    return sizes_edits(source, file, node, was, wanted)


def _declared(call: ast.Call) -> list[tuple[str, ast.expr | ast.keyword]]:
    found: list[tuple[str, ast.expr | ast.keyword]] = []
    for word in call.keywords:
        if word.arg in (*_SHAPES, *_BATCHED) and (word.arg.startswith(("input", "batch_i")) or callee(call) in _INPUTS):
            found.append((word.arg, word.value))
        elif word.arg == "input_dim" and callee(call) != "Embedding":
            found.append((word.arg, word))
    if not found and callee(call) in _INPUTS and call.args and not isinstance(call.args[0], ast.Starred):
        found.append(("shape", call.args[0]))
    return found


def _may_be(source: Source, node: ast.expr | ast.keyword, was: Sizes, batched: bool) -> bool:
    """Whether a declared shape can be one that was recorded, as far as it is written out."""
    if isinstance(node, ast.keyword):
        return len(was) == 1
    if not isinstance(node, ast.Tuple | ast.List):
        return True
    parts = node.elts[1:] if batched else node.elts
    known = constants(source.tree)
    values = [evaluate(part, known) for part in parts]
    return len(parts) == len(was) and all(one in (None, two) for one, two in zip(values, was, strict=True))


def wrapped_call(call: ast.Call, kind: str) -> ast.Call | None:
    """The layer inside of a wrapper such as Bidirectional."""
    found = [one for one in call.args if isinstance(one, ast.Call) and callee(one) == kind]
    return found[0] if len(found) == 1 else None


def without_setting(source: Source, file: str, call: ast.Call, word: str) -> list[Edit] | None:
    """A call without one of its keywords."""
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    at = next((n for n, one in enumerate(parts) if isinstance(one, ast.keyword) and one.arg == word), None)
    if at is None or any(isinstance(one, ast.keyword) and one.arg is None for one in parts):
        return None
    kept = [written_in(source, one) for n, one in enumerate(parts) if n != at]
    return [over(source, file, call, f"{written_in(source, call.func)}({', '.join(kept)})")]
