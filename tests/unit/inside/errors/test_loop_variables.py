"""What a round of a graph's loop gave back, behind the ops that TensorFlow puts there."""

from __future__ import annotations

from typing import Any

import pytest

from whydied.inside.errors.framework import loop_variables as looked
from whydied.inside.errors.stack_steps import steps_of
from whydied.inside.guest.ownership import Ownership
from whydied.records import ValueSource


class _Op:
    def __init__(self, kind: str, *inputs: Any) -> None:
        self.type, self.inputs = kind, inputs


class _Tensor:
    def __init__(self, op: _Op, *shape: int) -> None:
        self._op, self.shape, self.dtype = op, shape, "int32"

    @property
    def op(self) -> _Op:
        return self._op


_Tensor.__module__ = "tensorflow.python.framework.ops"


def _EnforceShapeInvariant(input_t: Any, next_var: Any) -> None:  # noqa: N802
    raise ValueError("enters the loop")


def _left(next_var: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    def made_by(value: Any) -> list[ValueSource]:
        return [ValueSource(kind="variable", name=value.op.type)]

    monkeypatch.setattr(looked, "made_by", made_by)
    try:
        _EnforceShapeInvariant(_Tensor(_Op("Fill"), 3), next_var)
    except ValueError as error:
        parties = looked.loop_variables(steps_of(error.__traceback__, None, Ownership("/nowhere")))
    return parties[1].sources[0].name


def test_the_op_of_the_loop_itself_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = _Tensor(_Op("Multinomial"), 3, 1)
    assert _left(_Tensor(_Op("NextIteration", drawn), 3, 1), monkeypatch) == "Multinomial"
    passed = _Tensor(_Op("Identity", _Tensor(_Op("Identity", drawn), 3, 1)), 3, 1)
    assert _left(passed, monkeypatch) == "Multinomial"
    assert _left(_Tensor(_Op("AddV2", drawn), 3, 1), monkeypatch) == "AddV2"


def test_a_value_that_got_its_shape_on_the_way_is_told_where_it_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = _Tensor(_Op("Multinomial"), 3, 2)
    assert _left(_Tensor(_Op("Identity", drawn), 3, 1), monkeypatch) == "Identity"
