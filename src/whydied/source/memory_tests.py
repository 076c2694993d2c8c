"""Whether a line raises or leaves because the program looked at its own memory. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from whydied.source.text import Source
from whydied.source.trees import across, around, last_name, scope_at, tree_of, within

_READINGS = frozenset(
    {
        *("ru_maxrss", "getrusage", "memory_info", "memory_full_info", "memory_percent", "virtual_memory"),
        *("get_traced_memory", "get_memory_info", "get_memory_usage", "mem_get_info"),
    }
)
"""What tells a program how much memory it, or the machine, has in use."""
_FILES = ("/proc/self/statm", "/proc/self/status", "/proc/meminfo")


def is_over_memory(sources: Mapping[str, Source], file: str, line: int) -> bool:
    """Whether a condition around a line, or the one that the line asserts, depends on such a reading, also through
    variables of the same function and functions of the program."""
    tree = tree_of(sources, file)
    around_it = around(tree, line, ast.stmt)
    tests = [node.test for node in around_it if isinstance(node, ast.If | ast.While | ast.Assert)]
    scope = scope_at(tree, line)
    return any(_reads_memory(part) for test in tests for part in _behind(sources, scope, test))


def _behind(sources: Mapping[str, Source], scope: ast.AST, test: ast.AST) -> Iterator[ast.AST]:
    """The test, what its variables were assigned in the same function, and the program's functions that these call."""
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    made = [
        node.value
        for node in within(scope)
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id in names for to in node.targets)
    ]
    called = {last_name(node.func) for part in (test, *made) for node in ast.walk(part) if isinstance(node, ast.Call)}
    yield from (test, *made)
    yield from (function for _, function in across(sources, ast.FunctionDef) if function.name in called)


def _reads_memory(part: ast.AST) -> bool:
    return any(
        last_name(node) in _READINGS or (isinstance(node, ast.Constant) and node.value in _FILES)
        for node in ast.walk(part)
    )
