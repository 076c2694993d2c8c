"""Whether a program expects the NaN that it reads: it tests for it, or computes around it. Pure.

Such a program is healthy. What tells is the code that was running when the value was read: the functions on its stack
name `isnan`, `nan_to_num`, `nanmean` or NaN itself. Steps that change variables are never expected to be NaN.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.records import StepCaptured
from whydied.source.text import Source
from whydied.source.trees import last_name, scope_at, within

_AWARE = frozenset(
    {
        *("isnan", "is_nan", "isfinite", "is_finite", "isinf", "is_inf", "isna", "notna", "isnull", "notnull"),
        *("nan_to_num", "nanmean", "nansum", "nanmax", "nanmin", "nanstd", "nanmedian", "nan", "NaN", "equal_nan"),
        *("check_numerics", "assert_finite"),
    }
)


def is_expected(sources: Mapping[str, Source], captured: StepCaptured) -> bool:
    if captured.kind == "session" or not captured.suspects or any(one.role != "result" for one in captured.suspects):
        return False
    return any(
        _is_aware(scope_at(source.tree, frame.line))
        for frame in captured.frames
        if frame.user and (source := sources.get(frame.file)) is not None
    )


def _is_aware(scope: ast.AST) -> bool:
    return any(
        last_name(node) in _AWARE
        or (isinstance(node, ast.keyword) and node.arg in _AWARE)
        or (isinstance(node, ast.Constant) and str(node.value).lower() == "nan")
        for node in within(scope)
    )
