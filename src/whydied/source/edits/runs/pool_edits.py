"""Edits of pools of processes: what each worker would load is loaded once, before they are forked. Pure."""

from __future__ import annotations

import ast

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, line_before, over, written_in
from whydied.source.edits.statement_edits import statement_at
from whydied.source.text import Source
from whydied.source.trees import nodes_on, walk

POOLS = {"ProcessPoolExecutor": "max_workers", "Pool": "processes"}
_BEGINNING = ("initializer", "initargs")


def loaded_before_fork(source: Source, file: str, line: int) -> list[Edit]:
    """The initializer of the only pool of a statement called once above it, where it sets globals: forked processes
    share what is only read. Nothing where the pool is told how its processes start."""
    pools = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) in POOLS]
    node = statement_at(source, line)
    if len(pools) != 1 or node is None:
        return []
    pool, given = pools[0], passed_argument(pools[0], "initializer")
    made = [one for one in walk(source.tree, ast.FunctionDef) if isinstance(given, ast.Name) and one.name == given.id]
    if len(made) != 1 or not walk(made[0], ast.Global) or passed_argument(pool, "mp_context") is not None:
        return []
    handed = passed_argument(pool, "initargs")
    if handed is not None and not isinstance(handed, ast.Tuple):
        return []
    arguments = ", ".join(written_in(source, one) for one in handed.elts) if isinstance(handed, ast.Tuple) else ""
    rest: list[ast.expr | ast.keyword] = [*pool.args, *(word for word in pool.keywords if word.arg not in _BEGINNING)]
    text = f"{written_in(source, pool.func)}({', '.join(written_in(source, one) for one in rest)})"
    return [
        line_before(source, file, node.lineno, f"{made[0].name}({arguments})"),
        over(source, file, pool, text),
    ]
