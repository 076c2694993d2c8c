"""How a run ended in one word, and why nothing more can be said where that is so. Pure."""

from __future__ import annotations

import signal
from typing import Literal

from whydied.diagnose.case import STOP_SIGNALS, Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.hangs.stalls import hung
from whydied.diagnose.numerics.bad_steps import stopped_at

Outcome = Literal["finished", "failed", "died", "hung", "stopped", "running"]
ALIVE = ("finished", "running")
"""Outcomes that are not a death."""


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
