"""Names that a statement unpacks in another order than the function gives its parts. Pure.

Told where inputs and targets come from one unpacking, have different numbers of rows, and the targets have the columns
of the inputs: a part of the inputs then has the name of the targets.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.advice import source_at
from whydied.diagnose.errors.framework_error import FrameworkError, name_of, shape_words
from whydied.records import Frame, Party
from whydied.source.calls import callee
from whydied.source.trees import across, nodes_on, walk, written


class OtherOrder(NamedTuple):
    words: str
    advice: str
    frame: Frame


def unpacked_order(error: FrameworkError, x: Party, y: Party) -> OtherOrder | None:
    first, second = (one.sources[0] if one.sources else None for one in (x, y))
    if first is None or second is None or first.frame is None or second.frame is None:
        return None
    together = (first.frame.file, first.frame.line, first.text) == (second.frame.file, second.frame.line, second.text)
    if not together or not x.shape or not y.shape or len(y.shape) < 2 or x.shape[1:] != y.shape[1:]:
        return None
    source = source_at(error.sources, first.frame)
    if source is None:
        return None
    made = [
        node
        for node in nodes_on(source, first.frame.line)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Call)
    ]
    if len(made) != 1 or not isinstance(made[0].value, ast.Call):
        return None
    called = callee(made[0].value)
    line = line_words(first.frame)
    words = (
        f"{name_of(y, 'y')} {shape_words(y.shape)} has the columns of {name_of(x, 'x')} {shape_words(x.shape)} and "
        f"other rows: the names are not in the order in which `{called}` gives its parts"
    )
    given = _returned(error, called)
    gives = f"`{called}` returns `{given}`" if given else f"print the shapes that `{called}` gives"
    advice = f"Put the names `{written(made[0].targets[0]).strip('()')}` ({line}) into that order: {gives}."
    return OtherOrder(words, advice, first.frame)


def _returned(error: FrameworkError, name: str) -> str:
    """What the only `return` of a function of the program's own gives."""
    found = [
        one.value
        for _, function in across(error.sources, ast.FunctionDef)
        if function.name == name
        for one in walk(function, ast.Return)
        if one.value is not None
    ]
    return written(found[0]).strip("()") if len(found) == 1 and isinstance(found[0], ast.Tuple) else ""
