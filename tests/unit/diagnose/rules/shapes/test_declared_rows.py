"""SHP002: an Input that declares the shape of a whole array."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.shapes.rank_mismatch import check
from whydied.records import ErrorFacts, Frame, InputWanted, LayerFacts, Party
from whydied.source.text import Source

PROGRAM = """\
def build(form):
    model = Sequential([Input(form), {layer}(4), Dense(1)])
    return model

model = build({shape})
model.fit(table, y)
model.evaluate(other, z)
"""


def _line(number: int) -> Frame:
    return Frame(file=FILE, line=number, function="<module>", user=True, end_line=number)


def _case(layer: str, shape: str, rows: int = 600) -> Case:
    entrance = LayerFacts(name="input", type="InputLayer", output_shape=[None, 600, 30], made=_line(2))
    settings = {"units": "4", "return_sequences": "False", "return_state": "False"}
    first = LayerFacts(name="first", type=layer, made=_line(2), settings=settings, inputs=["input"])
    last = LayerFacts(name="last", type="Dense", made=_line(2), settings={"units": "1"}, inputs=["first"])
    facts = ErrorFacts(
        raiser="_adjust_input_rank",
        place=_line(6),
        parties=[
            Party(role="input", shape=[None, 30], dtype="float32"),
            Party(role="x", text="table", shape=[600, 30], type="numpy.ndarray"),
            Party(role="y", text="y", shape=[rows], type="numpy.ndarray"),
        ],
        wanted=InputWanted(shape=[None, 600, 30]),
        layer=LayerFacts(name="model", type="Sequential", is_model=True, input_shape=[None, 600, 30]),
        layers=[entrance, first, last],
        call="fit",
        receiver="model",
        model="Sequential",
        loss="mse",
    )
    case = case_of(process=[facts, raised("ValueError", "Invalid input shape")], exit_code=1)
    case.recording.sources[FILE] = Source(PROGRAM.format(layer=layer, shape=shape))
    return case


@pytest.mark.parametrize(
    ("layer", "shape", "right"),
    [
        ("LSTM", "table.shape", "(*table.shape[1:], 1)"),
        ("Dense", "table.shape", "table.shape[1:]"),
        ("LSTM", "(len(table), 30)", "(30, 1)"),
        ("Dense", "(600, 30)", "(30,)"),
    ],
)
def test_the_shape_of_a_whole_array_through_a_parameter(layer: str, shape: str, right: str) -> None:
    case = _case(layer, shape)
    found = check(case)
    assert found is not None
    assert found.message == (
        f"train.py:5: `{shape}` (600, 30) is declared as the shape of one sample, and `table` has 600 samples of shape "
        "(30,)"
    )
    assert (found.certainty, found.location.line if found.location else 0) == ("certain", 5)
    put = [line for line in patches_of(case, found)[0] if line[0] == "+"]
    data = ["+model.fit(table[..., None], y)", "+model.evaluate(other[..., None], z)"] if layer == "LSTM" else []
    assert put == [f"+model = build({right})", *data]


def test_one_sample_without_the_axis_of_the_batch() -> None:
    found = check(_case("LSTM", "table.shape", rows=1))
    assert found is not None
    assert "declared as the shape of one sample" not in found.message
