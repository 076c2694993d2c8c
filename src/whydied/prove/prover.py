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
from whydied.errors import NotEditable
from whydied.prove.experiment import Laboratory, Trial
from whydied.prove.kernel_cells import NOTEBOOK, as_notebook
from whydied.prove.observed import Observed, observed, short_name
from whydied.prove.patching.rewritten_files import edited_files
from whydied.prove.proof import Proof, Tried
from whydied.prove.terms import Terms
from whydied.prove.verdicts import Verdict, fails_again, judged, same_lines
from whydied.source.bindings import cell_number
from whydied.source.edits.edit import Harm, edited, edits_by_file, patch

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
            edits=change.edits,
            cause=self.candidate.finding,
            value=change.value,
            guessed=self.guessed,
        )


Guess = Callable[[Case, Diagnosis], list[Candidate]]


def possibilities(case: Case, diagnosis: Diagnosis, guess: Guess, terms: Terms) -> list[Possible]:
    """What can be tried, in the order in which it is: by what it costs the user, and guesses last."""
    known = diagnosis.candidates
    ranked = sorted(known, key=lambda one: get_args(Harm).index(one.change.harm))
    found: dict[str, Possible] = {}
    for candidate in [*ranked, *guess(case, diagnosis)]:
        made = _possible(case, candidate, terms, guessed=candidate not in known)
        if made is not None:
            found.setdefault(made.patch, made)
    return list(found.values())


def prove(
    case: Case,
    diagnosis: Diagnosis,
    laboratory: Laboratory,
    possible: list[Possible],
    plan: Plan,
    teller: Teller,
    keep: Callable[[Proof], None],
) -> Proof:
    """All verdicts that time allows. An interrupt is passed on, and `keep` was given what is known."""
    began_s = time.monotonic()
    proof = Proof(sandbox=laboratory.mechanism.words, tried=[one.tried for one in possible])
    first = observed(case, diagnosis)
    limit_s = _first_limit_s(first)
    teller.begins("the program as it is", 0, len(possible), limit_s)
    again = laboratory.run(_unchanged(case, laboratory.terms), limit_s)
    before = again.seen
    if before is None or not fails_again(first, before):
        reproduced = None if before is None else False
        teller.ends(Verdict("untested", again.problem or "it does not fail again"), before)
        return _kept(keep, proof, began_s, reproduced=reproduced, stopped=again.problem)
    teller.ends(Verdict("proved", "it fails again"), before)
    proof = _kept(keep, proof, began_s, reproduced=True, before=before.facts)
    for number, one in enumerate(possible):
        done = [tried for tried in proof.tried[:number] if tried.verdict != "untested"]
        left_s = plan.budget_s - (time.monotonic() - began_s)
        if len(done) >= plan.most or left_s < SHORTEST_S:
            return _kept(keep, proof, began_s, stopped="the time for trials was over")
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
        proof = _kept(keep, proof, began_s)
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


def _kept(keep: Callable[[Proof], None], proof: Proof, began_s: float, **known: object) -> Proof:
    proof = msgspec.structs.replace(proof, wall_s=round(time.monotonic() - began_s, 1), **known)
    keep(proof)
    return proof


def _unchanged(case: Case, terms: Terms) -> dict[str, bytes]:
    """The files that the program as it is needs: none, but for a kernel, whose cells are no file."""
    return {NOTEBOOK: as_notebook(case.recording, {})} if terms.is_kernel else {}


def _possible(case: Case, candidate: Candidate, terms: Terms, *, guessed: bool) -> Possible | None:
    """None where the change cannot be made of the source as it ran."""
    project = case.project
    texts: dict[str, str] = {}
    lines: dict[str, dict[int, int]] = {}
    for file, own in edits_by_file(candidate.change.edits).items():
        source = project.get(file)
        text = edited(source, own) if source is not None else None
        if source is None or text is None:
            return None
        texts[file] = text
        lines[short_name(file)] = same_lines(list(source.lines), text.splitlines())
    started = case.recording.started
    diff = patch(project, candidate.change.edits, started.cwd if started else "")
    files = _files(case, candidate, terms, texts)
    return Possible(candidate, files, lines, diff, guessed) if diff and files else None


def _files(case: Case, candidate: Candidate, terms: Terms, texts: dict[str, str]) -> dict[str, bytes] | None:
    """The contents that a trial needs in the place of the user's files."""
    edits = candidate.change.edits
    cells = {file: text for file, text in texts.items() if cell_number(file) is not None} if terms.is_kernel else {}
    try:
        files = edited_files(case.recording, [one for one in edits if one.file not in cells])
    except NotEditable:
        return None
    return files | ({NOTEBOOK: as_notebook(case.recording, cells)} if terms.is_kernel else {})
