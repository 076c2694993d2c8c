"""Which difference accounts for an end, by what was recorded of it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tests.unit.diagnose.died_of import died_of
from whydied.compare.accounting import AT_CAUSE, MADE, accounted
from whydied.compare.difference import Difference, Hunk
from whydied.diagnose.engine import diagnose

PROGRAM = """
WIDTH = 5
NAMES = ["a", "b"]
RATE = 0.1


def pick(names, place):
    return names[place]


chosen = WIDTH - 2
print(pick(NAMES, chosen))
"""


def weighed(tmp_path: Path, *differences: Difference) -> dict[str, Difference]:
    case = died_of(tmp_path, PROGRAM)
    found = accounted(list(differences), case, diagnose(case.recording, case=case))
    return {one.what: one for one in found}


def line(tmp_path: Path, number: int, old: str, new: str) -> Difference:
    # `died_of` puts the program into the first free folder.
    file = str((tmp_path / "0" / "train.py").resolve())
    hunk = Hunk(file=file, first=number, old=[old], new=[new])
    return Difference(kind="code", what=f"line {number}", good=old, bad=new, hunk=hunk)


def test_a_line_that_made_the_wrong_value_accounts_more_than_one_that_did_not(tmp_path: Path) -> None:
    found = weighed(
        tmp_path,
        line(tmp_path, 3, "RATE = 0.2", "RATE = 0.1"),
        line(tmp_path, 1, "WIDTH = 3", "WIDTH = 5"),
        line(tmp_path, 7, "    return names[0]", "    return names[place]"),
    )
    assert list(found) == ["line 7", "line 1", "line 3"]
    assert found["line 7"].weight == AT_CAUSE
    assert 0 < found["line 1"].weight < MADE
    assert "`WIDTH`" in found["line 1"].because
    assert (found["line 3"].weight, found["line 3"].because) == (0.0, "")


def test_a_version_counts_where_no_line_differs(tmp_path: Path) -> None:
    version = Difference(kind="version", what="keras", good="3.14", bad="3.15")
    alone = weighed(tmp_path, version)["keras"]
    assert alone.because == "no line of the program differs"
    (tmp_path / "two").mkdir()
    beside = weighed(tmp_path / "two", version, line(tmp_path / "two", 1, "WIDTH = 3", "WIDTH = 5"))["keras"]
    assert beside.weight < alone.weight
    assert beside.because == ""


def test_data_count_where_the_cause_is_in_their_call(tmp_path: Path) -> None:
    case = died_of(tmp_path, PROGRAM)
    diagnosis = diagnose(case.recording, case=case)
    assert diagnosis.cause is not None
    cause = msgspec.structs.replace(diagnosis.cause, code="DAT001")
    here = Difference(kind="data", what="`y`: range", good="0 to 2", bad="0 to 4", location=cause.location)
    assert cause.location is not None
    there = msgspec.structs.replace(here, location=msgspec.structs.replace(cause.location, line=1))
    found = accounted([there, here], case, diagnosis._replace(cause=cause))
    assert [one.because for one in found] == ["the cause is in this call", ""]


def test_memory_and_speed_are_the_reason_of_nothing(tmp_path: Path) -> None:
    peak = Difference(kind="memory", what="peak RSS", good="1 GiB", bad="2 GiB")
    assert weighed(tmp_path, peak)["peak RSS"].because == ""
