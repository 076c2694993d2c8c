"""DAT082: targets in the dict of the inputs."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.inputs.outputs_among_inputs import check
from whydied.records import ErrorFacts, Frame, LayerFacts, Party, ValueSource
from whydied.source.text import Source

PROGRAM = """\
def parse(row):
    return {"words": row[0], "score": row[1]}

def batches():
    while True:
        yield {"words": w, "score": s}

net.compile("adam", {"score": "mse"})
net.fit(batches())
"""


def _line(number: int, function: str = "<module>") -> Frame:
    return Frame(file=FILE, line=number, function=function, user=True, end_line=number)


def _case(*parties: Party, text: str = PROGRAM) -> Case:
    layers = [
        LayerFacts(name="words", type="InputLayer"),
        LayerFacts(name="hidden", type="Dense", inputs=["words"]),
        LayerFacts(name="last", type="Dense", inputs=["hidden"]),
    ]
    facts = ErrorFacts(raiser="__init__", place=_line(9), parties=list(parties), layers=layers, call="fit")
    case = case_of(process=[facts, raised("ValueError", "the generator must return a tuple")], exit_code=1)
    case.recording.sources[FILE] = Source(text)
    return case


GENERATOR = Party(
    role="x", type="generator", sources=[ValueSource(kind="generator", name="batches", frame=_line(6, "batches"))]
)


def test_an_output_beside_the_inputs() -> None:
    case = _case(GENERATOR)
    found = check(case)
    assert found is not None
    assert found.message == (
        "train.py:6: one dict has the inputs and `score`, an output of the model: `fit` takes a dict for inputs alone, "
        "and targets as the second part of a tuple"
    )
    assert found.certainty == "likely"
    assert [lines[-1] for lines in patches_of(case, found)] == [
        '+        yield {"words": w}, {"score": s}',
        '+        yield {"words": w}, s',
    ]


def test_an_output_by_the_name_of_its_layer() -> None:
    case = _case(GENERATOR, text=PROGRAM.replace('"score": s', '"last": s').replace('{"score": "mse"}', '"mse"'))
    found = check(case)
    assert found is not None
    assert found.advice == ['Write `{"words": w}, s`.']


def test_data_that_came_with_targets() -> None:
    assert check(_case(GENERATOR, Party(role="label", shape=[None]))) is None


def test_a_key_that_is_no_output() -> None:
    assert (
        check(_case(GENERATOR, text=PROGRAM.replace("score", "length").replace('"length": "mse"', '"last": "mse"')))
        is None
    )
