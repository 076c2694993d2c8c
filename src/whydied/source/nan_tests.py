"""Whether code expects NaN: it tests for it, or computes around it. A test that only ends the program expects none.
Pure."""

from __future__ import annotations

import ast

from whydied.source.trees import last_name, scope_at, walk, within

NAN_TESTS = frozenset(
    ("isnan", "is_nan", "isfinite", "is_finite", "isinf", "is_inf", "isna", "notna", "isnull", "notnull")
)
_AWARE = frozenset(
    {
        *NAN_TESTS,
        *("nan_to_num", "nanmean", "nansum", "nanmax", "nanmin", "nanstd", "nanmedian", "equal_nan"),
    }
)
_RAISING = frozenset({"check_numerics", "assert_finite", "assert_all_finite"})
_EXITS = frozenset({"exit", "_exit", "abort", "quit", "fail"})


def tests_for_nan(tree: ast.Module, line: int) -> bool:
    """Whether the function around a line, or the module where there is none, tests for NaN and can go on with it."""
    scope = scope_at(tree, line)
    ending = {id(node) for node in _ending(scope)}
    return any(id(node) not in ending for node in _aware(scope))


def ends_on_nan(tree: ast.Module, line: int) -> bool:
    """Whether it tests for NaN in order to raise or to exit."""
    scope = scope_at(tree, line)
    raising = any(last_name(node) in _RAISING for node in within(scope))
    return raising or bool({id(node) for node in _ending(scope)} & {id(node) for node in _aware(scope)})


def _aware(scope: ast.AST) -> list[ast.AST]:
    return [
        node
        for node in within(scope)
        if last_name(node) in _AWARE or (isinstance(node, ast.keyword) and node.arg in _AWARE)
    ]


def _ending(scope: ast.AST) -> list[ast.AST]:
    """What is part of a condition that ends the program, and of what the names in such a condition are assigned."""
    tests = [node.test for node in within(scope) if isinstance(node, ast.Assert)]
    tests += [
        node.test
        for node in within(scope)
        if isinstance(node, ast.If) and (_ends(node.body) or (_ends(node.orelse) and node.orelse))
    ]
    names = {name.id for test in tests for name in walk(test, ast.Name)}
    assigned = [
        node.value
        for node in within(scope)
        if isinstance(node, ast.Assign) and any(last_name(target) in names for target in node.targets)
    ]
    return [part for one in [*tests, *assigned] for part in ast.walk(one)]


def _ends(body: list[ast.stmt]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return last_name(last.value.func) in _EXITS
    return isinstance(last, ast.Raise)
