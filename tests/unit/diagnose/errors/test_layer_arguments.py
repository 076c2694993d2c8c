"""An argument of a layer's call that lacks an axis, found through the ops that the layer did with it."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.shapes.shape_mismatch import check
from whydied.records import ApiCalled, Argument, ErrorFacts, Frame, LayerFacts, Party, ValueSource
from whydied.source.text import Source

PROGRAM = "attention = MultiHeadAttention(2, 8)\ny = attention(x, x, attention_mask=mask)\n"
PLACE = Frame(file=FILE, line=2, function="<module>", user=True, end_line=2)
LAYER = LayerFacts(name="attention", type="MultiHeadAttention", made=Frame(file=FILE, line=1, function="", user=True))
REFUSED = "Dimensions must be equal, but are 24 and 20 for LogicalAnd with input shapes: [20,2,24,24], [1,1,20,24]."


def _case(mask: list[int | None], scores: list[int | None], second: str = "mask") -> Case:
    steps = [[*mask], [1, *mask], [1, 1, *mask]]
    ops = [ValueSource(kind="op", name="ExpandDims", takes=steps[at], gives=steps[at + 1]) for at in range(1, -1, -1)]
    parties = [Party(role="operand", shape=scores), Party(role="operand", shape=steps[2], sources=ops)]
    given = [
        Argument(parameter="query", text="x", position=0, shape=[20, 24, 16]),
        Argument(parameter="attention_mask", text="mask", shape=mask),
        *([Argument(parameter="other", text=second, shape=mask)] if second != "mask" else []),
    ]
    called = ApiCalled(
        link=0,
        callee="attention",
        function="keras.",
        call="attention(x, x, attention_mask=mask)",
        frame=PLACE,
        arguments=given,
    )
    facts = ErrorFacts(op="LogicalAnd", place=PLACE, layer=LAYER, parties=parties, call="")
    case = case_of(process=[called, facts, raised("ValueError", REFUSED, number=2)], exit_code=1)
    case.recording.sources[FILE] = Source(PROGRAM)
    return case


def test_the_axis_is_put_where_the_argument_is_given() -> None:
    case = _case([20, 24], [20, 2, 24, 24])
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert "`mask` (20, 24), given to MultiHeadAttention" in found.message
    assert patches_of(case, found) == [
        [
            "-y = attention(x, x, attention_mask=mask)",
            "+y = attention(x, x, attention_mask=mask[:, None, :])",
        ]
    ]


@pytest.mark.parametrize(
    ("mask", "scores", "second"),
    [([20, 24], [19, 2, 23, 23], "mask"), ([20, 24], [20, 2, 24, 24], "other")],
)
def test_where_no_axis_helps_or_two_could_be_meant_the_shapes_are_told(
    mask: list[int | None], scores: list[int | None], second: str
) -> None:
    found = check(_case(mask, scores, second))
    assert found is not None
    assert "given to" not in found.message


def test_a_mask_of_a_layer_that_a_model_calls_is_found_where_it_is_given() -> None:
    case = _case([20, 24], [20, 2, 24, 24])
    case.recording.sources[FILE] = Source(PROGRAM + "model.fit(data)\n")
    fit = ApiCalled(link=0, callee="model.fit", function="keras.fit", call="model.fit(data)", frame=PLACE)
    facts = case.principal.all(ErrorFacts) if case.principal is not None else []
    parties = [msgspec.structs.replace(one, dtype="bool") for one in facts[0].parties]
    again = msgspec.structs.replace(facts[0], parties=parties)
    later = case_of(process=[fit, again, raised("ValueError", REFUSED, number=3)], exit_code=1)
    later.recording.sources[FILE] = case.recording.sources[FILE]
    found = check(later)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (2, "likely")
    assert patches_of(later, found)[0][1] == "+y = attention(x, x, attention_mask=mask[:, None, :])"
