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
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Change, line_after, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.trees import across, located

EPSILON = "1e-4"
_HALF = "float16"
_THREE = 3


_OPTIMIZERS = frozenset({"Adam", "AdamW", "Nadam", "RMSprop", "Adagrad", "Adamax", "Adadelta", "Lion", "Ftrl"})
_BY_NAME = {name.lower(): name for name in _OPTIMIZERS}


class HalfWeights(NamedTuple):
    """`location` is the optimizer's call, else the line that made float16 the default type; `set_in_vain` is the line
    of a `set_epsilon`, which the optimizers of Keras 3 do not read."""

    location: Location
    made_at: Location
    set_in_vain: Location | None
    changes: list[Change]


def of_keras_3(case: Case) -> bool:
    version = case.recording.versions.get("keras", "").partition(".")[0]
    return version.isdigit() and int(version) >= _THREE


def half_weights(case: Case, step: Step) -> HalfWeights | None:
    """What keeps the weights in float16, where an update had been made and the optimizer has the usual epsilon."""
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
    if len(setting) != 1:
        return None
    file, call = setting[0]
    made_at = located(case.sources, file, call.lineno)
    epsilons = [(where, one) for where, one in calls if callee(one) == "set_epsilon"]
    if not of_keras_3(case):
        # There the optimizers take Keras' own epsilon.
        return HalfWeights(made_at, made_at, None, _for_all(case, file, call)) if not epsilons else None
    optimizers = [(where, one) for where, one in calls if callee(one) in _OPTIMIZERS]
    if any(passed_argument(one, "epsilon") is not None for _, one in optimizers):
        return None
    vain = located(case.sources, epsilons[0][0], epsilons[0][1].lineno) if epsilons else None
    if len(optimizers) != 1:
        changes = _by_name(case) if not optimizers else []
        return HalfWeights(made_at, made_at, vain, changes)
    where, made = optimizers[0]
    edit = add_argument(case.sources[where], where, made, f"epsilon={EPSILON}")
    title = f"Give the optimizer an epsilon that float16 can tell from 0 (`epsilon={EPSILON}`)"
    changes = [Change(title=title, kind="epsilon", edits=[edit], value=float(EPSILON))]
    return HalfWeights(located(case.sources, where, made.lineno), made_at, vain, changes)


def _for_all(case: Case, file: str, call: ast.Call) -> list[Change]:
    source = case.sources[file]
    name = written_in(source, call.func).removesuffix("set_floatx")
    edit = line_after(source, file, call.lineno, f"{name}set_epsilon({EPSILON})")
    title = "Give Keras an epsilon that float16 can tell from 0"
    return [Change(title=title, kind="dtype", edits=[edit])] if isinstance(call.func, ast.Attribute) else []


def _by_name(case: Case) -> list[Change]:
    """The optimizer that the only `compile` names by a text."""
    compiled = [(file, one) for file, one in across(case.sources, ast.Call) if callee(one) == "compile"]
    if len(compiled) != 1:
        return []
    file, call = compiled[0]
    given = passed_argument(call, "optimizer") or passed_argument(call, "0")
    name = _BY_NAME.get(given.value.lower()) if isinstance(given, ast.Constant) and type(given.value) is str else None
    keras = name_of(case.sources[file], "keras")
    if given is None or name is None or keras is None:
        return []
    edit = over(case.sources[file], file, given, f"{keras}.optimizers.{name}(epsilon={EPSILON})")
    title = f"Give the optimizer an epsilon that float16 can tell from 0 (`epsilon={EPSILON}`)"
    return [Change(title=title, kind="epsilon", edits=[edit], value=float(EPSILON))]
