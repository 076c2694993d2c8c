"""DAT032: rows of different lengths that are made into one tensor."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.rules.data.uneven_items import check
from whydied.records import DataLooked, HeldKind
from whydied.source.text import Source

HELD = [HeldKind(words="list of length 3", count=2, first=0), HeldKind(words="list of length 2", count=1, first=1)]


@pytest.mark.parametrize(
    ("call", "held", "right"),
    [("tf.constant(rows)", HELD, "tf.ragged.constant"), ("np.array(rows)", HELD, ""), ("tf.constant(rows)", [], None)],
)
def test_rows_of_different_lengths(call: str, held: list[HeldKind], right: str | None) -> None:
    looked = DataLooked(link=0, text="rows", type="list", held=held)
    error = raised("ValueError", "Can't convert non-rectangular Python sequence to Tensor.", number=2)
    case = case_of(exit_code=1, process=[error, looked])
    for known in (case.recording.sources, case.recording.project):
        known[FILE] = Source(f"rows = load()\nx = {call}\n")
    found = check(case)
    assert (found is None) == (right is None)
    if found is not None:
        assert found.certainty == "certain"
        assert [edit.text for change in found.changes for edit in change.edits] == ([right] if right else [])
