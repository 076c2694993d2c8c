"""Objects of TensorFlow that are taken for others: windows that are data sets, saved functions that are no model."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework import functions_loaded
from whydied.diagnose.rules.inputs import windows_not_flattened
from whydied.source.edits.edit import edited
from whydied.source.text import Source

WINDOWS = """def windows(series, size):
    data = tf.data.Dataset.from_tensor_slices(series)
    data = data.window(size + 1, shift=1)
    return data.map(lambda w: (w[:-1], w[-1]))  # here

model.fit(windows(series, 24))
"""
SERVED = """import tensorflow as tf

class Responder:
    def __init__(self, folder):
        self.model = tf.saved_model.load(folder)

    def answer(self, rows):
        return self.model.predict(tf.constant(rows), verbose=0)[0]  # here
"""
NO_ITEMS = "'_VariantDataset' object is not subscriptable"
NO_PREDICT = "'_UserObject' object has no attribute 'predict'"


def told(rule: object, kind: str, message: str, text: str) -> Finding | None:
    line = next(at for at, one in enumerate(text.splitlines(), 1) if "# here" in one)
    case = case_of(process=[raised(kind, message, number=line)], exit_code=1)
    case.recording.sources[FILE] = case.recording.project[FILE] = Source(text)
    return rule.check(case)  # type: ignore[attr-defined, no-any-return]


def test_a_window_becomes_a_tensor() -> None:
    found = told(windows_not_flattened, "TypeError", NO_ITEMS, WINDOWS)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (3, "certain")
    assert found.message.endswith(
        "`window` gives a data set for each window, not a tensor, and line 4 of train.py takes them for tensors"
    )
    assert edited(Source(WINDOWS), found.changes[0].edits) == WINDOWS.replace(
        "shift=1)", "shift=1).flat_map(lambda part: part.batch(size + 1))"
    )


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (NO_ITEMS, WINDOWS.replace("data.map(", "data.flat_map(one).map(")),
        (NO_ITEMS, WINDOWS.replace("data.window(size + 1, shift=1)", "data.batch(size)")),
        ("'int' object is not subscriptable", WINDOWS),
    ],
    ids=["flattened", "no window", "another value"],
)
def test_other_data_sets_are_no_windows(message: str, text: str) -> None:
    assert told(windows_not_flattened, "TypeError", message, text) is None


def test_saved_functions_are_called() -> None:
    found = told(functions_loaded, "AttributeError", NO_PREDICT, SERVED)
    assert found is not None
    assert "`self.model` is what `tf.saved_model.load` gave on line 5" in found.message
    texts = [edited(Source(SERVED), one.edits) for one in found.changes]
    assert [text and text.splitlines()[-1].strip() for text in texts] == [
        "return self.model.serve(tf.constant(rows))[0]  # here",
        "return self.model(tf.constant(rows))[0]  # here",
    ]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (NO_PREDICT, SERVED.replace("tf.saved_model.load(", "keras.models.load_model(")),
        ("'_UserObject' object has no attribute 'rows'", SERVED),
    ],
    ids=["a model", "another attribute"],
)
def test_of_what_else_misses_an_attribute_nothing_is_said(message: str, text: str) -> None:
    assert told(functions_loaded, "AttributeError", message, text) is None
