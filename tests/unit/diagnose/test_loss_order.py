"""A loss that takes the logarithm of the targets, by the replay and the source."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of
from whydied.diagnose.numerics.loss_order import OtherOrder, other_order
from whydied.records import FoundOp, Frame, OpInput
from whydied.source.text import Source

SOURCE = "def weighed(chance, gain):\n    return -log(chance) * gain\nmodel.compile('sgd', loss=weighed)\n"


def told(source: str = SOURCE, name: str = "y", op: str = "Log") -> OtherOrder | None:
    case = case_of(exit_code=0)
    for known in (case.recording.sources, case.recording.project):
        known[FILE] = Source(source)
    found = FoundOp(op=op, node="Log", phase="forward", inputs=[OpInput(origin="batch", name=name)])
    return other_order(case, case.locate(Frame(file=FILE, line=2, function="weighed", user=True)), found)


def test_the_parameters_are_to_be_swapped() -> None:
    found = told()
    assert found is not None
    assert found.location is not None
    assert found.location.line == 1
    assert found.advice == "Swap the parameters: `def weighed(gain, chance)`."
    assert [edit.text for edit in found.changes[0].edits] == ["gain", "chance"]


def test_a_logarithm_of_something_else_is_not_told() -> None:
    assert told(name="x") is None
    assert told(op="Sqrt") is None


def test_a_loss_that_compares_logarithms_means_both() -> None:
    assert told(SOURCE.replace("* gain", "+ log(gain)")) is None


def test_a_function_that_is_no_loss_is_not_told() -> None:
    assert told(SOURCE.replace("loss=weighed", "loss='mse'")) is None
