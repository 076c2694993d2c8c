"""The data that a model is given after a call that failed, changed like those of that call. Pure.

What a model is evaluated on is like what it is trained on: a change of `fit` alone only moves the failure.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.source.calls import callee, method_calls
from whydied.source.edits.edit import Edit
from whydied.source.edits.shapes.value_edits import written
from whydied.source.text import Source
from whydied.source.trees import scope_at, walk
from whydied.source.trees import written as text_of

_PLACES = {"x": 0, "y": 1}
_CALLS = {"x": ("fit", "evaluate", "predict"), "y": ("fit", "evaluate")}


def likewise(source: Source, file: str, line: int, receiver: str, role: str, code: str, words: str = "") -> list[Edit]:
    """`code` for the x or y of all calls of a model behind the `fit` at a line, and for what that one validates on;
    with `words` for the part that they are of what is passed there. Data without words of their own, as in `*data`,
    are left alone."""
    whole = [node for node, _ in _passed_at(source, line, receiver, role)]
    nodes = [
        part
        for node in _given(source, line, receiver, role)
        if (part := _same_part(node, whole[0] if whole else None, words)) is not None
        and not isinstance(part, ast.Starred | ast.Constant)
    ]
    edits = [edit for node in nodes for edit in written(source, file, node, code)]
    return list(dict.fromkeys(edits))


def given_likewise(source: Source, line: int, receiver: str, role: str) -> list[str]:
    """What else a model is given as x or y, behind the `fit` at a line and for its validation, as the source has it."""
    own = {text_of(node) for node, call in _passed_at(source, line, receiver, role) if call.lineno <= line}
    texts = [text_of(node) for node in _given(source, line, receiver, role) if not isinstance(node, ast.Starred)]
    return [one for one in dict.fromkeys(texts) if one not in own]


def all_samples(source: Source, file: str, code: str) -> list[Edit] | None:
    """`code` for the x of all calls of the only model that a file trains; None where there is not just one `fit`, or
    it is given no x of its own."""
    fits = [*method_calls(walk(source.tree, ast.Call), ("fit",))]
    if len(fits) != 1 or not fits[0][1].args or isinstance(fits[0][1].args[0], ast.Starred):
        return None
    owner, call = fits[0]
    edits = written(source, file, call.args[0], code)
    return list(dict.fromkeys([*edits, *likewise(source, file, call.lineno, text_of(owner), "x", code)]))


def _same_part(node: ast.expr, whole: ast.expr | None, words: str) -> ast.expr | None:
    """What stands in one list, tuple or dict where `words` stand in another; all of it where that is not one of several
    values."""
    if not words or whole is None or words == text_of(whole):
        return node
    if isinstance(whole, ast.Dict):
        keys = [text_of(key) for key, value in _items(whole) if text_of(value) == words]
        return next((value for key, value in _items(node) if text_of(key) in keys[:1]), None)
    if isinstance(whole, ast.List | ast.Tuple):
        at = [number for number, one in enumerate(whole.elts) if text_of(one) == words]
        fits = isinstance(node, ast.List | ast.Tuple) and len(node.elts) == len(whole.elts) and bool(at)
        return node.elts[at[0]] if fits and isinstance(node, ast.List | ast.Tuple) else None
    return node


def _items(node: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    return [(key, value) for key, value in pairs if key is not None]


def _given(source: Source, line: int, receiver: str, role: str) -> Iterator[ast.expr]:
    _, last = source.span(line)
    at = _PLACES[role]
    for own, call in _passed_at(source, line, receiver, role):
        validated = next((word.value for word in call.keywords if word.arg == "validation_data"), None)
        if callee(call) == "fit" and isinstance(validated, ast.Tuple) and at < len(validated.elts):
            yield validated.elts[at]
        if call.lineno > last:
            yield own


def _passed_at(source: Source, line: int, receiver: str, role: str) -> Iterator[tuple[ast.expr, ast.Call]]:
    """What the calls from a line on are passed as x or y."""
    first, _ = source.span(line)
    at = _PLACES[role]
    for owner, call in method_calls(walk(scope_at(source.tree, line), ast.Call), _CALLS[role]):
        if text_of(owner) != receiver or call.lineno < first:
            continue
        words = {word.arg: word.value for word in call.keywords}
        own = words.get(role) or (call.args[at] if at < len(call.args) else None)
        if own is not None:
            yield own, call
