"""An axis of size one that the program added at another place than the batch's. Pure.

Told is only the one `expand_dims` that the data came through, where the same call with `axis=0` gives what the model's
Input says.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case
from whydied.diagnose.errors.advice import Advice, Way, advised, nothing
from whydied.diagnose.errors.framework_error import FrameworkError, shape_words
from whydied.records import Frame, Party
from whydied.shapes.shape import Shape, conforms
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import over
from whydied.source.numbers import evaluate
from whydied.source.trees import across, enclosing, function_at, written


def misplaced_axis(case: Case, error: FrameworkError, party: Party) -> Advice:
    wanted = error.facts.wanted.shape if error.facts.wanted is not None else None
    shape = party.shape or []
    if wanted is None or len(shape) != len(wanted):
        return nothing()
    found = []
    for file, call in across(case.project, ast.Call):
        axis = passed_argument(call, "axis") or passed_argument(call, "1")
        at = evaluate(axis, {}) if axis is not None and callee(call) == "expand_dims" else None
        if axis is None or at is None or not -len(shape) <= at < len(shape) or not _is_on_way(case, file, call, party):
            continue
        place = int(at) % len(shape)
        rest = [*shape[:place], *shape[place + 1 :]]
        moved: Shape = [1, *rest]
        if place and shape[place] == 1 and conforms(moved, wanted):
            found.append((file, call, axis, moved))
    if len(found) != 1:
        return nothing()
    file, call, axis, moved = found[0]
    source = case.project[file]
    frame = Frame(file=file, line=call.lineno, function=enclosing(source.tree, call.lineno), user=True)
    words = (
        f"`{written(call)}` adds the batch axis at the wrong place: with `axis=0` it gives {shape_words(moved)}, a "
        "batch of one."
    )
    return advised(words, "data", Way(words, [over(source, file, axis, "0")], frame))


def _is_on_way(case: Case, file: str, call: ast.Call, party: Party) -> bool:
    """Whether the data came through a line, or through what a function gives: then one of its lines made them."""
    function = function_at(case.project[file].tree, call.lineno)
    name = function.name if function is not None else ""
    for one in party.sources:
        if one.frame is None or one.frame.file != file:
            continue
        if one.frame.line == call.lineno or (name and one.frame.function == name) or one.text.startswith(f"{name}("):
            return True
    return written(call) in party.text
