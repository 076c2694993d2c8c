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


def likewise(source: Source, file: str, line: int, receiver: str, role: str, code: str) -> list[Edit]:
    """`code` for the x or y of all calls of a model behind the `fit` at a line, and for what that one validates on.
    Data without words of their own, as in `*data`, are left alone."""
    nodes = [node for node in _given(source, line, receiver, role) if not isinstance(node, ast.Starred | ast.Constant)]
    edits = [edit for node in nodes for edit in written(source, file, node, code)]
    return list(dict.fromkeys(edits))


def all_samples(source: Source, file: str, code: str) -> list[Edit] | None:
    """`code` for the x of all calls of the only model that a file trains; None where there is not just one `fit`, or
    it is given no x of its own."""
    fits = [*method_calls(walk(source.tree, ast.Call), ("fit",))]
    if len(fits) != 1 or not fits[0][1].args or isinstance(fits[0][1].args[0], ast.Starred):
        return None
    owner, call = fits[0]
    edits = written(source, file, call.args[0], code)
    return list(dict.fromkeys([*edits, *likewise(source, file, call.lineno, text_of(owner), "x", code)]))


def _given(source: Source, line: int, receiver: str, role: str) -> Iterator[ast.expr]:
    first, last = source.span(line)
    at = _PLACES[role]
    for owner, call in method_calls(walk(scope_at(source.tree, line), ast.Call), _CALLS[role]):
        if text_of(owner) != receiver or call.lineno < first:
            continue
        words = {word.arg: word.value for word in call.keywords}
        validated = words.get("validation_data")
        if callee(call) == "fit" and isinstance(validated, ast.Tuple) and at < len(validated.elts):
            yield validated.elts[at]
        if call.lineno <= last:
            continue
        own = words.get(role) or (call.args[at] if at < len(call.args) else None)
        if own is not None:
            yield own
