"""FRM040: layers of one model that have one name."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework.layer_name_taken import check
from whydied.records import Frame, LayerNameTaken, NamedLayer
from whydied.source.edits.edit import edited
from whydied.source.text import Source

SAID = 'The name "stage" is used 2 times in the model. All operation names should be unique.'
FUNCTION = """\
def encoder(x, width=8):
    x = layers.Dense(width, name="stage")(x)
    return layers.Dense(4, name=f"out{width}")(x)
left = encoder(a)
right = encoder(b, 8)
"""


def line(number: int, function: str = "<module>") -> Frame:
    return Frame(file=FILE, line=number, function=function, user=True)


def layer(made: int, function: str = "<module>", caller: int | None = None) -> NamedLayer:
    return NamedLayer(type="Dense", made=line(made, function), caller=line(caller) if caller is not None else None)


def told(source: str, *layers: NamedLayer) -> Finding | None:
    facts = LayerNameTaken(name="stage", layers=list(layers))
    case = case_of(process=[facts, raised("ValueError", SAID)], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    return check(case)


def patched(found: Finding, source: str) -> str:
    (change,) = found.changes or []
    return edited(Source(source), change.edits) or ""


def test_a_function_that_is_called_for_each_branch() -> None:
    found = told(FUNCTION, layer(2, "encoder", 4), layer(2, "encoder", 5))
    assert found is not None
    assert found.location is not None
    assert (found.certainty, found.location.line) == ("certain", 2)
    assert "called 2 times for one model, on line 4 of train.py and line 5 of train.py" in found.message
    text = patched(found, FUNCTION)
    assert 'def encoder(x, width=8, prefix=""):' in text
    assert 'name=prefix + "stage"' in text
    assert 'name=prefix + f"out{width}"' in text
    assert "left = encoder(a)\n" in text
    assert 'right = encoder(b, 8, prefix="b_")' in text


def test_a_loop() -> None:
    source = 'for width in (8, 4):\n    x = layers.Dense(width, name="stage")(x)\n'
    found = told(source, layer(2), layer(2))
    assert found is not None
    assert "one in each turn of the loop" in found.message
    assert "layers.Dense(width)(x)" in patched(found, source)


@pytest.mark.parametrize("name", ['"stage"', "NAME"])
def test_two_lines(name: str) -> None:
    source = f"x = layers.Dense(3, name={name})(x)\nx = layers.Dense(4, name={name})(x)\n"
    found = told(source, layer(1), layer(2))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert "made on line 1 of train.py and line 2 of train.py" in found.message
    assert bool(found.changes) == (name != "NAME")


def test_a_near_miss() -> None:
    assert told(FUNCTION, layer(2, "encoder", 4)) is None
    assert check(case_of(process=[raised("ValueError", SAID)], exit_code=1)) is None


def test_a_comprehension_and_a_class_that_names_its_layers() -> None:
    source = (
        'class Stage(Layer):\n    def __init__(self, name="stage"):\n        super().__init__(name=name)\n'
        "body = Sequential([Stage() for _ in range(3)])\n"
    )
    # Before Python 3.12 a comprehension is a function of its own.
    made = [NamedLayer(type="Stage", made=line(4, "<listcomp>"), caller=line(4)) for _ in range(2)]
    found = told(source, *made)
    assert found is not None
    assert "one in each turn of the loop: their class gives each that name on line 2" in found.message
    assert "def __init__(self, name=None):" in patched(found, source)
