"""An element of a generator that is not as declared: each form of the words, and whose `yield` it is."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.data import generator_mismatch
from whydied.records import ErrorFacts, ExceptionRaised, Frame, Local, Party, RaisedException, ValueSource
from whydied.source.text import Source

ONE = "def rows():\n    for row in table:\n        yield row, 1\n\nmodel.fit(rows())\n"
SHAPE = "`generator` yielded an element of shape (61, 6) where an element of shape (64, 6) was expected."


def case(message: str, source: str = ONE, kind: str = "TypeError") -> Case:
    made = case_of(process=[raised(kind, message)], exit_code=1)
    made.recording.sources = {FILE: Source(source)}
    return made


def told(message: str, source: str = ONE) -> Finding:
    found = generator_mismatch.check(case(message, source))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("message", "words", "advice"),
    [
        (
            SHAPE,
            "rows() yields an element of shape (61, 6), where (64, 6) was expected by its signature: axis 0 differs",
            "declare (None, 6) in the signature",
        ),
        (
            "Generator yielded an element of shape (8, 28, 28, 3) where an element of shape (None, 32, 32, 3) was "
            "expected. Your generator provides tensors with variable input dimensions other than the batch size.",
            "(8, 28, 28, 3), where (None, 32, 32, 3) was expected in its first batches: axes 1 and 2 differ",
            "accept (None, None, None, 3)",
        ),
        (
            "`generator` yielded an element of shape (6,) where an element of shape (64, 6) was expected.",
            "(6,), where (64, 6) was expected by its signature: 1 axes vs 2",
            "the same number of axes",
        ),
        (
            "`generator` yielded an element that did not match the expected structure. The expected structure was "
            "(tf.float32, tf.int32), but the yielded element was [5.0, 6.0].",
            "yields `[5.0, 6.0]`, where an element like `(tf.float32, tf.int32)` was expected",
            "the same parts",
        ),
        (
            "`generator` yielded an element that could not be converted to the expected type. The expected type was "
            "float32, but the yielded element was n/a.\nTraceback (most recent call last):\n",
            "yields `n/a`, where a number of type float32 was expected",
            "Convert it to a number",
        ),
        (
            "`generator` yielded an element of (RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64), "
            "TensorSpec(shape=(), dtype=tf.int32, name=None)) where an element of (RaggedTensorSpec(TensorShape("
            "[2, None]), tf.float32, 1, tf.int64), TensorSpec(shape=(), dtype=tf.int32, name=None)) was expected.",
            "yields values of type int32, where float32 was expected by its signature",
            "Yield them as float32",
        ),
        (
            "`generator` yielded an element of (TensorSpec(shape=(3, 4), dtype=tf.float32, name=None), TensorSpec("
            "shape=(2,), dtype=tf.int32, name=None)) where an element of (TensorSpec(shape=(None, 4), dtype=tf.float32,"
            " name=None), TensorSpec(shape=(), dtype=tf.int32, name=None)) was expected.",
            "an element of shape (2,), where () was expected by its signature: 1 axes vs 0",
            "the same number of axes",
        ),
    ],
)
def test_each_form_is_told_in_plain_words(message: str, words: str, advice: str) -> None:
    found = told(message)
    assert words in found.message
    assert advice in found.advice[0]
    assert found.location is not None
    assert (found.location.line, found.certainty) == (3, "certain")


def test_of_two_generators_the_one_that_the_call_names() -> None:
    source = "def other():\n    yield 1\n\ndef rows():\n    yield 2\n\nmade = Dataset.from_generator(rows, float)\n"
    found = told(SHAPE, source)
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name) == (5, "rows")


def test_where_it_is_open_which_line_yielded_the_failing_line_is_told() -> None:
    source = "def rows():\n    yield 1\n    yield 2\n\nfor row in\\\n    made:\n    print(row)\n"
    found = told(SHAPE, source)
    assert found.culprit is not None
    assert found.culprit.name is None
    assert "the generator yields" in found.message


@pytest.mark.parametrize("message", ["the generator yielded nothing", "an element of shape (3,) was expected"])
def test_other_words_are_not_about_generators(message: str) -> None:
    assert generator_mismatch.check(case(message)) is None


def test_a_list_of_numbers_is_no_array_of_rows() -> None:
    made = ValueSource(kind="generator", name="batches", frame=Frame(file=FILE, line=3, function="batches", user=True))
    message = "When passing a dataset to a Keras model, the arrays must be at least rank 1. Received: 1 of rank 0."
    facts = ErrorFacts(call="fit", parties=[Party(role="x", type="generator", sources=[made])])
    found = generator_mismatch.check(case_of(process=[raised("ValueError", message), facts], exit_code=1))
    assert found is not None
    assert found.message.startswith("train.py:3: batches() yields a single value where Keras expects an array of rows")
    other = case_of(process=[raised("ValueError", "must have the same rank"), facts], exit_code=1)
    assert generator_mismatch.check(other) is None


def test_the_list_among_the_parts_that_were_yielded() -> None:
    source = "import numpy as np\ndef batches(rows, ids, y):\n    yield (rows, ids), y\n\nmodel.fit(batches(a, b, c))\n"
    made = ValueSource(kind="generator", name="batches", frame=Frame(file=FILE, line=3, function="batches", user=True))
    message = "When passing a dataset to a Keras model, the arrays must be at least rank 1. Received: 1 of rank 0."
    seen = [Party(role="yielded", text=one, type=kind) for one, kind in (("rows", "numpy.ndarray"), ("ids", "list"))]
    facts = ErrorFacts(call="fit", parties=[Party(role="x", type="generator", sources=[made]), *seen])
    one = case_of(process=[raised("ValueError", message), facts], exit_code=1)
    one.recording.sources = {FILE: Source(source)}
    found = generator_mismatch.check(one)
    assert found is not None
    assert "batches() yields `ids`, a list, where Keras expects an array of rows" in found.message
    assert found.advice == ["Yield `np.array(ids)` (rows are one array)."]


def test_a_batch_of_a_sequence_that_nothing_tells_of() -> None:
    source = (
        "import numpy as np\nclass Batches(Sequence):\n    def __getitem__(self, at):\n"
        "        return self.x[at], np.ones(3)\n\nmodel.fit(Batches())\n"
    )
    message = "When passing a dataset to a Keras model, the arrays must be at least rank 1. Received: 1 of rank 0."
    one = case_of(process=[raised("ValueError", message, number=6), ErrorFacts(call="fit", parties=[])], exit_code=1)
    one.recording.sources = {FILE: Source(source)}
    found = generator_mismatch.check(one)
    assert found is not None
    assert found.certainty == "likely"
    assert isinstance(found.changes, list)
    assert [change.title for change in found.changes] == ["Return `np.array(self.x[at])` (rows are one array)"]


def test_elements_are_left_out_only_where_others_came_through() -> None:
    message = (
        "`generator` yielded an element that could not be converted to the expected type. The expected type was int32, "
        "but the yielded element was None."
    )
    source = "def rows():\n    for row in table:\n        yield row, 1\n\nfor x, y in data:\n    print(x)\n"
    for bound, expected in ((["data"], 0), (["data", "x", "y"], 1)):
        known = [Local(name=one, type="object") for one in bound]
        frame = Frame(file=FILE, line=5, function="<module>", user=True, locals=known)
        link = RaisedException(type="TypeError", module="builtins", message=message, frames=[frame])
        made = case_of(process=[ExceptionRaised(where="main", chain=[link])], exit_code=1)
        made.recording.sources = {FILE: Source(source)}
        found = generator_mismatch.check(made)
        assert found is not None
        assert len(found.changes or []) == expected


PAIRS = "def pairs():\n    for pair in table:\n        yield pair\n\nmodel.fit(pairs())\n"
STRUCTURE = (
    "`generator` yielded an element that did not match the expected structure. The expected structure was "
    "(tf.float32, tf.float32), but the yielded element was {}."
)


@pytest.mark.parametrize("array", ["[[0.5 1. ]\n [2.  3. ]]", "[0.5 1. ]", "[[[1 2]\n  [3 4]]\n\n [[5 6]\n  [7 8]]]"])
def test_an_array_with_a_row_for_each_part_is_to_be_a_tuple(array: str) -> None:
    found = told(STRUCTURE.format(array), PAIRS)
    assert "yields one array with 2 rows, where a tuple of 2 parts" in found.message
    assert found.advice == ["Write `yield tuple(pair)`: a tuple is taken apart, an array is not."]
    assert isinstance(found.changes, list)
    assert [edit.text for change in found.changes for edit in change.edits] == ["tuple(pair)"]


@pytest.mark.parametrize(
    "array", ["[[0.5 1. ]\n [2.  3. ]\n [4.  5. ]]", "[0.5, 1.0]", "[[0 1]\n ...\n [2 3]]", "[[0.5 1. ] [2.", "[1] [2]"]
)
def test_an_array_with_other_rows_or_one_that_is_cut_off_is_no_such_tuple(array: str) -> None:
    assert "one array with" not in told(STRUCTURE.format(array), PAIRS).message


def test_more_parts_than_the_signature_declares() -> None:
    message = (
        "`generator` yielded an element that did not match the expected structure. The expected structure was "
        "(tf.float32, tf.int64), but the yielded element was (array([1.]), 3, array([2.]))."
    )
    source = ONE.replace("yield row, 1", "yield row, int(row[0]), raw")
    found = told(message, source)
    assert found.message.endswith("rows() yields 3 parts, and its signature declares 2: `(tf.float32, tf.int64)`")
    assert isinstance(found.changes, list)
    assert [edit.text for change in found.changes for edit in change.edits] == ["row, int(row[0])"]
    assert "parts, and its signature" not in told(message, ONE).message


def test_a_list_where_the_signature_has_a_tuple_becomes_one() -> None:
    source = ONE.replace("yield row, 1", "yield [row.left, row.right], 1")
    message = (
        "`generator` yielded an element that did not match the expected structure. The expected structure was "
        "((tf.float32, tf.float32), tf.int32), but the yielded element was ([array([[-0.8, 0.2]]), array([1.])], 1)."
    )
    found = told(message, source)
    assert "rows() yields the list `[row.left, row.right]`, which is taken for one array" in found.message
    assert found.advice == ["Write `(row.left, row.right)` instead of `[row.left, row.right]`."]
    assert [edit.text for edit in found.changes[0].edits] == ["(row.left, row.right)"]
    # A tuple that has other parts than declared is none.
    other = told(message, source.replace("[row.left, row.right]", "(row.left, row.right)"))
    assert "a list" not in other.message
