"""Asks the copy that a dying program left behind how the program ends with changes of its source; runs in the parent.

What is printed as advice is tried here first: the changes of the rules, then, where none of them helps, generic ones.
The program as it is runs there, too: where it does not fail as it did, nothing is said. A trial is of the whole
program, from its first line, with its libraries already loaded: about as long as the program took without importing
them. Only exceptions are tried: what ends in a NaN or for memory shows in no exit.

Invariant: the time is bounded, and a signal ends the trials and not the report. The copy is told to end in any case.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple, get_args

import msgspec

from whydied import words
from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.diagnose.finding import Candidate, Location
from whydied.inside.trials.held_copy import DONE
from whydied.inside.trials.stage import PASSED, Task
from whydied.places import RunDirectory, copy_directory, replace_whole
from whydied.prove.blamed_use import made_there
from whydied.prove.constant_ideas import of_constants
from whydied.prove.failed_again import failed_again, told_by
from whydied.prove.guesses.enumeration import of_halved, of_unused
from whydied.prove.ideas import Guess, Idea, alike, ideas, upon
from whydied.prove.maker_ideas import at_makers
from whydied.prove.next_use import fails_of_it
from whydied.prove.observed import observed
from whydied.prove.proof import BY_COPY, Proof, Tried
from whydied.prove.rehearsal.rehearsal import Ending, Standing, below, ending_of, stack_of, standing
from whydied.run import signals
from whydied.source.bindings import cell_number
from whydied.source.edits.edit import Harm, patch
from whydied.source.trees import located
from whydied.wire import Entry

TOGETHER_S, MOST_TOGETHER_S, RUNS = 12.0, 30.0, 6
"""For all trials together: as long as so many runs of the program as it is, within bounds. On a machine that is busy
with other work as much is tried as on a quiet one; a program that takes long is tried with the first few changes only.
"""
BEGINS_S = 3.0
"""On a busy machine the copy may begin only after the program has ended."""
TIMES_AS_LONG, CONTROL_S = 2, 3.0
"""The program as it is fails about when it did; one that runs on and on does not fail as it did."""
FURTHER_S = 4.0
"""At least so much after a failure was got past."""
MOST_OWN, MOST_WIDER, MOST_UNUSED, MOST_HALVED, MOST_GUESSES = 12, 6, 2, 8, 60
ENOUGH = 4
"""Changes that let the program finish: those that come after them are less likely to be meant."""
LONGEST_FILE = 4_000
"""Lines; comparing the texts of a longer one takes longer than a trial."""
MOST_OFFERED = 2
"""Generic changes that help, and are shown."""
MOST_BASES, MOST_FAILURES = 2, 3
"""Changes that get the program to another failure, and how many failures one after the other are gone through."""
MOST_JOBS = 2
_LOOK_S = 0.02
_WEIGHTS = {"time": 0, "signal": 0, PASSED: 1}
"""What is said of a variant's end: that it was ended, then that it had passed the failure, then how it ended itself."""
_ENDS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
_TELLING = frozenset(
    f"guess-{kind}"
    for kind in (
        "return",
        "order",
        "near",
        "called",
        "packed",
        "unpacked",
        "listed",
        "self",
        "brackets",
        "axis",
        "looped",
        "odd-axis",
        "json",
        "objects",
        "helper",
        "prepared",
        "rounded",
        "dtype",
        "plain-form",
    )
)
_ALONE = frozenset({"guess-odd-axis"})
"""Kinds of which several that help tell nothing."""
_MISSED_ELSEWHERE = frozenset(
    {
        *("missing-log-name", "uneven-batch", "api-removed", "none-result", "save-failed", "index-beyond-size"),
        "label-out-of-range",
    }
)
"""Rules whose line is that of a use, while the change is of what it uses."""
_GO_ON: tuple[Standing, ...] = ("later", "elsewhere")
_OTHERS = ("MEM", "GPU", "NUM", "DST")
_OF_SOURCE = frozenset({"device-not-found"})
"""Rules of those families whose change is of the source, and shows on any machine."""
_WORDS: dict[Standing, tuple[str, str]] = {
    "finishes": ("proved", "the program finishes"),
    "later": ("proved", "it gets past this failure"),
    "elsewhere": ("refuted", "it then fails of something else"),
    "again": ("refuted", "it fails again, or later"),
}


class _Seen(NamedTuple):
    """A change that was tried, and how the program ended with it."""

    idea: Idea
    standing: Standing
    ending: Ending
    facts: tuple[Entry, ...] = ()

    @property
    def finishes(self) -> bool:
        return self.standing == "finishes"


class Copy:
    """The copy of one run's program, and the time that is left for all that it is asked."""

    def __init__(self, directory: RunDirectory, ran_s: float) -> None:
        self._place = Path(copy_directory(str(directory.path)))
        self._asked = 0
        self._began_s = time.monotonic()
        self._until_s = self._began_s + min(TIMES_AS_LONG * ran_s + CONTROL_S, MOST_TOGETHER_S)
        self._control_s = 0.0

    @property
    def is_there(self) -> bool:
        try:
            os.kill(int((self._place / "pid").read_text()), 0)
        except (OSError, ValueError):
            return False
        return True

    def is_ready(self) -> bool:
        """Whether it is there, now or in a moment: the program may have ended before its copy had begun."""
        until_s = time.monotonic() + BEGINS_S
        while not self.is_there and self._place.is_dir() and time.monotonic() < until_s:
            time.sleep(_LOOK_S)
        return self.is_there

    @property
    def left_s(self) -> float:
        return self._until_s - time.monotonic()

    def ask(
        self, root: str, variants: list[dict[str, str]], told: int
    ) -> tuple[dict[int, Ending], dict[int, list[Entry]]]:
        """How each variant ended, by its number, as far as there was time, and what is known of the failures of the
        first ones. The first variant that is ever asked for is the program as it is: it tells how long a trial takes.
        """
        # How long the first one may take is no bound for those after it, which are asked for together with it.
        limit_s, control_s = MOST_TOGETHER_S if self._asked == 0 else max(0.0, self.left_s), self._control_s
        task = Task([], variants, MOST_JOBS, ENOUGH, limit_s, alone=0, told=told, control_s=control_s)
        replace_whole(self._place / f"task-{self._asked}", json.dumps({"root": root, **task._asdict()}).encode())
        answer, facts = self._place / f"said-{self._asked}", self._place / f"facts-{self._asked}"
        self._asked += 1
        found: dict[int, Ending] = {}
        is_first = self._asked == 1
        while self.left_s > 0 and DONE not in found and self.is_there:
            # Waits a moment, or until somebody does not want to wait any longer.
            if signal.sigtimedwait(_ENDS, _LOOK_S) is not None:
                self._until_s = 0.0
            found = _endings(answer)
            if is_first and self._until_s and 0 in found:
                wanted_s = min(max(RUNS * found[0].wall_s, TOGETHER_S), MOST_TOGETHER_S)
                self._until_s, is_first = self._began_s + wanted_s, False
                self._control_s = found[0].wall_s
        try:
            return found, told_by(facts.read_bytes())
        except OSError:
            return found, {}

    def go_on(self) -> None:
        """After a success there is a little more time."""
        self._until_s = max(self._until_s, time.monotonic() + FURTHER_S)

    def end(self) -> None:
        """It goes when the directory does."""
        shutil.rmtree(self._place, ignore_errors=True)


def _endings(answer: Path) -> dict[int, Ending]:
    """What says most of each variant; that one has passed the failure is not taken back by being ended."""
    try:
        lines = [one for one in map(ending_of, answer.read_bytes().splitlines()) if one is not None]
    except OSError:
        return {}
    found: dict[int, Ending] = {}
    for one in lines:
        was = found.get(one.number)
        if was is None or _WEIGHTS.get(one.how, 2) >= _WEIGHTS.get(was.how, 2):
            found[one.number] = one
    return found


def tried_in_copy(directory: RunDirectory, case: Case, diagnosis: Diagnosis, guess: Guess) -> Proof | None:
    """What came of the changes; None where there is no copy, or where the program does not fail in it as it did."""
    copy = Copy(directory, _ran_s(case))
    try:
        with signals.blocked(_ENDS):
            is_tried = _is_tried(case, diagnosis) and copy.is_ready()
            return _tried(copy, case, diagnosis, guess) if is_tried else None
    finally:
        copy.end()


def _ran_s(case: Case) -> float:
    """How long the program ran until its last record, its imports included."""
    entries = case.principal.entries if case.principal is not None else []
    return (entries[-1].at_ns - entries[0].at_ns) / 1e9 if entries else 0.0


def _is_tried(case: Case, diagnosis: Diagnosis) -> bool:
    if any(len(source.lines) > LONGEST_FILE for source in case.project.values()):
        return False
    cause = diagnosis.cause
    return (
        diagnosis.outcome == "failed"
        and case.uncaught is not None
        and cause is not None
        and (cause.code[:3] not in _OTHERS or cause.name in _OF_SOURCE)
    )


def _tried(copy: Copy, case: Case, diagnosis: Diagnosis, guess: Guess) -> Proof | None:
    began_s = time.monotonic()
    before = observed(case, diagnosis)
    root = os.path.commonpath([os.path.dirname(file) for file in case.project if os.path.isabs(file)] or [os.sep])
    own = [_at_the_change(case, one) for one in ideas(case, diagnosis, _no_guess)[:MOST_OWN]]
    wider = [other for one in own for other in alike(case, one)][:MOST_WIDER]
    makers = [other for one in own for other in at_makers(case, one)][:MOST_WIDER]
    unused = [one for one in ideas(case, diagnosis, of_unused) if one.guessed][:MOST_UNUSED]
    halved = [one for one in ideas(case, diagnosis, of_halved) if one.guessed][:MOST_HALVED]
    sizes = [*of_constants(case, diagnosis), *halved]
    control, seen = _asked(copy, case, root, [*unused, *own, *makers, *wider, *sizes], None, is_told=True)
    if control is None or control.how != "raised" or control.raised != before.raised.rpartition(".")[2]:
        return None
    # What was prepared is what was meant; one edit where a value is made comes before several where it is used.
    seen = [one for one in seen if one.finishes or one.idea not in unused]
    best = sorted(seen, key=lambda one: (not one.finishes, one.idea not in unused, len(one.idea.change.edits)))
    if not any(one.finishes for one in seen):
        best = [*_gone_on(copy, root, case, seen), *best]
    if not any(one.standing in ("finishes", "later") for one in best):
        guesses = _plausible(ideas(case, diagnosis, guess))
        helping = _unambiguous(guesses, _asked(copy, case, root, guesses, control, is_told=False)[1])
        best += sorted(helping, key=_price)[:MOST_OFFERED]
    best = _at_the_maker(case, best)
    facts: dict[str, object] = {"words": before.raised.rpartition(".")[2], "outcome": "failed"}
    return Proof(
        reproduced=True,
        before=facts,
        sandbox="a copy of the process",
        by=BY_COPY,
        wall_s=round(time.monotonic() - began_s, 1),
        tried=[_as_tried(case, one, facts) for one in _worth_telling(best, own)],
        errors=list(diagnosis.errors),
    )


def _at_the_change(case: Case, one: Idea) -> Idea:
    """For rules that blame the line where something is missed: what is wrong there was written where the change is."""
    finding, edits = one.candidate.finding, one.change.edits
    places = {(edit.file, edit.start[0]) for edit in edits}
    was = finding.location
    if finding.name not in _MISSED_ELSEWHERE or one.change.kind == "definition" or len(places) != 1 or was is None:
        return one
    place = located(case.project, *next(iter(places)))
    if (place.file, place.line) == (was.file, was.line):
        return one
    return _moved(one, place)


def _moved(one: Idea, place: Location) -> Idea:
    """A change whose finding is told at another statement."""
    finding = one.candidate.finding
    was = finding.location
    words = finding.message.removeprefix(prefix(was))
    message = f"{prefix(place)}{words} (on {line_words(was)})" if was is not None else f"{prefix(place)}{words}"
    moved = msgspec.structs.replace(finding, location=place, message=message)
    return one._replace(candidate=msgspec.structs.replace(one.candidate, finding=moved))


def _at_the_maker(case: Case, best: list[_Seen]) -> list[_Seen]:
    """The findings of what helps, at the statement that all of it changes, where the failing line only uses what is
    made there."""
    helping = [one for one in best if one.finishes and not one.idea.guessed]
    findings = [one.idea.candidate.finding for one in helping]
    place = made_there(case, findings, [one.idea.change for one in helping])
    if place is None:
        return best
    return [one._replace(idea=_moved(one.idea, place)) if one in helping else one for one in best]


def _no_guess(case: Case, diagnosis: Diagnosis) -> list[Candidate]:
    return []


def _plausible(found: list[Idea]) -> list[Idea]:
    """Generic changes of the kinds that say themselves what was wrong. Others let a program finish that does not do any
    more what was meant: those are for `whydied prove`, which shows what they change."""
    return [one for one in found if one.guessed and one.change.kind in _TELLING][:MOST_GUESSES]


def _unambiguous(asked: list[Idea], seen: list[_Seen]) -> list[_Seen]:
    """What helps, without kinds of which only one may, where more of them do or some could not be tried."""
    helping = [one for one in seen if one.finishes]
    tried = [one.idea for one in seen]
    kinds = Counter(one.idea.change.kind for one in helping)
    kinds.update(one.change.kind for one in asked if one not in tried)
    return [one for one in helping if kinds[one.idea.change.kind] == 1 or one.idea.change.kind not in _ALONE]


def _worth_telling(best: list[_Seen], own: list[Idea]) -> list[_Seen]:
    """The best of what helps, and what the rules propose, with what became of it. Where a change lets the program
    finish, one that only gets it to another failure is not enough."""
    finishing = _least([one for one in best if one.finishes])[:MOST_OFFERED]
    if not finishing:
        return [one for one in best if one.idea in own or one.standing == "later"]
    others = [one for one in best if one.idea in own and not one.finishes]
    return [*finishing, *(one._replace(standing="again") for one in others)]


def _least(finishing: list[_Seen]) -> list[_Seen]:
    """Without those that do what another one does, and more."""
    edits = [
        frozenset((edit.file, edit.start, edit.end, edit.text) for edit in one.idea.change.edits) for one in finishing
    ]
    return [one for one, own in zip(finishing, edits, strict=True) if not any(other < own for other in edits)]


def _gone_on(copy: Copy, root: str, case: Case, seen: list[_Seen]) -> list[_Seen]:
    """Changes after which the program finishes, each of one that only got it to another failure and of what mends
    that one, and so on; where none does, the one that came farthest."""
    farthest: list[_Seen] = []
    for base in sorted((one for one in seen if one.standing in _GO_ON and one.facts), key=_farthest)[:MOST_BASES]:
        past = base
        for _ in range(MOST_FAILURES):
            again = failed_again(case, past.idea.texts, past.facts)
            if again is None or copy.left_s <= 0:
                break
            second = Case(again)
            found = [upon(case, past.idea, one) for one in ideas(second, diagnose(again, (), second), _no_guess)]
            further = [one for one in found if one is not None][:MOST_OWN]
            tried = _asked(copy, case, root, further, past.ending, is_told=True)[1]
            finishing = [one for one in tried if one.finishes]
            if finishing:
                return sorted(finishing, key=_price)[:MOST_OFFERED]
            following = sorted((one for one in tried if one.standing in _GO_ON and one.facts), key=_farthest)
            if not following:
                break
            past = following[0]
            copy.go_on()
        farthest += [past._replace(standing="later")] if past is not base else []
    return farthest[:1]


def _farthest(one: _Seen) -> int:
    return _GO_ON.index(one.standing)


def _asked(
    copy: Copy, case: Case, root: str, wanted: list[Idea], control: Ending | None, *, is_told: bool
) -> tuple[Ending | None, list[_Seen]]:
    """How the program as it is ended, which runs first unless that is known, and what was seen of each change."""
    chosen = [(one, texts) for one in wanted if (texts := below(root, one.texts)) is not None]
    if copy.left_s <= 0 or (control is not None and not chosen):
        return control, []
    first: list[dict[str, str]] = [] if control is not None else [{}]
    variants = [*first, *(texts for _, texts in chosen)]
    endings, facts = copy.ask(root, variants, len(variants) if is_told else 0)
    control = control or endings.get(0)
    if control is None:
        return None, []
    return control, [
        _Seen(one, _standing(case, one, control, ending, root), ending, tuple(facts.get(number, ())))
        for number, (one, _) in enumerate(chosen, len(first))
        if (ending := endings.get(number)) is not None
    ]


def _standing(case: Case, one: Idea, control: Ending, ending: Ending, root: str) -> Standing:
    """A failure further on that is one of what the change made is no progress."""
    found = standing(control, ending, one.lines, root)
    moved = found == "later" and fails_of_it(case.project, one.change.edits, stack_of(ending, one.lines, root))
    return "elsewhere" if moved else found


def _price(one: _Seen) -> tuple[bool, int]:
    return bool(one.idea.cost), get_args(Harm).index(one.idea.change.harm)


def _as_tried(case: Case, one: _Seen, before: dict[str, object]) -> Tried:
    verdict, why = _WORDS.get(one.standing, ("untested", ""))
    change, started = one.idea.change, case.recording.started
    return Tried(
        title=change.title,
        kind=change.kind,
        harm=change.harm,
        patch=patch(case.project, change.edits, started.cwd if started else "") or "",
        edits=change.edits,
        cause=one.idea.candidate.finding,
        verdict=verdict,
        words=why,
        value=change.value,
        guessed=one.idea.guessed,
        gives_up=one.idea.cost,
        before=before,
        after=_after(one),
    )


def _after(one: _Seen) -> dict[str, object]:
    if one.finishes:
        return {"words": f"finished in {words.duration(one.ending.wall_s)}", "outcome": "finished"}
    place = _last_line(one.ending)
    if one.ending.how == PASSED:
        return {"words": "still running", "outcome": "stopped"}
    if one.ending.how == "refused":
        return {"words": f"went on to {place}, which connects or starts something", "outcome": "stopped"}
    return {"words": f"{one.ending.raised or one.ending.how} at {place}", "outcome": "failed"}


def _last_line(ending: Ending) -> str:
    if not ending.frames:
        return "another file"
    file, _, line = ending.frames[-1]
    cell = cell_number(f"/{file}")
    return f"line {line}" if cell is None else f"cell [{cell}], line {line}"
