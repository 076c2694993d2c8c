"""MEM040: an array made in one piece, larger than the limit, that is being filled."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.memory_runs import MIB, killed, seen
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.memory import array_never_full
from whydied.records import CensusTaken, Holder, ObjectGroup

PROGRAM = """import numpy as np
x = np.zeros((3000, 192, 256, 3), "float32")
for i, name in enumerate(names):
    x[i] = load(name)
scaler.fit(x)
"""


def _check(mib: int, source: str = PROGRAM, line: int = 4, count: int = 1) -> Finding | None:
    holder = Holder(path="x", root="global", file=FILE, function="<module>")
    array = ObjectGroup(
        kind="array", type="numpy.ndarray", count=count, size_bytes=mib * MIB, shape=[3000, 192], holders=[holder]
    )
    census = CensusTaken(trigger="92 % of the limit", rss_bytes=940 * MIB, groups=[array])
    return array_never_full.check(killed(source, census, seen(line, 1000)))


def test_the_array_is_named_with_its_bytes_at_the_line_that_makes_it() -> None:
    found = _check(1650)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (2, "certain")
    assert "needs 1.61 GiB (all 3,000 rows), more than the limit of 1.00 GiB has room for" in found.message
    assert "it was being filled on line 4" in found.message
    assert "line 5 uses it whole: `scaler.fit(x)`" in found.advice[0]


def test_one_that_only_the_libraries_leave_no_room_for_is_likely() -> None:
    found = _check(1000)
    assert found is not None
    assert found.certainty == "likely"


@pytest.mark.parametrize(
    ("mib", "source", "line", "count"),
    [
        (800, PROGRAM, 4, 1),
        (1650, PROGRAM, 5, 1),
        (1650, PROGRAM.replace("np.zeros(", "np.load("), 4, 1),
        (1650, PROGRAM.replace("x[i] =", "y[i] ="), 4, 1),
        (1650, PROGRAM, 4, 7),
    ],
    ids=["it fits", "not in the loop", "not made empty", "another one is filled", "several arrays"],
)
def test_an_array_that_fits_or_is_not_being_filled_is_not_told(mib: int, source: str, line: int, count: int) -> None:
    assert _check(mib, source, line, count) is None
