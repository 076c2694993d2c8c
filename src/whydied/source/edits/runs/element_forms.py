"""The forms that an element of a generator, or a batch of a `Sequence`, may need to have for Keras. Pure.

Keras takes a tuple for several inputs, and for each input one array with the rows along its first axis. A list that is
written out is a list of inputs; one that was filled by `append` is one of rows, or of samples that have several parts.
What the source does not tell is decided by a trial: the forms come in the order of what they suppose.
"""

from __future__ import annotations

import ast
import itertools
from typing import NamedTuple

from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.generators import Generator
from whydied.source.text import Source
from whydied.source.trees import function_at, nodes_on, within, written

_MOST = 4


class Form(NamedTuple):
    """What stands there now, what should, what that means, and the edits."""

    given: str
    right: str
    meaning: str
    edits: list[Edit]


def element_forms(source: Source, file: str, found: Generator) -> list[Form]:
    """The least supposing first."""
    values = [one.value for one in nodes_on(source, found.line) if isinstance(one, ast.Yield | ast.Return)]
    value = values[0] if len(values) == 1 else None
    if value is None:
        return []
    scope = function_at(source.tree, found.line)
    parts = list(value.elts) if isinstance(value, ast.Tuple | ast.List) else [value]
    numpy = library_name(source, file, "numpy.array")
    choices: list[list[tuple[str, str] | None]] = [
        [*_part_forms(source, part, scope, numpy.text)] or [None] for part in parts
    ]
    forms: list[Form] = []
    for chosen in itertools.islice(itertools.product(*choices), _MOST):
        changed = [(part, one) for part, one in zip(parts, chosen, strict=True) if one is not None]
        if not changed:
            break
        edits = [over(source, file, part, text) for part, (text, _) in changed]
        needed = numpy.needed if any(numpy.text in text for _, (text, _) in changed) else []
        given = " and ".join(f"`{written_in(source, part)}`" for part, _ in changed)
        right = " and ".join(f"`{text}`" for _, (text, _) in changed)
        forms.append(Form(given, right, changed[0][1][1], [*needed, *edits]))
    return forms


def _part_forms(source: Source, part: ast.expr, scope: ast.AST | None, array: str) -> list[tuple[str, str]]:
    """What may stand for one part, with what that means; nothing for a part that is no list."""
    text = written_in(source, part)
    if isinstance(part, ast.List):
        inside = ", ".join(written_in(source, one) for one in part.elts)
        return [(f"({inside})", "several inputs are a tuple")] if len(part.elts) > 1 else []
    rows = (f"{array}({text})", "rows are one array")
    inputs = (f"tuple({text})", "several inputs are a tuple")
    samples = (f"tuple({array}(one) for one in zip(*{text}))", "each input is one array over all samples")
    if isinstance(part, ast.ListComp):
        return [samples, rows] if isinstance(part.elt, ast.Tuple | ast.List) else [rows, inputs]
    if not isinstance(part, ast.Name) or scope is None:
        return []
    assigned = [
        one.value
        for one in within(scope)
        if isinstance(one, ast.Assign) and any(written(target) == part.id for target in one.targets)
    ]
    if not assigned or not isinstance(assigned[-1], ast.List | ast.ListComp):
        return []
    last = assigned[-1]
    if isinstance(last, ast.ListComp):
        return [samples, rows] if isinstance(last.elt, ast.Tuple | ast.List) else [rows, inputs]
    appended = [
        call.args[0]
        for call in within(scope)
        if isinstance(call, ast.Call) and written(call.func) == f"{part.id}.append" and call.args
    ]
    if last.elts:
        return [inputs, rows]
    if any(isinstance(one, ast.Tuple | ast.List) for one in appended):
        return [samples, rows]
    return [rows, inputs] if appended else []
