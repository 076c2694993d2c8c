"""A layer that was given its inputs in its constructor."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.framework import layer_misuse
from whydied.records import Frame, HeldInput
from whydied.source.text import Source


def died(code: str, held: HeldInput) -> Case:
    found = case_of(process=[held, raised("TypeError", "unsupported operand type(s) for %")], exit_code=1)
    found.recording.sources[FILE] = Source(f"{code}\n\n\n\nmodel.fit(x)\n")
    return found


def of(kind: str, *, parameter: str = "axis", default: str | None = "-1", says: str = "", count: int = 2) -> HeldInput:
    made = Frame(file=FILE, line=1, function="<module>", user=True)
    types = ["keras.src.models.sequential.Sequential" if kind == "model" else "keras.KerasTensor"] * count
    return HeldInput(
        type="Concatenate", parameter=parameter, default=default, says=says, held=types, kind=kind, made=made
    )


def test_tensors_as_a_number_are_what_the_layer_is_called_on() -> None:
    case = died("merged = layers.Concatenate([a, b], name='both')", of("tensor"))
    finding = layer_misuse.check(case)
    assert finding is not None
    assert finding.location is not None
    assert finding.location.line == 1
    assert (
        "`Concatenate` was given `[a, b]` as its `axis`, which takes a number: 2 tensors are the input"
        in finding.message
    )
    assert "+merged = layers.Concatenate(name='both')([a, b])" in patches_of(case, finding)[0]


def test_models_are_joined_by_the_functional_api() -> None:
    finding = layer_misuse.check(died("merged = Concatenate([first, second])", of("model")))
    assert finding is not None
    assert "`x = Concatenate()([first.outputs[0], second.outputs[0]])`" in finding.advice[0]
    assert "keras.Model([first.inputs[0], second.inputs[0]], x)" in finding.advice[0]


@pytest.mark.parametrize(
    ("default", "says"),
    [(None, ""), ("None", "A RNN cell instance or a list of RNN cell instances."), ("None", "Optional tensor.")],
)
def test_a_setting_that_may_take_inputs_is_none(default: str | None, says: str) -> None:
    held = of("tensor", default=default, says=says)
    assert layer_misuse.check(died("merged = Concatenate([a, b])", held)) is None


def test_a_line_without_that_call_is_not_told() -> None:
    assert layer_misuse.check(died("merged = build(a, b)", of("tensor"))) is None
