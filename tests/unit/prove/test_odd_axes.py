"""Shapes with an axis of size 1 too many, where a check of the program refuses what came of them."""

from __future__ import annotations

import itertools
from pathlib import Path

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import lines_of
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Candidate, Finding
from whydied.prove.copy_trials import _Seen, _unambiguous
from whydied.prove.guesses import guesses
from whydied.prove.ideas import Idea
from whydied.prove.rehearsal.rehearsal import Ending
from whydied.source.edits.edit import Change

PROGRAM = """
    import numpy as np
    def checked(values, width=np.zeros((1, 2))):
        rank = {of}
        if rank != 1:
            raise ValueError("expected one value for each action")
        return values
    n = 4
    values = np.zeros((1, n))
    other = np.zeros(shape=[n, 3])
    pair = max((1, n))
    checked(values)
"""


def offered(tmp_path: Path, text: str) -> list[list[str]]:
    case = died_of(tmp_path, text)
    found = guesses(case, diagnose(case.recording, case=case))
    return [lines_of(case, one.change) for one in found if one.change.kind == "guess-odd-axis"]


def test_a_shape_is_tried_without_its_axis_of_one(tmp_path: Path) -> None:
    # Neither a shape of the check itself, nor a tuple that is not a shape, nor one without a 1.
    wanted = [["-values = np.zeros((1, n))", "+values = np.zeros((n,))"]]
    assert offered(tmp_path, PROGRAM.format(of="len(values.shape)")) == wanted


def test_a_check_of_something_else_has_no_odd_axis(tmp_path: Path) -> None:
    assert offered(tmp_path, PROGRAM.format(of="values.sum()")) == []


def test_what_a_library_refuses_has_no_odd_axis(tmp_path: Path) -> None:
    assert (
        offered(tmp_path, "import numpy as np\nif np.zeros((1, 4)).ndim:\n    np.zeros((1, 4)) @ np.zeros((1, 4))")
        == []
    )


_NUMBERS = itertools.count()


def _seen(kind: str) -> _Seen:
    candidate = Candidate(
        finding=Finding(message="", certainty="likely"), change=Change(title=kind, kind=f"guess-{kind}", edits=[])
    )
    # The number makes each one different.
    return _Seen(Idea(candidate, {}, {}, True, str(next(_NUMBERS))), "finishes", Ending(0, "finished"))


def _told(tried: list[str], untried: list[str]) -> list[str]:
    seen = [_seen(kind) for kind in tried]
    asked = [one.idea for one in [*seen, *(_seen(kind) for kind in untried)]]
    return [one.idea.change.title for one in _unambiguous(asked, seen)]


def test_several_odd_axes_that_help_tell_nothing() -> None:
    assert _told(["odd-axis", "near", "near"], []) == ["odd-axis", "near", "near"]
    assert _told(["odd-axis", "odd-axis", "near"], []) == ["near"]


def test_an_odd_axis_tells_nothing_before_all_were_tried() -> None:
    assert _told(["odd-axis", "near"], ["odd-axis", "near"]) == ["near"]
