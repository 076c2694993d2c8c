"""Edits of gradients that are added up by hand: divided where they are applied, and set to zero afterwards. Pure."""

from __future__ import annotations

import ast

from whydied.source.calls import method_calls
from whydied.source.edits.edit import Edit, line_after, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.text import Source
from whydied.source.training.accumulation import Accumulator
from whydied.source.trees import around, nodes_on, scope_at, walk


def reset_after(source: Source, file: str, found: Accumulator) -> list[Edit]:
    """An accumulator that is never reset, set to zero behind the line that applies it, and divided by the number of
    batches where the condition around that line names it. None where it is another kind than variables or a list."""
    tensorflow = name_of(source, "tensorflow")
    if tensorflow is None or not found.name.isidentifier() or found.is_reset:
        return []
    edits = [] if found.is_divided else _divided(source, file, found)
    if any(method_calls(nodes_on(source, found.added), ("assign_add",))):
        text = f"for total in {found.name}:\n{{indent}}    total.assign({tensorflow}.zeros_like(total))"
    elif _is_list(source, found) and scope_at(source.tree, found.added) is scope_at(source.tree, found.applied):
        text = f"{found.name} = [{tensorflow}.zeros_like(total) for total in {found.name}]"
    else:
        return []
    after = line_after(source, file, found.applied, text)
    indent = after.text[1 : len(after.text) - len(text)]
    return [*edits, Edit(file, after.start, after.end, after.text.replace("{indent}", indent))]


def _is_list(source: Source, found: Accumulator) -> bool:
    made = [node for node in nodes_on(source, found.added) if isinstance(node, ast.Assign)]
    return len(made) == 1 and isinstance(made[0].value, ast.ListComp)


def _divided(source: Source, file: str, found: Accumulator) -> list[Edit]:
    """`[total / every for total in totals]`, where the line that applies it stands in `if step % every == 0`."""
    tests = [node.test for node in around(source.tree, found.applied, ast.If)]
    numbers = [
        node.right
        for test in tests
        for node in walk(test, ast.BinOp)
        if isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Name | ast.Constant)
    ]
    names = [node for node in nodes_on(source, found.applied) if isinstance(node, ast.Name) and node.id == found.name]
    if len(numbers) != 1 or len(names) != 1:
        return []
    by = written_in(source, numbers[0])
    return [over(source, file, names[0], f"[total / {by} for total in {found.name}]")]
