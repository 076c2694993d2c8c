"""Evidence that several ways of ending share. Pure."""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding

_LAST_WORDS = 4


def wait_status(case: Case) -> Evidence:
    ended = case.ended
    source = f"ProgramEnded ({ended.from_})" if ended else "none"
    if ended and ended.signal is None and case.signal is not None:
        return Evidence(
            fact="exit status passed on by the wrapper",
            value=f"{ended.exit_code} ({case.signal_name})",
            source=source,
        )
    return Evidence(
        fact="ended by",
        value=case.signal_name if case.signal else f"exit status {case.exit_code}",
        source=source,
    )


def kernel_lines(case: Case) -> list[Evidence]:
    pids = {process.pid for process in case.recording.processes}
    if case.recording.program:
        pids.add(case.recording.program.pid)
    return [
        Evidence(fact="the kernel's log", value=line, source="KernelLogged")
        for line in case.recording.kernel_lines
        if pids & {int(number) for number in re.findall(r"\b\d+\b", line)}
    ]


def last_words(case: Case, pattern: str = r"\S") -> list[Evidence]:
    """The last lines of the program's error output that match a pattern."""
    found = [line.strip() for line in case.recording.output.splitlines() if re.search(pattern, line)]
    if not found:
        return []
    return [Evidence(fact="its last words", value="\n".join(found[-_LAST_WORDS:]), source="OutputWritten")]


def crash(
    case: Case,
    what: str,
    advice: list[str],
    *,
    extra: list[Evidence] | None = None,
    culprit: Culprit | None = None,
) -> Finding:
    """A death by a signal of the processor or the C library, at the Python line that was running."""
    place, seen = case.fault_location()
    certainty: Certainty = "certain"
    asked = case.exit_request
    if asked and asked.signal == case.signal and asked.frames:
        mine = [frame for frame in asked.frames if frame.user]
        place = case.locate(mine[-1]) if mine else place
        seen = [
            Evidence(fact="the program asked for it", value=f"{asked.how}", source="ExitRequested"),
            *seen,
        ]
        what = f"{what}, which the program sent to itself with {asked.how}"
    return Finding(
        message=f"{prefix(place)}{case.program} {what}",
        certainty=certainty,
        location=place,
        culprit=culprit,
        evidence=[wait_status(case), *(extra or []), *seen, *kernel_lines(case)],
        advice=advice,
    )
