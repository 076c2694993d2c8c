"""DAT081: texts in an array for a model that takes a tensor of them."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.data import texts_as_numbers
from whydied.diagnose.rules.inputs import texts_in_array
from whydied.diagnose.rules.shapes import dtype_mismatch
from whydied.records import DataLooked, ErrorFacts, Frame, HeldKind, LayerFacts, Party, TextsHeld, ValueSource
from whydied.source.text import Source

PROGRAM = "import tensorflow as tf\nimport numpy as np\n\nnotes = np.array({made})\nmodel.fit(notes, y)\n"


def _line(number: int) -> Frame:
    return Frame(file=FILE, line=number, function="<module>", user=True, end_line=number)


def _case(first: str, kind: str = "numpy.ndarray", made: str = "found") -> Case:
    dtype = "str96" if kind != "list" else None
    source = ValueSource(kind="variable", name="notes", text=f"np.array({made})", frame=_line(4))
    notes = Party(role="x", text="notes", type=kind, shape=[8] if dtype else None, dtype=dtype, sources=[source])
    layers = [LayerFacts(name="input", type="InputLayer"), LayerFacts(name="first", type=first, made=_line(3))]
    facts = ErrorFacts(
        raiser="standardize_dtype", place=_line(5), parties=[notes], layers=layers, call="fit", receiver="model"
    )
    looked = DataLooked(
        text="notes", type=kind, dtype=dtype, held=[HeldKind(words="str", count=8, first=0)],
        texts=[TextsHeld(column="", count=8, rows=8, example="fine", numbers=0, commas=0)],
    )  # fmt: skip
    case = case_of(process=[looked, facts, raised("ValueError", "Invalid dtype: str96")], exit_code=1)
    case.recording.sources[FILE] = Source(PROGRAM.format(made=made))
    return case


def test_an_array_of_texts_for_a_layer_of_texts() -> None:
    case = _case("TextVectorization", made="[row['a'] for row in rows]")
    found = texts_in_array.check(case)
    assert found is not None
    assert found.message == (
        "train.py:4: `notes` is a NumPy array of texts, which `fit` of Keras 3 does not take; TextVectorization "
        '"first" (line 3 of train.py) takes a tensor of texts'
    )
    assert found.certainty == "certain"
    assert [lines[-1] for lines in patches_of(case, found)] == [
        "+notes = tf.constant([row['a'] for row in rows])",
        "+model.fit(tf.constant(notes), y)",
    ]
    assert texts_as_numbers.check(case) is None
    assert dtype_mismatch.check(case) is None


def test_a_list_of_texts() -> None:
    found = texts_in_array.check(_case("StringLookup", kind="list"))
    assert found is not None
    assert "`notes` is a list of texts" in found.message


def test_texts_for_a_layer_that_takes_numbers() -> None:
    case = _case("Dense")
    assert texts_in_array.check(case) is None
    assert texts_as_numbers.check(case) is not None
