"""A call whose result is not kept, and a later statement that needed it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.died_of import died_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.values import result_dropped
from whydied.source.edits.edit import edited
from whydied.source.text import Source

ROWS = """
    import numpy as np

    rows = np.zeros((4, 3))
    rows.reshape(2, 6)
    labels = np.ones(2)
    np.expand_dims(labels, 1)
    np.matmul(labels, rows)
"""


def changed(case: Case) -> list[str]:
    """The lines that the change writes."""
    found = result_dropped.check(case)
    assert found is not None
    edits = found.changes[0].edits
    text = edited(case.project[edits[0].file], edits)
    assert text is not None
    before = case.project[edits[0].file].lines
    return [line for line, was in zip(text.splitlines(), before, strict=True) if line != was]


def test_all_that_the_failing_statement_uses_is_kept(tmp_path: Path) -> None:
    case = died_of(tmp_path, ROWS)
    found = result_dropped.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (6, "likely")
    assert "`labels` stays as it is" in found.message
    assert changed(case) == ["rows = rows.reshape(2, 6)", "labels = np.expand_dims(labels, 1)"]


def test_an_attribute_in_a_method(tmp_path: Path) -> None:
    text = """
        class Model:
            def __init__(self):
                self.text = " 3 "

            def run(self):
                self.text.strip()
                return {"3": 1}[self.text]

        Model().run()
    """
    assert changed(died_of(tmp_path, text)) == ["        self.text = self.text.strip()"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rows.reshape(2, 6)", "rows.sort()"),
        ("rows.reshape(2, 6)", "other = rows.reshape(2, 6)"),
        ("rows.reshape(2, 6)", "rows.clip(0, 1, out=rows)"),
        ("rows.reshape(2, 6)", "print(rows.reshape(2, 6))"),
        ("rows.reshape(2, 6)", "labels_of = [1]"),
    ],
)
def test_calls_that_do_something(tmp_path: Path, old: str, new: str) -> None:
    text = ROWS.replace(old, new).replace("    np.expand_dims(labels, 1)\n", "")
    assert result_dropped.check(died_of(tmp_path, text)) is None


def test_a_call_below_the_failure_and_a_name_that_it_does_not_use(tmp_path: Path) -> None:
    text = """
        import numpy as np
        rows, other = np.zeros((4, 3)), np.zeros(3)
        other.reshape(3, 1)
        np.matmul(rows, np.zeros(7))
        rows.reshape(3, 4)
    """
    assert result_dropped.check(died_of(tmp_path, text)) is None


def test_a_key_that_another_value_lacks_and_a_name_that_is_missing(tmp_path: Path) -> None:
    text = """
        import numpy as np
        rows, index = np.arange(12), {"a": 1}
        rows.astype("float32")
        print(FAILS, rows.shape)
    """
    assert result_dropped.check(died_of(tmp_path, text.replace("FAILS", 'index["b"]'))) is None
    assert result_dropped.check(died_of(tmp_path, text.replace("FAILS", "missing"))) is None


WRITTEN = """def fitted(x):
    kept = tf.TensorArray(tf.float32, size=3)
    def body(at, kept):
        kept.write(at, x)
        return at + 1, kept
    _, kept = tf.while_loop(lambda at, kept: at < 3, body, [0, kept])
    return kept.stack()
assert fitted(1.0).sum() > 0
"""


@pytest.mark.parametrize(
    ("kind", "message", "old", "new", "is_told"),
    [
        ("AssertionError", "", "", "", True),
        ("ValueError", "No gradients provided for any variable.", "", "", True),
        ("ValueError", "Something else.", "", "", False),
        ("AssertionError", "", "kept.write", "kept = kept.write", False),
        ("AssertionError", "", "tf.TensorArray(tf.float32, size=3)", "open(x)", False),
        ("AssertionError", "", "tf.while_loop", "turned", False),
    ],
)
def test_what_is_written_into_an_array_of_a_graph(kind: str, message: str, old: str, new: str, is_told: bool) -> None:
    case = case_of(process=[raised(kind, message, number=8)], exit_code=1)
    case.recording.sources[FILE] = Source(WRITTEN.replace(old, new) if old else WRITTEN)
    found = result_dropped.check(case)
    assert (found is not None) == is_told
    if found is not None:
        assert found.location is not None
        assert found.location.line == 4
        assert changed(case) == ["        kept = kept.write(at, x)"]
