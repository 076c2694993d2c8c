"""What the rules say of one case. Pure.

Invariant: a rule is asked about a case at most once, and one that fails takes nothing from the others.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeVar

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.registry import RULES
from whydied.diagnose.rule import CAUSES, Role, Rule

T = TypeVar("T")


class Answer(NamedTuple):
    rule: Rule
    finding: Finding


class Causes(NamedTuple):
    """What led to the end, and what is wrong and did not; the deepest first."""

    of_end: list[Answer]
    aside: list[Answer]


class Answers:
    """Rules are asked when somebody wants to know, the preferred ones first. What fails leaves a line in `errors`."""

    def __init__(self, case: Case, errors: list[str]) -> None:
        self.case = case
        self.errors = errors
        self._known: dict[str, Finding | None] = {}

    def first(self, *roles: Role) -> list[Answer]:
        """The preferred answer of these roles, as a list of one or none."""
        return next(([answer] for answer in self._asked(lambda rule: rule.role in roles)), [])

    def growth(self) -> list[Answer]:
        """The same of what piles up in memory, for a program that had enough."""
        return next(([one] for one in self._asked(lambda rule: rule.role == "memory" and not rule.at_once)), [])

    @cached_property
    def causes(self) -> Causes:
        found = Causes([], [])
        for answer in self._asked(lambda rule: rule.role in CAUSES):
            led = self.attempt(f"end by {answer.rule.code}", answer.rule.explains_end)
            (found.of_end if led else found.aside).append(answer)
        if any(self.attempt(f"time of {one.rule.code}", one.rule.came_first) for one in found.of_end):
            return found._replace(of_end=[one for one in found.of_end if one.rule.role != "explanation"])
        return found

    def about_caught(self) -> list[Answer]:
        return list(self._asked(lambda rule: rule.asked_when_caught))

    def attempt(self, what: str, work: Callable[[Case], T]) -> T | None:
        """What some work of ours says of the case, or None where it fails."""
        try:
            return work(self.case)
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            self.errors.append(f"{what}: {error!r} at {frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}")
            return None

    def _asked(self, wanted: Callable[[Rule], bool]) -> Iterator[Answer]:
        for rule in filter(wanted, RULES):
            if rule.code not in self._known:
                self._known[rule.code] = self.attempt(f"rule {rule.code}", rule.check)
            if (finding := self._known[rule.code]) is not None:
                yield Answer(rule, finding)
