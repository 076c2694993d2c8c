"""A call whose result is not kept, and a later statement that needed it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.values import result_dropped
from whydied.source.edits.edit import edited

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
