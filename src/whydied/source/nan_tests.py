"""Whether code expects NaN: it tests for it, or computes around it. Pure."""

from __future__ import annotations

import ast

from whydied.source.trees import last_name, scope_at, within

NAN_TESTS = frozenset(
    ("isnan", "is_nan", "isfinite", "is_finite", "isinf", "is_inf", "isna", "notna", "isnull", "notnull")
)
_AWARE = frozenset(
    {
        *NAN_TESTS,
        *("nan_to_num", "nanmean", "nansum", "nanmax", "nanmin", "nanstd", "nanmedian", "equal_nan"),
        *("check_numerics", "assert_finite"),
    }
)


def tests_for_nan(tree: ast.Module, line: int) -> bool:
    """Whether the function around a line, or the module where there is none, names such a test."""
    return any(
        last_name(node) in _AWARE or (isinstance(node, ast.keyword) and node.arg in _AWARE)
        for node in within(scope_at(tree, line))
    )
