"""FRM022: outputs that come from other inputs than those of the model."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.framework.disconnected_model import check
from whydied.records import Frame, OutputsTraced, Record
from whydied.source.text import Source

CALL = "keras.Model(inputs=model.inputs, outputs=base.output)"


def _case(*facts: Record) -> Case:
    message = "Output with path `` is not connected to `inputs`"
    case = case_of(exit_code=1, process=[*facts, raised("ValueError", message, number=1)])
    case.recording.sources[FILE] = Source(f"maps = {CALL}\n")
    return case


def _traced(names: list[str]) -> OutputsTraced:
    frame = Frame(file=FILE, line=1, function="<module>", user=True)
    return OutputsTraced(link=0, roots=["keras_tensor"], names=names, given="model.inputs", call=CALL, frame=frame)


def test_the_inputs_that_the_outputs_come_from_are_passed() -> None:
    case = _case(_traced(["base.inputs"]))
    found = check(case)
    assert found is not None
    assert "`keras_tensor`, which `model.inputs` does not have" in found.message
    assert patches_of(case, found) == [
        [f"-maps = {CALL}", "+maps = keras.Model(inputs=base.inputs, outputs=base.output)"]
    ]


def test_without_names_nothing_is_advised_and_without_a_trace_nothing_said() -> None:
    found = check(_case(_traced([])))
    assert found is not None
    assert found.advice == []
    assert check(_case()) is None
