"""A shuffle or a cache of elements that were decoded already, moved before what decodes them: it then holds names or
records. Pure. The elements come in the same order."""

from __future__ import annotations

import ast

from whydied.source.calls import callee
from whydied.source.edits.call_edits import calls_at
from whydied.source.edits.edit import Edit, end_of, text_between
from whydied.source.edits.statement_edits import left_out
from whydied.source.text import Source
from whydied.source.trees import walk, written


def before_maps(source: Source, file: str, line: int, method: str) -> list[Edit]:
    """The only `shuffle` or `cache` of a statement before the `map` that it follows, in the same expression or in the
    assignment above."""
    calls = calls_at(source, line, method)
    if len(calls) != 1 or not isinstance(calls[0].func, ast.Attribute):
        return []
    call, before = calls[0], calls[0].func.value
    stage = text_between(source, end_of(source, before), end_of(source, call))
    base = _below_maps(before)
    if base is not None:
        maps = text_between(source, end_of(source, base), end_of(source, before))
        return [Edit(file, end_of(source, base), end_of(source, call), f"{stage}{maps}")]
    node, above = _assigned(source, call)
    base = _below_maps(above.value) if above is not None else None
    dropped = left_out(source, file, node) if node is not None and base is not None else None
    if base is None or dropped is None:
        return []
    place = end_of(source, base)
    return [Edit(file, place, place, stage), dropped]


def _below_maps(node: ast.expr) -> ast.expr | None:
    """What the maps at the end of a chain are called on."""
    found = None
    while isinstance(node, ast.Call) and callee(node) == "map" and isinstance(node.func, ast.Attribute):
        node = found = node.func.value
    return found


def _assigned(source: Source, call: ast.Call) -> tuple[ast.Assign | None, ast.Assign | None]:
    """`data = data.shuffle(n)` and the last statement above it that assigns the same name, in the same block."""
    for parent in ast.walk(source.tree):
        found = getattr(parent, "body", None)
        block: list[ast.stmt] = found if isinstance(found, list) else []
        for at, node in enumerate(block):
            if not isinstance(node, ast.Assign) or node.value is not call or len(node.targets) != 1:
                continue
            name = written(node.targets[0])
            same = [one for one in walk(call.func, ast.Name) if one.id == name]
            above = block[at - 1] if at else None
            if same and isinstance(above, ast.Assign) and [written(one) for one in above.targets] == [name]:
                return node, above
    return None, None
