"""Tries on the program what would remove its failure, the gentlest first; runs in the parent.

Invariant: what is known is written down after each trial, so that an interrupt loses the trial that was going on and
nothing else. A change is tried only where the program without it failed again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol, get_args

import msgspec

from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis
from whydied.diagnose.finding import Candidate
from whydied.places import RunDirectory
from whydied.prove import proof as proofs
from whydied.prove.current_source import current
from whydied.prove.experiment import FRESH, Laboratory, Start, Trial
from whydied.prove.observed import Observed, observed
from whydied.prove.proof import Proof, Tried
from whydied.prove.verdicts import Verdict, fails_again, judged, same_lines
from whydied.source.edits.edit import Harm, edited, patch

MOST_TRIES = 10
BUDGET_S = 900.0
SHORTEST_S, LONGEST_S = 30.0, 300.0
TIMES_AS_LONG = 3.0
"""A program that dies must run on for so much longer to have survived."""
SLOPE_AFTER_S, SLOPE_S = 120.0, 75.0
"""A leak that took longer than the first to kill is told by its slope, within the second."""


class Plan(NamedTuple):
    """`most` trials in `budget_s` seconds."""

    most: int = MOST_TRIES
    budget_s: float = BUDGET_S


class Teller(Protocol):
    """Shows a person what is going on."""

    def begins(self, words: str, number: int, most: int, limit_s: float) -> None: ...
    def ends(self, verdict: Verdict, seen: Observed | None) -> None: ...


class Possible(NamedTuple):
    """A candidate as files and as a patch."""

    candidate: Candidate
    files: dict[str, bytes]
    lines: dict[str, dict[int, int]]
    patch: str
    guessed: bool

    @property
    def tried(self) -> Tried:
        change = self.candidate.change
        return Tried(
            title=change.title,
            kind=change.kind,
            harm=change.harm,
            patch=self.patch,
            cause=self.candidate.finding,
            value=change.value,
            guessed=self.guessed,
        )


Guess = Callable[[Case, Diagnosis], list[Candidate]]


def possibilities(case: Case, diagnosis: Diagnosis, guess: Guess, start: Start = FRESH) -> list[Possible]:
    """What can be tried, in the order in which it is: by what it costs the user, and guesses last."""
    known = diagnosis.candidates
    ranked = sorted(known, key=lambda one: get_args(Harm).index(one.change.harm))
    found: dict[str, Possible] = {}
    for candidate in [*ranked, *guess(case, diagnosis)]:
        made = _possible(case, candidate, start, guessed=candidate not in known)
        if made is not None:
            found.setdefault(made.patch, made)
    return list(found.values())


def prove(
    directory: RunDirectory,
    case: Case,
    diagnosis: Diagnosis,
    laboratory: Laboratory,
    possible: list[Possible],
    plan: Plan,
    teller: Teller,
) -> Proof:
    """All verdicts that time allows. An interrupt is passed on, with what is known written down."""
    began_s = time.monotonic()
    proof = Proof(sandbox=laboratory.mechanism.words, tried=[one.tried for one in possible])
    first = observed(case, diagnosis)
    limit_s = _first_limit_s(first)
    teller.begins("the program as it is", 0, len(possible), limit_s)
    again = laboratory.run({}, limit_s)
    before = again.seen
    if before is None or not fails_again(first, before):
        reproduced = None if before is None else False
        teller.ends(Verdict("untested", again.problem or "it does not fail again"), before)
        return _kept(directory, proof, began_s, reproduced=reproduced, stopped=again.problem)
    teller.ends(Verdict("proved", "it fails again"), before)
    proof = _kept(directory, proof, began_s, reproduced=True, before=before.facts)
    for number, one in enumerate(possible):
        done = [tried for tried in proof.tried[:number] if tried.verdict != "untested"]
        left_s = plan.budget_s - (time.monotonic() - began_s)
        if len(done) >= plan.most or left_s < SHORTEST_S:
            return _kept(directory, proof, began_s, stopped="the time for trials was over")
        if not _is_worth(one, done):
            continue
        limit_s = min(left_s, _limit_s(first, before))
        teller.begins(one.candidate.change.title, number + 1, len(possible), limit_s)
        trial = laboratory.run(one.files, limit_s)
        verdict = _verdict(before, trial, one)
        teller.ends(verdict, trial.seen)
        proof.tried[number] = msgspec.structs.replace(
            one.tried,
            verdict=verdict.word,
            words=verdict.words,
            before=before.facts,
            after=trial.seen.facts if trial.seen else None,
        )
        proof = _kept(directory, proof, began_s)
    return proof


def _verdict(before: Observed, trial: Trial, one: Possible) -> Verdict:
    if trial.seen is None:
        return Verdict("untested", trial.problem)
    return judged(before, trial.seen, one.lines)


def _is_worth(one: Possible, done: list[Tried]) -> bool:
    """After a proof only what would name another cause and costs no more: it decides between the two."""
    proved = [tried for tried in done if tried.verdict == "proved"]
    if not proved:
        return True
    harms = get_args(Harm)
    gentler = harms.index(one.candidate.change.harm) <= min(harms.index(tried.harm) for tried in proved)
    return gentler and not one.guessed and all(tried.cause.code != one.candidate.finding.code for tried in proved)


def _first_limit_s(first: Observed) -> float:
    if first.grows and first.wall_s > SLOPE_AFTER_S:
        return SLOPE_S
    return min(LONGEST_S, max(SHORTEST_S, 2 * first.wall_s + 10))


def _limit_s(first: Observed, before: Observed) -> float:
    if first.grows and first.wall_s > SLOPE_AFTER_S:
        return SLOPE_S
    return min(LONGEST_S, max(SHORTEST_S, TIMES_AS_LONG * before.wall_s))


def _kept(directory: RunDirectory, proof: Proof, began_s: float, **known: object) -> Proof:
    proof = msgspec.structs.replace(proof, wall_s=round(time.monotonic() - began_s, 1), **known)
    proofs.write(directory, proof)
    return proof


def _possible(case: Case, candidate: Candidate, start: Start, *, guessed: bool) -> Possible | None:
    """None where the change cannot be made of the source as it ran."""
    project = case.project
    files: dict[str, bytes] = {}
    lines: dict[str, dict[int, int]] = {}
    for file in dict.fromkeys(edit.file for edit in candidate.change.edits):
        source = project.get(file)
        own = [one for one in candidate.change.edits if one.file == file]
        text = edited(source, own) if source else None
        if source is None or text is None:
            return None
        # A recorded secret is a row of stars, with which the program could not work.
        real = current(file, source, start.files)
        files[file] = ((edited(real, own) if real else None) or text).encode()
        lines[file] = same_lines(list(source.lines), text.splitlines())
    started = case.recording.started
    diff = patch(project, candidate.change.edits, started.cwd if started else "")
    return Possible(candidate, files, lines, diff, guessed) if diff else None
