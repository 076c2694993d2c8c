"""Weights that are kept in half precision themselves, because the program set Keras' default type. Pure.

Mixed precision keeps the weights in float32 and computes in float16. With `set_floatx("float16")` the optimizer
computes in float16 too: squares of ordinary gradients underflow to 0, and an epsilon of 1e-7 is next to nothing.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.numerics.bad_steps import Step
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, line_after, written_in
from whydied.source.trees import across, located

EPSILON = "1e-4"
_HALF = "float16"


class HalfWeights(NamedTuple):
    location: Location
    changes: list[Change]


def half_weights(case: Case, step: Step) -> HalfWeights | None:
    """The line that made float16 the default type, where an update had been made and no line sets another epsilon."""
    capture = step.taken.capture
    kept = [value.dtype for value in capture.state if value.role == "weight"] if capture is not None else []
    if not step.captured.step or not kept or any(dtype != _HALF for dtype in kept):
        return None
    calls = list(across(case.sources, ast.Call))
    setting = [
        (file, call)
        for file, call in calls
        if callee(call) == "set_floatx" and any(isinstance(a, ast.Constant) and a.value == _HALF for a in call.args)
    ]
    if len(setting) != 1 or any(callee(call) == "set_epsilon" for _, call in calls):
        return None
    file, call = setting[0]
    source = case.sources[file]
    name = written_in(source, call.func).removesuffix("set_floatx")
    edit = line_after(source, file, call.lineno, f"{name}set_epsilon({EPSILON})")
    title = "Give Keras an epsilon that float16 can tell from 0"
    changes = [Change(title=title, kind="dtype", edits=[edit])] if isinstance(call.func, ast.Attribute) else []
    return HalfWeights(located(case.sources, file, call.lineno), changes)
