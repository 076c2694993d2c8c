"""Two runs compared. Pure."""

from __future__ import annotations

from typing import NamedTuple

from whydied.compare.accounting import accounted
from whydied.compare.code import changed_code
from whydied.compare.difference import KINDS, Difference
from whydied.compare.facts import changed_facts
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis


class Side(NamedTuple):
    """One of two runs, with its diagnosis."""

    case: Case
    diagnosis: Diagnosis


class Comparison(NamedTuple):
    good: Side
    bad: Side
    differences: list[Difference]

    @property
    def accounts(self) -> Difference | None:
        """The difference that accounts for the end of the second run: one that a trial proved, else the one that most
        speaks for."""
        proved = [one for one in self.differences if one.verdict == "proved"]
        likely = [one for one in self.differences if one.because and one.verdict != "refuted"]
        return next(iter([*proved, *likely]), None)


def compared(good: Side, bad: Side) -> Comparison:
    found = [*changed_code(good.case.recording, bad.case.recording), *changed_facts(good.case, bad.case)]
    found.sort(key=lambda one: KINDS.index(one.kind))
    return Comparison(good, bad, accounted(found, bad.case, bad.diagnosis))
