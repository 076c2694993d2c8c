"""From a recording to findings: how the run ended, what the rules answer, which answer lies below which. Pure.

Nothing here knows a rule by its name: how rules relate is said in their modules, in the words of `rule.py`.
"""

from __future__ import annotations

import signal
from typing import NamedTuple

import msgspec

from whydied.diagnose.answers import Answer, Answers
from whydied.diagnose.case import STOP_SIGNALS, Case
from whydied.diagnose.crash.children import failed_child
from whydied.diagnose.errors.calls.tried_forms import supplemented
from whydied.diagnose.errors.ops.graph_sizes import completed
from whydied.diagnose.finding import Candidate, Finding, Fix, Location, Outcome
from whydied.diagnose.hangs.stalls import hung
from whydied.diagnose.importing import with_imports
from whydied.diagnose.memory.guard_stops import stopped_by_guard
from whydied.diagnose.memory.memory_jumps import jumps_of
from whydied.diagnose.memory.memory_over_time import gave_up_over_memory, leaks
from whydied.diagnose.notes import edited_notes, notes_of
from whydied.diagnose.numerics.bad_steps import stopped_at
from whydied.diagnose.registry import find_rule
from whydied.diagnose.rule import DEATHS
from whydied.read.recording import Recording
from whydied.source.edits.edit import Change, patch
from whydied.source.text import Source

ALIVE = ("finished", "running")
"""Outcomes that are not a death."""
AROUND = 6
"""More lines than any report shows."""
LONGEST = 500


class Diagnosis(NamedTuple):
    """`errors` are those of our own rules: one that fails is passed over, and the others are asked all the same."""

    outcome: Outcome
    death: Finding | None
    cause: Finding | None
    findings: list[Finding]
    fixes: list[Fix]
    candidates: list[Candidate]
    notes: list[str]
    undetermined: str | None
    errors: list[str]


def diagnose(recording: Recording, silence: tuple[str, ...] = (), case: Case | None = None) -> Diagnosis:
    case = case or Case(recording)
    answers = Answers(case, [])
    outcome = outcome_of(case)
    notes = answers.attempt("notes", notes_of) or []
    death = answers.first(*DEATHS) if outcome not in ALIVE else []
    below = _below(answers, death)
    aside = _aside(answers, below)
    if not death and not below:
        below, aside = aside[:1], aside[1:]
    below, death = _supplemented(case, below, death)
    reported = below + death + aside
    if any(rule.role in ("memory", "memory death") for rule, _ in reported):
        notes += [jump.words for jump in answers.attempt("jumps", jumps_of) or []]
    silenced = [rule for rule, _ in reported if rule.code in silence or rule.name in silence]
    notes += [f"{rule.code} {rule.name} was found and is silenced by the configuration" for rule in silenced]
    reported = [Answer(rule, surrounded(with_imports(case, finding), recording)) for rule, finding in reported]
    findings = _numbered(reported, chained=len(below + death))
    notes += edited_notes(case, findings)
    hidden = {rule.code for rule in silenced}
    # What lies below a death explains it: what the death alone would suggest is a guess.
    explaining = [one for one in findings[: len(below or death)] if one.code not in hidden]
    fixes = fixes_of(case, explaining)
    candidates = _candidates(answers, below or death, explaining)
    findings = [_without_changes(finding) for finding in findings]
    cause = findings[0] if below or death else None
    if cause is not None and not below and not answers.attempt("reason", death[0].rule.is_reason):
        cause = msgspec.structs.replace(cause, certainty="likely" if cause.certainty == "certain" else cause.certainty)
    return Diagnosis(
        outcome=outcome,
        death=findings[len(below)] if death else None,
        cause=cause,
        findings=[finding for finding in findings if finding.code not in hidden],
        fixes=fixes,
        candidates=candidates,
        notes=notes,
        undetermined=undetermined(case, outcome, cause),
        errors=answers.errors,
    )


def _supplemented(case: Case, below: list[Answer], death: list[Answer]) -> tuple[list[Answer], list[Answer]]:
    """With what was tried on the live values, where the deepest answer has no advice of its own."""
    chain = below or death
    if not chain or chain[0].rule.role not in ("explanation", "death"):
        return below, death
    told = [chain[0]._replace(finding=completed(case, supplemented(case, chain[0].finding))), *chain[1:]]
    return (told, death) if below else (below, told)


def _below(answers: Answers, death: list[Answer]) -> list[Answer]:
    """What lies below a death or an end without one, the deepest first."""
    found = _explained_once(_below_handler(answers, death) + answers.causes.of_end + _root(answers, death))
    child = answers.attempt("children", failed_child)
    if child is not None:
        return _below_child(Answers(child, answers.errors), found, answers.case)
    if _is_of_memory(death) and not _of_all_processes(found):
        return answers.first("memory") + found
    ended_for_it = answers.case.was_stopped or answers.attempt("given up", gave_up_over_memory)
    if ended_for_it and not found and answers.attempt("leak", leaks):
        return answers.growth()
    return found


def _below_handler(answers: Answers, death: list[Answer]) -> list[Answer]:
    """What explains the exception that the program caught, and in whose handler it ended itself."""
    caught = answers.attempt("caught", death[0].rule.as_if_uncaught) if death else None
    return Answers(caught, answers.errors).about_caught() if caught is not None else []


def _root(answers: Answers, death: list[Answer]) -> list[Answer]:
    root = answers.attempt("root", death[0].rule.check_root) if death else None
    return [death[0]._replace(finding=root)] if root is not None else []


def _below_child(answers: Answers, found: list[Answer], parent: Case) -> list[Answer]:
    """The death of a child that ended the program, with what lies below it, below what was found of the program."""
    death = answers.first(*DEATHS)
    together = _of_all_processes(found) if _is_of_memory(death) else []
    below = _below(answers, death)
    if together and not _piles_up(below):
        below = together
    return [_placed(one, parent) for one in below + death + [one for one in found if one not in below]]


def _aside(answers: Answers, below: list[Answer]) -> list[Answer]:
    """What is wrong and has no part in how the run ended, the deepest last, then what grew for good if nothing says so
    yet."""
    found = answers.causes.aside[::-1]
    if any(rule.role == "memory" for rule, _ in below):
        return found
    return found + (answers.growth() if answers.attempt("leak", leaks) else [])


def _explained_once(found: list[Answer]) -> list[Answer]:
    """Of several explanations of an exception the deepest, which knows most of it."""
    explaining = [at for at, one in enumerate(found) if one.rule.role == "explanation"]
    return [one for at, one in enumerate(found) if at not in explaining[1:]]


def _is_of_memory(death: list[Answer]) -> bool:
    return any(rule.role == "memory death" for rule, _ in death)


def _of_all_processes(found: list[Answer]) -> list[Answer]:
    """What all processes of the program together took: it says more than what one of them held."""
    return [one for one in found if one.rule.of_all_processes and one.finding.certainty == "certain"]


def _piles_up(below: list[Answer]) -> bool:
    """Whether something kept growing in a process: fewer of them would only put its end off."""
    return any(rule.role == "memory" and not rule.at_once and one.certainty == "certain" for rule, one in below[:1])


def _placed(found: Answer, case: Case) -> Answer:
    """A child that nobody saw at a line ended where the program waited for it."""
    if found.finding.location is not None or case.uncaught is None:
        return found
    place = case.locate_exception(case.uncaught.chain)
    return found._replace(finding=msgspec.structs.replace(found.finding, location=place))


def _numbered(reported: list[Answer], chained: int) -> list[Finding]:
    """The first ones are a chain, the deepest first, each because of the one before it."""
    return [
        msgspec.structs.replace(
            finding,
            id=f"F{number}",
            code=rule.code,
            name=rule.name,
            docs=f"docs/rules/{rule.code}.md",
            because_of=f"F{number - 1}" if 1 < number <= chained else None,
        )
        for number, (rule, finding) in enumerate(reported, 1)
    ]


def fixes_of(case: Case, findings: list[Finding]) -> list[Fix]:
    """The changes of source that the findings of a chain name, as patches of files and of a notebook's cells, the
    deepest first; none of them was tried on the program."""
    found: list[Fix] = []
    for finding in findings:
        for change in finding.changes or []:
            fix = fix_of(case, finding.id, change)
            if fix is not None and all(fix.patch != other.patch for other in found):
                found.append(fix)
    return found


def fix_of(case: Case, answers: str, change: Change) -> Fix | None:
    """A change as a patch; None where its edits leave nothing that is Python."""
    started = case.recording.started
    diff = patch(case.project, change.edits, started.cwd if started is not None else "")
    if diff is None:
        return None
    return Fix(
        title=change.title,
        kind=change.kind,
        value=change.value,
        answers=answers,
        patch=diff,
        harm=change.harm,
        edits=change.edits,
    )


def _candidates(answers: Answers, explaining: list[Answer], findings: list[Finding]) -> list[Candidate]:
    """What is worth a trial: the changes of the findings that explain the end, then those of their rivals."""
    rivals = [
        msgspec.structs.replace(surrounded(finding, answers.case.recording), code=rule.code, name=rule.name)
        for one in explaining
        for name, finding in answers.attempt(f"rivals of {one.rule.code}", one.rule.check_rivals) or []
        if (rule := find_rule(name)) is not None
    ]
    return [
        Candidate(finding=_without_changes(finding), change=change)
        for finding in [*findings, *rivals]
        for change in finding.changes or []
    ]


def _without_changes(finding: Finding) -> Finding:
    return msgspec.structs.replace(finding, changes=msgspec.UNSET)


def surrounded(finding: Finding, recording: Recording) -> Finding:
    """A finding whose places have their lines with them, as they ran: when the report is shown the file may have been
    edited, and a cell has none."""
    place = finding.location
    links = [msgspec.structs.replace(link, location=_with_lines(link.location, recording)) for link in finding.chain]
    return msgspec.structs.replace(finding, location=_with_lines(place, recording), chain=links)


def _source_of(place: Location | None, recording: Recording) -> Source | None:
    if place is None:
        return None
    return recording.sources.get(place.file) or recording.project.get(place.file)


def _with_lines(place: Location | None, recording: Recording) -> Location | None:
    source = _source_of(place, recording)
    if place is None or source is None:
        return place
    first = max(0, place.line - 1 - AROUND)
    lines = [line[:LONGEST] for line in source.lines[first : place.line + AROUND]]
    return msgspec.structs.replace(place, around=lines, around_line=first + 1)


def outcome_of(case: Case) -> Outcome:
    recording = case.recording
    if recording.not_started:
        return "failed"
    if case.is_running:
        return "running"
    if any(sent.why in ("time limit", "hang") for sent in recording.signals_sent):
        return "hung"
    if any(sent.why == "memory limit" for sent in recording.signals_sent):
        return "stopped"
    if hung(case):
        return "hung"
    if case.signal in STOP_SIGNALS or stopped_at(case) is not None or stopped_by_guard(case) is not None:
        return "stopped"
    if case.signal is not None or (case.ended_with_group and case.exit_code is None):
        return "died"
    if case.shut_down_in is not None:
        return "stopped"
    if case.exit_code == 0:
        return "failed" if case.left_cell else "finished"
    if case.exit_code is None:
        return "died"
    raised = case.uncaught
    interrupted = raised is not None and raised.chain[0].type == "KeyboardInterrupt"
    if interrupted or (case.stop_signal and raised is None):
        return "stopped"
    return "failed"


def undetermined(case: Case, outcome: Outcome, cause: Finding | None) -> str | None:
    if outcome in ALIVE or (cause is not None and cause.certainty != "possible"):
        return None
    if case.signal == signal.SIGKILL:
        return (
            "Nothing shows who sent SIGKILL. Readable OOM counters (a cgroup of the program's own: --memory-limit) "
            "or the kernel log would show whether memory was the reason."
        )
    if case.principal is None and case.recording.processes:
        return "None of the recorded processes ended in the way that the exit status says."
    if case.principal is None:
        return "No recorder was inside the program, so only its exit status and output are known."
    return "The recording does not say how the program ended."
