"""The shape that an Input declares, as the source writes it."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of
from whydied.diagnose.errors.model_ends import declared
from whydied.records import Frame, LayerFacts
from whydied.source.text import Source


def _declared(text: str, line: int) -> tuple[str, str, int, bool] | None:
    case = case_of(process=[], exit_code=1)
    case.sources[FILE] = Source(text)
    made = Frame(file=FILE, line=line, function="build", user=True)
    found = declared(case, LayerFacts(name="input", type="InputLayer", made=made))
    return (found.name, found.text, found.frame.line, found.is_of_array) if found is not None else None


def test_the_assignment_of_a_declared_shape() -> None:
    text = "def build(images):\n    shape = np.shape(images)\n    model.add(Conv2D(8, 3, input_shape=shape))\n"
    assert _declared(text, 3) == ("shape", "np.shape(images)", 2, True)
    assert _declared("x = Input(images.shape)\n", 1) == ("images.shape", "images.shape", 1, True)


def test_the_shape_of_one_sample_is_not_that_of_an_array() -> None:
    assert _declared("x = Input(images.shape[1:])\n", 1) == ("images.shape[1:]", "images.shape[1:]", 1, False)
    assert _declared("x = Dense(3)\n", 1) is None
