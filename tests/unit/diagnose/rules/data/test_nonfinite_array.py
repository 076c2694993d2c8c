"""DAT067: NumPy made a value that is not finite, and a later line refuses it."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.data.nonfinite_array import check
from whydied.records import ExceptionRaised, Frame, Operand, RaisedException, WarningIssued
from whydied.source.text import Source

SOURCE = "shares = read()\nother = shares / 2\nshares = shares / shares.sum()\nrng.choice(3, p=shares)\n"
REFUSED = "Probabilities contain NaN"


def case_with(message: str = REFUSED, nonfinite: int = 3, line: int = 3, words: str = "invalid value") -> Case:
    warned = WarningIssued(category="RuntimeWarning", message=f"{words} encountered in divide", file=FILE, line=line)
    frame = Frame(file=FILE, line=4, function="<module>", user=True)
    operand = Operand(text="shares", type="numpy.ndarray", shape=[3], dtype="float64", nonfinite=nonfinite)
    link = RaisedException(type="ValueError", module="builtins", message=message, frames=[frame], operands=[operand])
    case = case_of(process=[warned, ExceptionRaised(where="main", chain=[link])], exit_code=1)
    for known in (case.recording.sources, case.recording.project):
        known[FILE] = Source(SOURCE)
    return case


def test_the_line_that_numpy_warned_at_is_told_with_a_guard() -> None:
    found = check(case_with())
    assert found is not None
    assert found.message == "train.py:3: 3 values of `shares` are not finite, which `divide` produced here"
    assert found.certainty == "likely"
    assert found.changes
    assert "shares.sum()" in found.changes[0].edits[0].text


def test_values_that_are_finite_or_another_complaint_are_not_told() -> None:
    assert check(case_with(nonfinite=0)) is None
    assert check(case_with(message="'a' and 'p' must have same size")) is None
    assert check(case_with(words="something else")) is None
