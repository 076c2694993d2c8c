"""What may be tried on a program: changes as texts, as files and as patches; runs in the parent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, get_args

import msgspec

from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis
from whydied.diagnose.finding import Candidate
from whydied.errors import NotEditable
from whydied.prove.experiment import Laboratory
from whydied.prove.kernel_cells import NOTEBOOK, as_notebook
from whydied.prove.observed import short_name
from whydied.prove.patching.rewritten_files import edited_files
from whydied.prove.proof import Tried
from whydied.prove.silencing import given_up
from whydied.prove.verdicts import same_lines
from whydied.source.bindings import cell_number
from whydied.source.edits.edit import Change, Harm, edited, edits_by_file, line_edits, patch
from whydied.source.edits.like_edits import likewise

NOTHING: Mapping[str, str] = MappingProxyType({})


class Idea(NamedTuple):
    """A candidate as texts of the files that it changes; `lines` are, by file, its lines with their numbers before."""

    candidate: Candidate
    texts: dict[str, str]
    lines: dict[str, dict[int, int]]
    guessed: bool
    last: str = ""
    """Of several changes the last one, for whoever has seen the others."""
    cost: str = ""
    """What the program does without, where the change only silences the failure."""

    @property
    def change(self) -> Change:
        return self.candidate.change


class Possible(NamedTuple):
    """An idea as files and as a patch of the user's program."""

    idea: Idea
    files: dict[str, bytes]
    patch: str

    @property
    def tried(self) -> Tried:
        change = self.idea.change
        return Tried(
            title=change.title,
            kind=change.kind,
            harm=change.harm,
            patch=self.patch,
            edits=change.edits,
            cause=self.idea.candidate.finding,
            value=change.value,
            guessed=self.idea.guessed,
            gives_up=self.idea.cost,
        )


Guess = Callable[[Case, Diagnosis], list[Candidate]]


def ideas(case: Case, diagnosis: Diagnosis, guess: Guess) -> list[Idea]:
    """What may be tried, in the order in which it is: by what it costs the user, and guesses last."""
    known = diagnosis.candidates
    harms = get_args(Harm)
    ranked = sorted(known, key=lambda one: (harms.index(one.change.harm), bool(given_up(case.project, one.change))))
    made = [idea_of(case, one, guessed=one not in known) for one in [*ranked, *guess(case, diagnosis)]]
    return [one for one in made if one is not None]


def upon(case: Case, past: Idea, one: Idea) -> Idea | None:
    """A change of the changed program as one of the program itself; None where it cannot be written so."""
    texts = past.texts | one.texts
    if any(file not in case.project for file in texts):
        return None
    change = Change(
        title=f"{past.change.title.rstrip('.')}; then {one.change.title[:1].lower()}{one.change.title[1:]}",
        kind="several",
        edits=[edit for file, text in texts.items() for edit in line_edits(case.project[file], file, text)],
        harm=max(past.change.harm, one.change.harm, key=get_args(Harm).index),
    )
    candidate = Candidate(finding=past.candidate.finding, change=change)
    return Idea(candidate, texts, one.lines, past.guessed or one.guessed, f"… then {one.change.title}")


def alike(case: Case, one: Idea, base: Mapping[str, str] = NOTHING) -> list[Idea]:
    """The same change, done at the statements that are written alike too. `base` are the texts of the program that it
    is compared with, where that is not the program itself."""
    change = one.change
    files = {edit.file for edit in change.edits}
    source = case.project.get(next(iter(files), ""))
    if source is None or len(files) != 1:
        return []
    found = []
    for further in likewise(source, change.edits):
        lines = sorted({edit.start[0] for edit in further})
        where = f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"
        candidate = msgspec.structs.replace(
            one.candidate,
            change=msgspec.structs.replace(
                change, title=f"{change.title.rstrip('.')}, and likewise in {where}", edits=[*change.edits, *further]
            ),
        )
        idea = idea_of(case, candidate, guessed=one.guessed)
        if idea is not None:
            found.append(idea._replace(lines=_lines_upon(base, idea.texts)) if base else idea)
    return found


def _lines_upon(base: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, dict[int, int]]:
    return {
        short_name(file): same_lines(base[file].splitlines(), text.splitlines())
        for file, text in texts.items()
        if file in base
    }


def idea_of(case: Case, candidate: Candidate, *, guessed: bool) -> Idea | None:
    """None where the change cannot be made of the source as it ran."""
    texts: dict[str, str] = {}
    lines: dict[str, dict[int, int]] = {}
    for file, own in edits_by_file(candidate.change.edits).items():
        source = case.project.get(file)
        text = edited(source, own) if source is not None else None
        if source is None or text is None:
            return None
        texts[file] = text
        lines[short_name(file)] = same_lines(list(source.lines), text.splitlines())
    return Idea(candidate, texts, lines, guessed, cost=given_up(case.project, candidate.change)) if texts else None


def written(case: Case, idea: Idea, laboratory: Laboratory) -> Possible | None:
    terms, shown = laboratory.terms, laboratory.start.files
    started = case.recording.started
    diff = patch(case.project, idea.change.edits, started.cwd if started else "")
    cells = {file: text for file, text in idea.texts.items() if cell_number(file) is not None and terms.is_kernel}
    try:
        files = edited_files(case.recording, [one for one in idea.change.edits if one.file not in cells], shown)
    except NotEditable:
        return None
    if terms.is_kernel:
        files |= {NOTEBOOK: as_notebook(case.recording, cells)}
    return Possible(idea, files, diff) if diff and files else None
