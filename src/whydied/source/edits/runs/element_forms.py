"""The forms that an element of a generator, or a batch of a `Sequence`, may need to have for Keras. Pure.

Keras takes a tuple for several inputs, and for each input one array with the rows along its first axis. A list that is
written out is a list of inputs; one that was filled by `append` is one of rows, or of samples that have several parts.
What the source does not tell is decided by a trial: the forms come in the order of what they suppose.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.library_names import Named, library_name
from whydied.source.generators import Generator
from whydied.source.text import Source
from whydied.source.trees import function_at, nodes_on, within, written

_MOST = 4
_ROWS = "rows are one array"
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Form(NamedTuple):
    """What stands there now, what should, what that means, and the edits."""

    given: str
    right: str
    meaning: str
    edits: list[Edit]


def element_forms(source: Source, file: str, found: Generator, seen: Mapping[str, str] = _NOTHING) -> list[Form]:
    """The least supposing first. `seen` are the types of parts that were looked at, as the source writes them."""
    value = _given_value(source, found.line)
    if value is None:
        return []
    scope = function_at(source.tree, found.line)
    parts = [part for one in value.elts for part in _parts(one)] if isinstance(value, ast.List) else _parts(value)
    numpy = library_name(source, file, "numpy.array")
    choices: list[list[tuple[str, str] | None]] = [
        [*_part_forms(source, part, scope, numpy.text, seen)] or [None] for part in parts
    ]
    forms: list[Form] = []
    for chosen in itertools.islice(itertools.product(*choices), _MOST):
        changed = [(part, one) for part, one in zip(parts, chosen, strict=True) if one is not None]
        if not changed:
            break
        forms.append(_form(source, file, changed, numpy))
    return forms


def arrays_of(source: Source, file: str, found: Generator) -> list[Form]:
    """Each part whose type the source does not tell as an array: one of them alone, then all."""
    value = _given_value(source, found.line)
    numpy = library_name(source, file, "numpy.array")
    parts = _parts(value) if value is not None else []
    plain = [one for one in parts if isinstance(one, ast.Name | ast.Attribute | ast.Subscript)][:_MOST]
    made = [(one, (f"{numpy.text}({written_in(source, one)})", _ROWS)) for one in plain]
    several = [made] if len(made) > 1 else []
    return [_form(source, file, one, numpy) for one in [*([one] for one in made), *several]]


def _given_value(source: Source, line: int) -> ast.expr | None:
    values = [one.value for one in nodes_on(source, line) if isinstance(one, ast.Yield | ast.Return)]
    return values[0] if len(values) == 1 else None


def _parts(value: ast.expr) -> list[ast.expr]:
    """The arrays of an element: the items of its tuples, and of the mappings among them."""
    if isinstance(value, ast.Tuple | ast.Dict):
        inside = value.elts if isinstance(value, ast.Tuple) else value.values
        return [part for one in inside for part in _parts(one)]
    return [value]


def _form(source: Source, file: str, changed: Sequence[tuple[ast.expr, tuple[str, str]]], numpy: Named) -> Form:
    edits = [over(source, file, part, text) for part, (text, _) in changed]
    needed = numpy.needed if any(numpy.text in text for _, (text, _) in changed) else []
    given = " and ".join(f"`{written_in(source, part)}`" for part, _ in changed)
    right = " and ".join(f"`{text}`" for _, (text, _) in changed)
    return Form(given, right, changed[0][1][1], [*needed, *edits])


def _part_forms(
    source: Source, part: ast.expr, scope: ast.AST | None, array: str, seen: Mapping[str, str]
) -> list[tuple[str, str]]:
    """What may stand for one part, with what that means; nothing for a part that is no list."""
    text = written_in(source, part)
    if isinstance(part, ast.List):
        own = [_part_forms(source, one, scope, array, seen) for one in part.elts]
        inside = ", ".join(
            forms[0][0] if forms else written_in(source, one) for one, forms in zip(part.elts, own, strict=True)
        )
        return [(f"({inside})", "several inputs are a tuple")] if len(part.elts) > 1 else []
    rows = (f"{array}({text})", _ROWS)
    inputs = (f"tuple({text})", "several inputs are a tuple")
    samples = (f"tuple({array}(one) for one in zip(*{text}))", "each input is one array over all samples")
    if isinstance(part, ast.ListComp):
        return [samples, rows] if isinstance(part.elt, ast.Tuple | ast.List) else [rows, inputs]
    if seen.get(written(part), "list") != "list":
        return []
    if isinstance(part, ast.Name) and scope is not None:
        last = _last_given(scope, part)
        appended = [
            call.args[0]
            for call in within(scope)
            if isinstance(call, ast.Call) and written(call.func) == f"{part.id}.append" and call.args
        ]
        of_parts = [*appended, *([last.elt] if isinstance(last, ast.ListComp) else [])]
        if any(isinstance(one, ast.Tuple | ast.List) for one in of_parts):
            return [samples, rows]
        if isinstance(last, ast.List) and last.elts:
            return [inputs, rows]
        if isinstance(last, ast.ListComp) or (isinstance(last, ast.List) and appended):
            return [rows, inputs]
    return [rows, inputs] if written(part) in seen or _is_list(part) else []


def _is_list(node: ast.expr) -> bool:
    """A call that gives a list."""
    return isinstance(node, ast.Call) and (
        (isinstance(node.func, ast.Name) and node.func.id in ("list", "sorted")) or callee(node) == "tolist"
    )


def _last_given(scope: ast.AST, name: ast.Name) -> ast.expr | None:
    """What a name was given last above the line that uses it, also as one of several names."""
    given: list[tuple[int, ast.expr]] = []
    for one in within(scope):
        if not isinstance(one, ast.Assign) or one.lineno > name.lineno:
            continue
        for target in one.targets:
            pairs = [(target, one.value)]
            if isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple):
                pairs = list(zip(target.elts, one.value.elts, strict=False))
            given += [(one.lineno, value) for left, value in pairs if written(left) == name.id]
    return max(given, key=lambda one: one[0])[1] if given else None
