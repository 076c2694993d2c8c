"""Which of the lines that two runs differ in made the second fail: each is taken back, and the program runs again in
the sandbox. Runs in the parent.

Invariant: nothing is said of a line before the program as it is failed again, and ended well with all lines taken back:
else what differs lies elsewhere, in data, versions or the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from whydied.compare.code import taken_back
from whydied.compare.comparison import Comparison
from whydied.compare.difference import Difference, Hunk
from whydied.prove.experiment import Laboratory, Trial
from whydied.prove.observed import Observed, observed
from whydied.prove.prover import Plan, Teller
from whydied.prove.verdicts import Verdict, fails_again, judged, same_lines
from whydied.source.text import Source

MOST_HUNKS = 12
_TIMES_AS_LONG = 3.0


class Decided(NamedTuple):
    """`remark` says what was not decided, and why; empty where a line was found."""

    comparison: Comparison
    remark: str


def decided(comparison: Comparison, laboratory: Laboratory, plan: Plan, teller: Teller) -> Decided:
    """The comparison with the verdicts of trials in it."""
    bad = comparison.bad
    chosen = [one for one in comparison.differences if one.hunk is not None][:MOST_HUNKS]
    if not chosen:
        return Decided(comparison, "no line of the program differs, so there is nothing that could be taken back")
    trials = _Trials(laboratory, bad.case.project, observed(bad.case, bad.diagnosis), plan, teller)
    before = trials.as_it_is(len(chosen))
    if before is None:
        return Decided(comparison, "the second program did not fail again, so nothing could be compared")
    together = trials.without(before, [one.hunk for one in chosen if one.hunk], "all lines taken back", 1)
    if together.word != "proved":
        return Decided(comparison, "it fails also with all lines taken back: data, versions or the machine differ")
    verdicts = {}
    for number, one in enumerate(chosen, 2):
        if one.hunk is not None and len(chosen) > 1:
            verdicts[one.what] = trials.without(before, [one.hunk], f"{one.what} taken back", number)
    if len(chosen) == 1:
        verdicts = {chosen[0].what: together}
    found = [_with(one, verdicts.get(one.what)) for one in comparison.differences]
    found.sort(key=lambda one: one.verdict != "proved")
    alone = any(one.verdict == "proved" for one in found)
    remark = "" if alone else "no line alone removes the failure; all of them together do"
    return Decided(comparison._replace(differences=found), remark)


def _with(one: Difference, verdict: Verdict | None) -> Difference:
    if verdict is None:
        return one
    return msgspec.structs.replace(one, verdict=verdict.word, tried=verdict.words)


class _Trials:
    def __init__(
        self,
        laboratory: Laboratory,
        sources: Mapping[str, Source],
        first: Observed,
        plan: Plan,
        teller: Teller,
    ) -> None:
        self._laboratory, self._sources, self._first = laboratory, sources, first
        self._plan, self._teller = plan, teller
        self._most = 0

    def as_it_is(self, hunks: int) -> Observed | None:
        """What the second program shows when it runs again; None where it does not fail."""
        self._most = hunks + 1
        limit_s = self._plan.bounded_s(self._first, 2 * self._first.wall_s + 10)
        trial = self._run("the second program as it is", 0, {}, limit_s)
        again = trial.seen is not None and fails_again(self._first, trial.seen)
        words = "it fails again" if again else trial.problem or "it does not fail again"
        self._teller.ends(Verdict("proved" if again else "untested", words), trial.seen)
        return trial.seen if again else None

    def without(self, before: Observed, hunks: list[Hunk], words: str, number: int) -> Verdict:
        """Whether the second program without these lines gets past its failure."""
        texts = {
            file: taken_back(self._sources[file], [one for one in hunks if one.file == file])
            for file in {one.file for one in hunks}
        }
        limit_s = self._plan.bounded_s(self._first, _TIMES_AS_LONG * before.wall_s)
        trial = self._run(words, number, {file: text.encode() for file, text in texts.items()}, limit_s)
        lines = {file: same_lines(list(self._sources[file].lines), text.splitlines()) for file, text in texts.items()}
        verdict = judged(before, trial.seen, lines) if trial.seen else Verdict("untested", trial.problem)
        self._teller.ends(verdict, trial.seen)
        return verdict

    def _run(self, words: str, number: int, files: dict[str, bytes], limit_s: float) -> Trial:
        self._teller.begins(words, number, self._most, limit_s)
        return self._laboratory.run(files, limit_s)
