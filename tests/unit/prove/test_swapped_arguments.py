"""Arguments in the other order."""

from __future__ import annotations

from pathlib import Path

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import lines_of
from whydied.diagnose.engine import diagnose
from whydied.prove.guesses import guesses

PROGRAM = """
    start, stop, names = 0, 3, {}
    for turn in range(start, stop): names[turn + 9, str(turn)].append(max(start, "stop"))
"""


def test_a_range_is_not_turned_into_an_empty_one(tmp_path: Path) -> None:
    case = died_of(tmp_path, PROGRAM)
    found = guesses(case, diagnose(case.recording, case=case))
    swapped = [lines_of(case, one.change)[1] for one in found if one.change.kind == "guess-order"]
    assert not [one for one in swapped if "range(stop, start)" in one]
    assert any('max("stop", start)' in one for one in swapped)
