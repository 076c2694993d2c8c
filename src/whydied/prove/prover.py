"""Tries on the program what would remove its failure, the gentlest first; runs in the parent.

Invariant: what is known is written down after each trial, so that an interrupt loses the trial that was going on and
nothing else. A change is tried only where the program without it failed again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol, get_args

import msgspec

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis
from whydied.prove.experiment import Laboratory, Trial
from whydied.prove.ideas import Guess, Idea, Possible, alike, ideas, upon, written
from whydied.prove.kernel_cells import NOTEBOOK, as_notebook
from whydied.prove.observed import Observed, observed
from whydied.prove.proof import Proof, Tried
from whydied.prove.rehearsal import Standing, Variant, rehearsed
from whydied.prove.terms import CannotProve, Terms
from whydied.prove.verdicts import Verdict, Word, fails_again, judged, weighed
from whydied.source.edits.edit import Harm

MOST_TRIES = 10
BUDGET_S = 900.0
SHORTEST_S, LONGEST_S = 30.0, 300.0
"""For one trial; it may take longer where more time is given for all."""
LONGEST_PART = 0.25
TIMES_AS_LONG = 3.0
"""A program that dies must run on for so much longer to have survived."""
MOST_FAILURES = 4
"""Of a program that fails of one thing after the other."""
FEWEST_REHEARSED = 3
"""Fewer changes are tried at once: loading the libraries for a rehearsal takes as long as a trial."""
MOST_WIDER = 3
"""Changes of a rule, made at several statements."""
MOST_ALIKE = 40
"""Changes of several statements together, after those of one moved the failure."""
REHEARSAL_S, REHEARSAL_PART = 180.0, 0.4
"""What a rehearsal may take, and its part of the time that is left."""
SLOPE_AFTER_S, SLOPE_S = 120.0, 75.0
"""A leak that took longer than the first to kill is told by its slope, within the second."""

FAILED_QUICKLY = "it fails again when it is run for a moment"
_ORDER: tuple[Standing, ...] = ("finishes", "later", "elsewhere", "unknown")


class Plan(NamedTuple):
    """`most` trials in `budget_s` seconds."""

    most: int = MOST_TRIES
    budget_s: float = BUDGET_S

    def bounded_s(self, first: Observed, wanted_s: float) -> float:
        """What one trial may take. A leak shows by its slope, however long it took to kill."""
        if first.grows and first.wall_s > SLOPE_AFTER_S:
            return SLOPE_S
        return min(max(LONGEST_S, LONGEST_PART * self.budget_s), max(SHORTEST_S, wanted_s))


class Teller(Protocol):
    """Shows a person what is going on."""

    def begins(self, words: str, number: int, most: int, limit_s: float) -> None: ...
    def ends(self, verdict: Verdict, seen: Observed | None) -> None: ...


class Past(NamedTuple):
    """A change that removed a failure, and the run of the program with it."""

    idea: Idea
    trial: Trial


class Round(NamedTuple):
    """What some trials came to: whether one mended the program, or else which got it past its failure to another.
    Where no time is left, nothing is to be done either."""

    is_mended: bool = False
    past: Past | None = None


class Prover:
    """Trials of one program. `keep` is given what is known after each."""

    def __init__(
        self, laboratory: Laboratory, guess: Guess, plan: Plan, teller: Teller, keep: Callable[[Proof], None]
    ) -> None:
        self._laboratory = laboratory
        self._guess = guess
        self._plan = plan
        self._teller = teller
        self._keep = keep
        self._began_s = time.monotonic()
        self._proof = Proof(sandbox=laboratory.mechanism.words)

    def prove(self, case: Case, diagnosis: Diagnosis) -> Proof:
        """All verdicts that time allows. An interrupt is passed on."""
        possible = self._possible(case, ideas(case, diagnosis, self._guess))
        self._proof = msgspec.structs.replace(self._proof, errors=list(diagnosis.errors))
        if not possible:
            raise CannotProve(
                "no change of the source is known that could be tried for this cause",
                "what is known is in `whydied show`",
            )
        first = observed(case, diagnosis)
        limit_s = self._plan.bounded_s(first, 2 * first.wall_s + 10)
        self._teller.begins("the program as it is", 0, len(possible), limit_s)
        again = self._laboratory.run(_unchanged(case, self._laboratory.terms), limit_s)
        before = again.seen
        if before is None or not fails_again(first, before):
            problem = again.problem or _not_again(first, before, limit_s)
            self._teller.ends(Verdict("untested", problem or "it does not fail again"), before)
            tried = [one.tried for one in possible]
            return self._know(reproduced=None if problem else False, stopped=problem, tried=tried)
        self._teller.ends(Verdict("proved", "it fails again"), before)
        self._know(reproduced=True, before=before.facts)
        self._mend(case, first, before, possible)
        return self._proof

    def _mend(self, case: Case, first: Observed, before: Observed, possible: list[Possible]) -> None:
        """Try what would remove the first failure; where the program then fails of another, also what would remove
        that one, and so on, with all changes so far in it."""
        base: dict[str, str] = {}
        for _ in range(MOST_FAILURES):
            past = self._in_turn(case, first, before, base, possible)
            if past is None or past.trial.case is None or past.trial.diagnosis is None or past.trial.seen is None:
                return
            before = first = past.trial.seen
            base = past.idea.texts
            following = ideas(past.trial.case, past.trial.diagnosis, self._guess)
            # A second failure may be the first one at a statement that is written like the first.
            further = [*alike(case, past.idea, base), *(upon(case, past.idea, one) for one in following)]
            possible = self._possible(case, [one for one in further if one is not None])

    def _possible(self, case: Case, found: list[Idea]) -> list[Possible]:
        """Those that can be written into the user's files, each once."""
        made = [written(case, one, self._laboratory) for one in found]
        return list({one.patch: one for one in reversed(made) if one is not None}.values())[::-1]

    def _in_turn(
        self, case: Case, first: Observed, before: Observed, base: dict[str, str], possible: list[Possible]
    ) -> Past | None:
        """What the rules propose, and where none of that helps the guesses that a rehearsal speaks for."""
        own = [one for one in possible if not one.idea.guessed]
        ended = self._round(first, before, own) if own else Round()
        if ended.is_mended or ended.past is not None:
            return ended.past
        # What failed at one statement alone may be needed at all that are alike.
        wider = self._possible(case, [other for one in own for other in alike(case, one.idea, base)][:MOST_WIDER])
        ended = self._round(first, before, wider) if wider else Round()
        guesses = [one for one in possible if one.idea.guessed]
        if ended.is_mended or ended.past is not None or not guesses:
            return ended.past
        chosen, moved = self._chosen(case, before, base, guesses)
        if moved and not base:
            like = self._possible(case, [other for one in moved for other in alike(case, one.idea)][:MOST_ALIKE])
            chosen = [*self._chosen(case, before, base, like)[0], *chosen] if like else chosen
        return self._round(first, before, chosen).past

    def _chosen(
        self, case: Case, before: Observed, base: dict[str, str], possible: list[Possible]
    ) -> tuple[list[Possible], list[Possible]]:
        """Those that a rehearsal does not speak against, the ones with which the program comes farthest first; and
        where none lets it finish, those that moved the failure. The others are refuted by it."""
        limit_s = min(REHEARSAL_S, REHEARSAL_PART * self._left_s)
        if len(possible) < FEWEST_REHEARSED or not before.raised:
            return possible, []
        self._teller.begins(f"{len(possible)} changes, each for a moment", 0, len(possible), limit_s)
        variants = [Variant(one.idea.texts, one.idea.lines) for one in possible]
        found = rehearsed(self._laboratory, case.project, before, base, variants, limit_s)
        if found is None:
            self._teller.ends(Verdict("untested", "they cannot be run so; one after the other"), None)
            return possible, []
        helps = found.count("finishes")
        word: Word = "proved" if helps else "untested"
        self._teller.ends(Verdict(word, f"{helps or 'none'} of them let the program finish"), None)
        standings = list(zip(found, possible, strict=True))
        in_vain = [one.tried for how, one in standings if how == "again"]
        self._know(
            tried=[
                *self._proof.tried,
                *(msgspec.structs.replace(one, verdict="refuted", words=FAILED_QUICKLY) for one in in_vain),
            ]
        )
        left = [pair for pair in standings if pair[0] != "again"]
        ranked = [one for _, one in sorted(left, key=_promise)]
        return ranked, [] if helps else [one for how, one in standings if how in ("later", "elsewhere")]

    def _round(self, first: Observed, before: Observed, possible: list[Possible]) -> Round:
        """Try one after the other."""
        offset = len(self._proof.tried)
        self._know(tried=[*self._proof.tried, *(one.tried for one in possible)])
        past: Past | None = None
        for number, one in enumerate(possible):
            done = [tried for tried in self._proof.tried[offset : offset + number] if tried.words]
            left_s = self._left_s
            if left_s < SHORTEST_S:
                self._know(stopped="the time for trials was over")
                return Round(True)
            if len(done) >= self._plan.most:
                self._know(stopped="as many changes were tried as wanted")
                break
            if not _is_worth(one, done):
                continue
            limit_s = min(left_s, self._plan.bounded_s(first, TIMES_AS_LONG * before.wall_s))
            title = one.idea.last or one.idea.change.title
            title += f" ({one.idea.cost})" if one.idea.cost else ""
            self._teller.begins(title, number + 1, len(possible), limit_s)
            trial = self._laboratory.run(one.files, limit_s)
            verdict = weighed(_verdict(before, trial, one.idea), one.idea.change, first, before, trial.seen)
            self._teller.ends(verdict, trial.seen)
            self._proof.tried[offset + number] = msgspec.structs.replace(
                one.tried,
                verdict=verdict.word,
                words="; ".join(filter(None, (verdict.words, verdict.losses))),
                harm=verdict.harm or one.tried.harm,
                before=self._proof.before,
                after=trial.seen.facts if trial.seen else None,
            )
            self._know()
            if _fails(trial) and past is None and verdict.goes_on:
                past = Past(one.idea, trial)
        mended = any(one.verdict == "proved" and not _ends_badly(one) for one in self._proof.tried[offset:])
        return Round(mended, None if mended else past)

    @property
    def _left_s(self) -> float:
        return self._plan.budget_s - (time.monotonic() - self._began_s)

    def _know(self, **known: object) -> Proof:
        wall_s = round(time.monotonic() - self._began_s, 1)
        self._proof = msgspec.structs.replace(self._proof, wall_s=wall_s, **known)
        self._keep(self._proof)
        return self._proof


def _promise(pair: tuple[Standing, Possible]) -> tuple[int, bool, int, bool]:
    """How far a change gets the program, whether it only silences the failure, then what it costs the user, then
    whether a rule proposes it."""
    how, one = pair
    return _ORDER.index(how), bool(one.idea.cost), get_args(Harm).index(one.idea.change.harm), one.idea.guessed


def _not_again(first: Observed, again: Observed | None, limit_s: float) -> str:
    """Why a run that was cut short says nothing; empty where it was not."""
    if again is None or not again.at_limit or first.wall_s < limit_s:
        return ""
    return (
        f"it did not fail within {words.duration(limit_s)}, and the first run took {words.duration(first.wall_s)}: "
        "give it more with --time"
    )


def _fails(trial: Trial) -> bool:
    return trial.seen is not None and bool(trial.seen.raised) and not trial.seen.is_well


def _verdict(before: Observed, trial: Trial, one: Idea) -> Verdict:
    if trial.seen is None:
        return Verdict("untested", trial.problem)
    verdict = judged(before, trial.seen, one.lines)
    if one.guessed and verdict.goes_on:
        # A guess that only moves the failure elsewhere is not known to be right, as what a rule proposes is.
        return verdict._replace(word="untested")
    return verdict


def _ends_badly(tried: Tried) -> bool:
    return tried.after is not None and tried.after.get("outcome") == "failed"


def _is_worth(one: Possible, done: list[Tried]) -> bool:
    """After a proof only what would name another cause and costs no more: it decides between the two."""
    proved = [tried for tried in done if tried.verdict == "proved"]
    if not proved:
        return True
    harms = get_args(Harm)
    gentler = harms.index(one.idea.change.harm) <= min(harms.index(tried.harm) for tried in proved)
    names_another = all(tried.cause.code != one.idea.candidate.finding.code for tried in proved)
    return gentler and names_another and not one.idea.guessed


def _unchanged(case: Case, terms: Terms) -> dict[str, bytes]:
    """The files that the program as it is needs: none, but for a kernel, whose cells are no file."""
    return {NOTEBOOK: as_notebook(case.recording, {})} if terms.is_kernel else {}
