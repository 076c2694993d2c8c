"""Masks that a program makes of where its values are not finite. Pure.

A mask that multiplies leaves such values where they are: 0 * NaN is NaN. Only a choice (`where`) takes them out. Told
are masks that are assigned, of what a function is given, and not tests that end a program or a choice itself.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee, own_names, passed_argument
from whydied.source.edits.edit import Edit, line_after
from whydied.source.text import Source
from whydied.source.trees import across, function_at, last_name, walk, written

_FINITE = frozenset({"is_finite", "isfinite"})
_NAN = frozenset({"is_nan", "isnan", "is_non_finite"})
_CHOICES = frozenset({"where", "where_v2", "cond", "select", "nan_to_num", "boolean_mask"})


class NanMask(NamedTuple):
    """`masked` is the value that the mask is made of, `code` the statement that chooses, `edit` puts it below."""

    file: str
    line: int
    masked: str
    code: str
    edit: Edit


def nan_mask(sources: Mapping[str, Source]) -> NanMask | None:
    """The only mask of a program."""
    found = []
    for file, node in across(sources, ast.Assign):
        tests = [one for one in walk(node.value, ast.Call) if callee(one) in _FINITE | _NAN and len(one.args) == 1]
        chosen = any(callee(one) in _CHOICES for one in walk(node.value, ast.Call))
        function = function_at(sources[file].tree, node.lineno)
        if len(tests) != 1 or chosen or function is None or not isinstance(tests[0].args[0], ast.Name):
            continue
        name = tests[0].args[0].id
        library = written(tests[0].func).partition(".")[0]
        if name not in own_names(function) or library in ("math", written(tests[0].func)):
            continue
        order = f"{name}, 0.0" if callee(tests[0]) in _FINITE else f"0.0, {name}"
        where = f"{library}.ops.where" if library == "keras" else f"{library}.where"
        code = f"{name} = {where}({written(tests[0])}, {order})"
        found.append(NanMask(file, node.lineno, name, code, line_after(sources[file], file, node.lineno, code)))
    return found[0] if len(found) == 1 else None


def masked_nan(sources: Mapping[str, Source]) -> tuple[str, ast.Call] | None:
    """A `Masking` layer that is to mask NaN: nothing equals it, so nothing is masked."""
    for file, call in across(sources, ast.Call):
        value = passed_argument(call, "mask_value") or passed_argument(call, "0")
        if callee(call) == "Masking" and value is not None and last_name(value).lower() == "nan":
            return file, call
    return None
