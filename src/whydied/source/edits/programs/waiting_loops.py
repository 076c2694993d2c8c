"""A loop that waits for ever for an item of a queue, and then never looks at the condition that would end it. Pure."""

from __future__ import annotations

import ast

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, statement, written_in
from whydied.source.edits.import_edits import imported
from whydied.source.edits.statement_edits import stands_alone, statement_at
from whydied.source.text import Source
from whydied.source.trees import around, walk

WAIT = "1.0"
"""Seconds after which the loop looks at its condition again."""


def asked_again(source: Source, file: str, line: int) -> list[Edit]:
    """`item = waiting.get()` of a `while` loop that has a condition, with a time limit after which the loop goes on."""
    node = statement_at(source, line)
    loops = [one for one in around(source.tree, line, ast.While) if node in one.body]
    calls = [one for one in walk(node, ast.Call) if callee(one) == "get"] if node is not None else []
    if node is None or not loops or isinstance(loops[-1].test, ast.Constant) or not stands_alone(source, node):
        return []
    if len(calls) != 1 or calls[0].args or calls[0].keywords or node.end_lineno != node.lineno:
        return []
    call = written_in(source, calls[0])
    timed = written_in(source, node).replace(call, f"{call[:-1]}timeout={WAIT})", 1)
    text = f"try:\n    {timed}\nexcept queue.Empty:\n    continue"
    return [*imported(source, file, "queue"), statement(source, file, line, text)]
