"""A program's main function in a thread with a larger stack than the main thread has. Pure."""

from __future__ import annotations

import ast

from whydied.source.edits.edit import Edit, statement
from whydied.source.edits.import_edits import imported
from whydied.source.edits.statement_edits import stands_alone
from whydied.source.text import Source
from whydied.source.trees import within, written

STACK_BYTES = 512 << 20
"""Of address space: only what is used takes memory."""


def in_deep_stack(source: Source, file: str) -> list[Edit]:
    """The last call at the level of the module that is a statement of its own and passes nothing, such as `main()`."""
    calls = [
        node
        for node in within(source.tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and not node.value.args
        and not node.value.keywords
    ]
    if not calls:
        return []
    last = max(calls, key=lambda node: node.lineno)
    function = written(last.value.func) if isinstance(last.value, ast.Call) else ""
    own = any(isinstance(node, ast.FunctionDef) and node.name == function for node in source.tree.body)
    if not own or not stands_alone(source, last):
        return []
    text = "\n".join(
        [
            f"threading.stack_size({STACK_BYTES >> 20} << 20)",
            f"deep = threading.Thread(target={function})",
            "deep.start()",
            "deep.join()",
        ]
    )
    return [*imported(source, file, "threading"), statement(source, file, last.lineno, text)]
