"""A loss of the program's own that takes its two arguments in the other order: it takes the logarithm of the targets.
Pure.

Keras calls a loss with the targets first. The evidence is the replay's: what goes into the logarithm is the fed targets
themselves, and the source shows that it is the first parameter of a function that is compiled as a loss.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.records import FoundOp, Frame
from whydied.source.edits.edit import Change, over
from whydied.source.trees import across, function_at, walk

_TARGETS = "y"
_LOGARITHMS = ("Log", "Log1p")


class OtherOrder(NamedTuple):
    words: str
    location: Location | None
    advice: str
    changes: list[Change]


def other_order(case: Case, place: Location | None, op: FoundOp) -> OtherOrder | None:
    """None where the logarithm is not of the targets, or the function is not a loss with two parameters."""
    fed = op.op in _LOGARITHMS and any(one.origin == "batch" and one.name == _TARGETS for one in op.inputs)
    source = case.sources.get(place.file) if place is not None else None
    function = function_at(source.tree, place.line) if fed and source is not None and place is not None else None
    if function is None or source is None or place is None:
        return None
    taken = [one for one in function.args.args if one.arg not in ("self", "cls")]
    if len(taken) != 2 or not _is_compiled(case, function.name):
        return None
    first, second = (one.arg for one in taken)
    # A loss that compares two logarithms means both.
    if not _is_logged(function, first) or _is_logged(function, second):
        return None
    words = (
        f"Keras calls a loss with the targets first, so `{first}` of `{function.name}` is the targets, and their "
        f"logarithm is taken; `{second}` is what the model gives"
    )
    edits = [
        over(source, place.file, ast.copy_location(ast.Name(one.arg), one), other)
        for one, other in zip(taken, (second, first), strict=True)
    ]
    changes = [Change(title=f"Take them as `({second}, {first})`", kind="order", edits=edits)]
    frame = Frame(file=place.file, line=function.lineno, function=function.name, user=True)
    advice = f"Swap the parameters: `def {function.name}({second}, {first})`."
    return OtherOrder(words, case.locate(frame), advice, changes)


def _is_compiled(case: Case, name: str) -> bool:
    """Whether the function is the loss of a `compile`."""
    for _, call in across(case.project, ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "compile":
            given = [*call.args[1:2], *(word.value for word in call.keywords if word.arg == "loss")]
            if any(_last(one) == name for one in given):
                return True
    return False


def _is_logged(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    """Whether a logarithm is taken of the parameter."""
    return any(
        isinstance(one, ast.Name) and one.id == name
        for call in walk(function, ast.Call)
        if _last(call.func) in ("log", "log1p") and call.args
        for one in ast.walk(call.args[0])
    )


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
