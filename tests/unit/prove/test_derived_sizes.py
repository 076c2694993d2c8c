"""Sizes that come of halving and doubling others."""

from __future__ import annotations

from pathlib import Path

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import lines_of
from whydied.diagnose.engine import diagnose
from whydied.prove.guesses import guesses

PROGRAM = """
    import numpy as np
    SIDE = 44
    skipped = np.zeros((SIDE // 4, 1))
    halved = np.zeros((SIDE // 8, 1))
    np.concatenate([skipped, np.repeat(halved, 2, axis=0)], axis=1)
"""


def test_the_smallest_multiple_that_helps_is_offered_first(tmp_path: Path) -> None:
    case = died_of(tmp_path, PROGRAM)
    found = [
        (one.finding.message.partition(": ")[2], lines_of(case, one.change))
        for one in guesses(case, diagnose(case.recording, case=case))
        if one.change.kind == "guess-rounded"
    ]
    # 44 is a multiple of 4 already: 8 is the first that can help.
    assert [lines[1] for _, lines in found][:2] == ["+SIDE = 40", "+SIDE = 48"]
    assert found[0][0] == "44 is not a multiple of 8: halved and doubled again a size is another one"


def test_without_anything_that_doubles_no_size_is_rounded(tmp_path: Path) -> None:
    case = died_of(tmp_path, PROGRAM.replace("np.repeat(halved, 2, axis=0)", "np.zeros((10, 1))"))
    found = guesses(case, diagnose(case.recording, case=case))
    assert not [one for one in found if one.change.kind == "guess-rounded"]


def test_a_size_that_was_not_halved_is_no_matter_of_halving(tmp_path: Path) -> None:
    text = """
    import numpy as np
    STEPS = 30
    np.concatenate([np.zeros((STEPS, 1)), np.repeat(np.zeros((14, 1)), 2, axis=0)], axis=1)
"""
    case = died_of(tmp_path, text)
    found = guesses(case, diagnose(case.recording, case=case))
    assert not [one for one in found if one.change.kind == "guess-rounded"]
