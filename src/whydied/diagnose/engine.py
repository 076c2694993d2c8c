"""From a recording to findings: how it ended, then what lies below, causes before symptoms. Pure."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeVar

import msgspec

from whydied.diagnose.case import STOP_SIGNALS, Case
from whydied.diagnose.cell_lines import surrounded
from whydied.diagnose.crash.children import failed_child
from whydied.diagnose.finding import Finding
from whydied.diagnose.hangs.stalls import hung
from whydied.diagnose.memory.memory_jumps import jumps_of
from whydied.diagnose.memory.memory_over_time import leak_of
from whydied.diagnose.notes import edited_notes, notes_of
from whydied.diagnose.numerics.bad_steps import stopped_at
from whydied.diagnose.registry import ASSERTION, EXPLAIN_EXCEPTIONS, RULES
from whydied.diagnose.rule import Role, Rule
from whydied.diagnose.rules.process import uncaught_exception
from whydied.read.recording import Recording
from whydied.records import ExceptionRaised

MEMORY_DEATHS = {"host-oom-kill", "memory-limit-reached", "allocation-refused"}
Outcome = Literal["finished", "failed", "died", "hung", "stopped", "running"]
ALIVE = ("finished", "running")
"""Outcomes that are no death."""


Found = list[tuple[Rule, Finding]]
T = TypeVar("T")


class Diagnosis(NamedTuple):
    """`errors` are those of our own rules: one that fails is passed over, and the others are asked all the same."""

    outcome: Outcome
    death: Finding | None
    cause: Finding | None
    findings: list[Finding]
    notes: list[str]
    undetermined: str | None
    errors: list[str]


def diagnose(recording: Recording, silence: tuple[str, ...] = (), case: Case | None = None) -> Diagnosis:
    case = case or Case(recording)
    asking = _Asking()
    outcome = outcome_of(case)
    notes = asking.attempt("notes", lambda: notes_of(case)) or []
    found = asking.first(case, "death") if outcome not in ALIVE else []
    below = asking.causes(case, found)
    beside = asking.aside(case)
    beside += asking.leak(case) if not any(rule.role == "memory" for rule, _ in below) else []
    if not found and not below:
        below, beside = beside[:1], beside[1:]
    if any(rule.name in MEMORY_DEATHS or rule.role == "memory" for rule, _ in below + found + beside):
        notes += [jump.words for jump in asking.attempt("jumps", lambda: jumps_of(case)) or []]
    silenced = [rule for rule, _ in below + found + beside if rule.code in silence or rule.name in silence]
    notes += [f"{rule.code} {rule.name} was found and is silenced by the configuration" for rule in silenced]
    below, found, beside = (
        [(rule, surrounded(one, recording)) for rule, one in part] for part in (below, found, beside)
    )
    chain = _numbered(below + found)
    cause = chain[0] if chain else None
    # What grew besides has no part in how the run ended.
    findings = chain + [_named(rule, finding, len(chain) + n) for n, (rule, finding) in enumerate(beside, 1)]
    notes += edited_notes(case, findings)
    hidden = {rule.code for rule in silenced}
    return Diagnosis(
        outcome=outcome,
        death=chain[-1] if found else None,
        cause=cause,
        findings=[finding for finding in findings if finding.code not in hidden],
        notes=notes,
        undetermined=_undetermined(case, outcome, cause),
        errors=asking.errors,
    )


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
    if case.signal in STOP_SIGNALS or stopped_at(case) is not None:
        return "stopped"
    if case.signal is not None or (case.ended_with_group and case.exit_code is None):
        return "died"
    if case.exit_code == 0:
        return "failed" if case.left_cell else "finished"
    if case.exit_code is None:
        return "died"
    raised = case.uncaught
    interrupted = raised is not None and raised.chain[0].type == "KeyboardInterrupt"
    if interrupted or (case.stop_signal and raised is None):
        return "stopped"
    return "failed"


class _Asking:
    """Asks the rules, each of them guarded from the failure of another."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def causes(self, case: Case, death: Found) -> Found:
        """What lies below the death, the deepest first."""
        found: Found = []
        if death and death[0][0].name == "uncaught-exception":
            root = self.attempt("root", lambda: uncaught_exception.check_root(case))
            if root is not None:
                found.insert(0, (death[0][0], root))
        for rule in RULES:
            if rule.role == "cause" and (finding := self._ask(rule, case)) and self._explains(rule, case):
                found.insert(0, (rule, finding))
        found = _told_once(self._below_exit(case, death) + found)
        child = self.attempt("children", lambda: failed_child(case))
        if child is not None:
            own = self.first(child, "death")
            together = _together(found) if own and own[0][0].name in MEMORY_DEATHS else []
            below = together or self.causes(child, own)
            return [_placed(one, case) for one in below + own + [one for one in found if one not in together]]
        if death and death[0][0].name in MEMORY_DEATHS and not _together(found):
            return self.first(case, "memory") + found
        return found

    def _below_exit(self, case: Case, death: Found) -> Found:
        """What explains the exception that the program caught, and in whose handler it ended itself."""
        asked = case.exit_call
        if asked is None or not asked.handling or not death or death[0][0].name != "exited-early":
            return []
        caught = case.with_exception(ExceptionRaised(where="handled", chain=asked.handling))
        rules = [rule for rule in RULES if rule.code in EXPLAIN_EXCEPTIONS]
        return [(rule, finding) for rule in reversed(rules) if (finding := self._ask(rule, caught)) is not None]

    def aside(self, case: Case) -> Found:
        """What is wrong and has no part in how the run ended."""
        return [
            (rule, finding)
            for rule in RULES
            if rule.role == "cause" and (finding := self._ask(rule, case)) and not self._explains(rule, case)
        ]

    def leak(self, case: Case) -> Found:
        """What grew for good in a run that something else ended, or nothing."""
        if self.attempt("leak", lambda: leak_of(case)) is None:
            return []
        return self.first(case, "memory")

    def first(self, case: Case, role: Role) -> Found:
        """The first rule of a role that answers."""
        for rule in RULES:
            if rule.role == role and (finding := self._ask(rule, case)):
                return [(rule, finding)]
        return []

    def _explains(self, rule: Rule, case: Case) -> bool:
        return bool(self.attempt(f"end by {rule.code}", lambda: rule.explains_end(case)))

    def _ask(self, rule: Rule, case: Case) -> Finding | None:
        return self.attempt(f"rule {rule.code}", lambda: rule.check(case))

    def attempt(self, what: str, work: Callable[[], T]) -> T | None:
        """What some work of ours answers, or None where it fails."""
        try:
            return work()
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            self.errors.append(f"{what}: {error!r} at {frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}")
            return None


def _told_once(found: Found) -> Found:
    """Of several rules that explain the text of the same exception the deepest, which knows most of it. An assertion
    that the user placed is a fact of its own."""
    explaining = [rule.code for rule, _ in found if rule.code in EXPLAIN_EXCEPTIONS - {ASSERTION}]
    return [one for one in found if one[0].code not in explaining[1:]]


def _together(found: Found) -> Found:
    """What all processes of the program together took: it says more than what one of them held."""
    return [one for one in found if one[0].name == "workers-times-queue" and one[1].certainty == "certain"]


def _placed(found: tuple[Rule, Finding], case: Case) -> tuple[Rule, Finding]:
    """A child that nobody saw at a line ended where the program waited for it."""
    rule, finding = found
    if finding.location is not None or case.uncaught is None:
        return found
    return rule, msgspec.structs.replace(finding, location=case.locate_exception(case.uncaught.chain))


def _numbered(found: Found) -> list[Finding]:
    """A chain, the deepest first, each because of the one before it."""
    chain: list[Finding] = []
    for rule, finding in found:
        below = chain[-1].id if chain else None
        chain.append(msgspec.structs.replace(_named(rule, finding, len(chain) + 1), because_of=below))
    return chain


def _named(rule: Rule, finding: Finding, number: int) -> Finding:
    return msgspec.structs.replace(
        finding, id=f"F{number}", code=rule.code, name=rule.name, docs=f"docs/rules/{rule.code}.md"
    )


def _undetermined(case: Case, outcome: Outcome, cause: Finding | None) -> str | None:
    if outcome in ALIVE or (cause is not None and cause.certainty != "possible"):
        return None
    if case.signal == signal.SIGKILL:
        return (
            "Nothing tells who sent SIGKILL. Readable OOM counters (a cgroup of the program's own: --memory-limit) "
            "or the kernel's log would tell whether memory was the reason."
        )
    if case.principal is None and case.recording.processes:
        return "None of the recorded processes ended in the way that the exit status tells."
    if case.principal is None:
        return "No recorder was inside the program, so only its exit status and output are known."
    return "The recording does not say how the program ended."
