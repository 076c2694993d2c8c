"""Processes that are spawned instead of forked. Pure.

Only in a program that spawned processes can import: what starts them stands below `if __name__ == "__main__"`, or in a
function that is called only from there, and what they run is a function of the module.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over
from whydied.source.edits.import_edits import imported
from whydied.source.text import Source
from whydied.source.trees import function_at, scope_at, walk, within, written

_MAKERS = frozenset({"Process", "Pool"})
_EXECUTOR = "ProcessPoolExecutor"


class Spawned(NamedTuple):
    edits: list[Edit]
    line: int


def spawned(source: Source, file: str, line: int) -> Spawned | None:
    """The only maker of processes in the function that holds a line, else in the file."""
    calls = [call for call in walk(source.tree, ast.Call) if callee(call) in _MAKERS | {_EXECUTOR}]
    scope = scope_at(source.tree, line)
    own = [call for call in calls if scope_at(source.tree, call.lineno) is scope]
    chosen = own if len(own) == 1 else calls
    if len(chosen) != 1 or not _is_guarded(source, chosen[0].lineno) or not _is_importable(source, chosen[0]):
        return None
    edits = _edits(source, file, chosen[0])
    return Spawned(edits, chosen[0].lineno) if edits else None


def _edits(source: Source, file: str, call: ast.Call) -> list[Edit]:
    module = _module(source)
    if callee(call) == _EXECUTOR:
        if passed_argument(call, "mp_context") is not None or any(one.arg is None for one in call.keywords):
            return []
        needed = imported(source, file, "multiprocessing") if module is None else []
        context = f'{module or "multiprocessing"}.get_context("spawn")'
        rest = ", ".join(written(one) for one in (*call.args, *call.keywords))
        text = f"{written(call.func)}({f'{rest}, ' if rest else ''}mp_context={context})"
        return [*needed, over(source, file, call, text)]
    if isinstance(call.func, ast.Attribute) and written(call.func.value) == module:
        return [over(source, file, call.func, f'{module}.get_context("spawn").{callee(call)}')]
    named = [
        node
        for node in walk(source.tree, ast.ImportFrom)
        if node.module == "multiprocessing" and callee(call) in {alias.asname or alias.name for alias in node.names}
    ]
    if not isinstance(call.func, ast.Name) or not named:
        return []
    needed = imported(source, file, "multiprocessing") if module is None else []
    text = f'{module or "multiprocessing"}.get_context("spawn").{callee(call)}'
    return [*needed, over(source, file, call.func, text)]


def _module(source: Source) -> str | None:
    """The name of `multiprocessing` in a file."""
    for node in walk(source.tree, ast.Import):
        for alias in node.names:
            if alias.name == "multiprocessing":
                return alias.asname or alias.name
    return None


def _is_guarded(source: Source, line: int) -> bool:
    """Whether an import of the file does not come to a line: all ways to it begin below the guard."""
    function = function_at(source.tree, line)
    if function is not None:
        names = {function.name}
        callers = [one for one in walk(source.tree, ast.Call) if callee(one) in names]
        top = [one for one in callers if function_at(source.tree, one.lineno) is None]
        return all(_below_guard(source, one.lineno) for one in top)
    return _below_guard(source, line)


def _below_guard(source: Source, line: int) -> bool:
    guards = [one for one in within(source.tree) if isinstance(one, ast.If) and "__name__" in written(one.test)]
    return any(one.lineno <= line <= (one.end_lineno or one.lineno) for one in guards)


def _is_importable(source: Source, call: ast.Call) -> bool:
    """Whether what a process runs can be found by its name in the module."""
    target = passed_argument(call, "target")
    if target is None:
        return callee(call) != "Process"
    own = {one.name for one in source.tree.body if isinstance(one, ast.FunctionDef)}
    return isinstance(target, ast.Name) and target.id in own
