"""Edits of generators: elements that do not have the form of the others are not yielded. Pure.

Nothing is written for a `yield` that is not a statement, or whose element has no part that a test could name.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from whydied.source.arrays.array_shapes import written_rank
from whydied.source.edits.edit import Edit, line_before, over, written_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.edits.statement_edits import around_statements, statement_at
from whydied.source.text import Source
from whydied.source.trees import walk, written

_FREE = ("element", "yielded", "one_element")


def only_given(source: Source, file: str, line: int) -> list[Edit]:
    """Elements without a part that is None."""
    return _guarded(source, file, line, " and ".join(f"{part} is not None" for part in _parts(source, line)))


def only_numbers(source: Source, file: str, line: int) -> list[Edit]:
    """Elements without a part that is a text."""
    return _guarded(source, file, line, " and ".join(f"not isinstance({part}, str)" for part in _parts(source, line)))


def only_of_parts(source: Source, file: str, line: int, number: int) -> list[Edit]:
    """Elements that are tuples of so many parts; nothing for a tuple that is written out, which always has as many."""
    node = _element(source, line)
    used = {one.id for one in walk(source.tree, ast.Name)}
    name = next((one for one in _FREE if one not in used), None)
    if node is None or isinstance(node, ast.Tuple) or name is None or number < 1:
        return []
    guarded = _guarded(source, file, line, f"isinstance({name}, tuple) and len({name}) == {number}")
    if not guarded:
        return []
    above = line_before(source, file, line, f"{name} = {written_in(source, node)}")
    head = guarded[0]
    return [Edit(file, head.start, head.end, above.text + head.text), over(source, file, node, name), *guarded[1:]]


def only_of_shape(source: Source, file: str, line: int, shape: Sequence[int | None]) -> list[Edit]:
    """Elements whose part with so many axes has these sizes; a size that is None may be any. Nothing where the source
    does not tell which part that is."""
    ranks = {part: written_rank(source.tree, part) for part in _parts(source, line)}
    parts = [part for part, rank in ranks.items() if rank == len(shape)] or [
        part for part, rank in ranks.items() if rank is None
    ]
    sizes = list(itertools.dropwhile(lambda size: size is None, shape))
    if len(parts) != 1 or not sizes or None in sizes:
        return []
    numpy = library_name(source, file, "numpy.shape")
    cut = f"[{len(shape) - len(sizes)}:]" if len(sizes) < len(shape) else ""
    guarded = _guarded(source, file, line, f"{numpy.text}({parts[0]}){cut} == {tuple(sizes)}")
    return [*numpy.needed, *guarded] if guarded else []


def _guarded(source: Source, file: str, line: int, test: str) -> list[Edit]:
    node = statement_at(source, line)
    if not test or _element(source, line) is None or node is None:
        return []
    return around_statements(source, file, node, node, f"if {test}:")


def _element(source: Source, line: int) -> ast.expr | None:
    """What the statement at a line yields."""
    node = statement_at(source, line)
    value = node.value if isinstance(node, ast.Expr) else None
    return value.value if isinstance(value, ast.Yield) else None


def _parts(source: Source, line: int) -> list[str]:
    """The variables and attributes that an element consists of."""
    node = _element(source, line)
    return list(dict.fromkeys(_named(node))) if node is not None else []


def _named(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Name | ast.Attribute):
        yield written(node)
    elif isinstance(node, ast.Tuple | ast.List):
        for one in node.elts:
            yield from _named(one)
    elif isinstance(node, ast.Dict):
        for one in node.values:
            yield from _named(one)
