"""A generator or a class of batches that gives single samples: each part of a sample with an axis for the batch. Pure.

Invariant: all parts of a sample are changed together, and at all places of the function that give one; a part more or
less would only move the failure.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.text import Source
from whydied.source.trees import function_at, walk, within, written

_PLAIN = ast.Name | ast.Attribute | ast.Subscript | ast.Call


def batch_of_one(
    source: Source, file: str, line: int, seen: Mapping[str, Sequence[int | None]]
) -> tuple[str, list[Edit]] | None:
    """What the statement at a line gives then, and the edits. `seen` are the shapes of parts that were looked at."""
    function = function_at(source.tree, line)
    if function is None:
        return None
    kind: type[ast.Yield] | type[ast.Return] = ast.Yield if _given(function, ast.Yield) else ast.Return
    given = _given(function, kind)
    values = [(one, _written_out(one.value, function)) for one in given if one.value is not None]
    parts = [part for _, value in values for part in _parts(value)]
    at = [value for one, value in values if one.lineno <= line <= (one.end_lineno or one.lineno)]
    if not parts or len(at) != 1 or not isinstance(at[0], ast.Tuple):
        return None
    array = library_name(source, file, "numpy.array")
    texts = {part: _batched(source, part, seen.get(written(part)), array.text) for part in dict.fromkeys(parts)}
    edits = [over(source, file, part, text) for part, text in texts.items()]
    needed = array.needed if any(text.startswith(f"{array.text}(") for text in texts.values()) else []
    return ", ".join(_text(source, one, texts) for one in at[0].elts), [*needed, *dict.fromkeys(edits)]


def giving_lines(source: Source, name: str) -> list[int]:
    """The first place at which the function of that name yields, or the class of that name returns a batch."""
    for node in walk(source.tree, ast.FunctionDef):
        if node.name == name and (yields := _given(node, ast.Yield)):
            return [yields[0].lineno]
    for kind in walk(source.tree, ast.ClassDef):
        methods = [one for one in kind.body if isinstance(one, ast.FunctionDef) and one.name == "__getitem__"]
        for method in methods if kind.name == name else ():
            return [one.lineno for one in _given(method, ast.Return)[:1]]
    return []


def _given(function: ast.AST, kind: type[ast.Yield] | type[ast.Return]) -> list[ast.Yield | ast.Return]:
    found = [one for one in within(function) if isinstance(one, kind) and one.value is not None]
    return sorted(found, key=lambda one: one.lineno)


def _written_out(value: ast.expr, function: ast.AST) -> ast.expr:
    """Of a name the tuple that it was given in the function, where that is the only one."""
    if not isinstance(value, ast.Name):
        return value
    made = [
        one.value
        for one in within(function)
        if isinstance(one, ast.Assign) and any(written(target) == value.id for target in one.targets)
    ]
    return made[0] if len(made) == 1 and isinstance(made[0], ast.Tuple) else value


def _text(source: Source, value: ast.expr, texts: Mapping[ast.expr, str]) -> str:
    """A value with its parts written anew."""
    if value in texts:
        return texts[value]
    if isinstance(value, ast.Tuple | ast.List):
        inside = ", ".join(_text(source, one, texts) for one in value.elts)
        return f"[{inside}]" if isinstance(value, ast.List) else f"({inside})"
    if isinstance(value, ast.Dict):
        pairs = [
            f"{written_in(source, key)}: {_text(source, one, texts)}" if key is not None else "…"
            for key, one in zip(value.keys, value.values, strict=True)
        ]
        return f"{{{', '.join(pairs)}}}"
    return written_in(source, value)


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    inside: list[ast.expr] | None = None
    if isinstance(value, ast.Tuple | ast.List):
        inside = value.elts
    elif isinstance(value, ast.Dict):
        inside = value.values
    if inside is None:
        if not (isinstance(value, ast.Constant) and value.value is None):
            yield value
        return
    for one in inside:
        yield from _parts(one)


def _batched(source: Source, part: ast.expr, shape: Sequence[int | None] | None, array: str) -> str:
    """An array with an axis more; of a number, a list or what nobody looked at an array of it."""
    text = written_in(source, part)
    return f"{text}[None]" if shape and isinstance(part, _PLAIN) else f"{array}([{text}])"
