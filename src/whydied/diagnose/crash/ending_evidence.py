"""Evidence that several ways of ending share. Pure."""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.crash.crash_place import crash_place
from whydied.diagnose.crash.native_crash import crash_evidence, crash_of, sender_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import SignalReceived
from whydied.texts import native_output

CRASH_TEXTS = {
    "[evidence of a crash]": """\
The wait status of the process; the Python stack that faulthandler wrote while dying (of the main thread where the one
that crashed ran no Python, else the line at which the sampler last saw it); the native frames, the op and the address,
from the registers and the stack that our handler kept (x86_64); the call into Keras that was running, with its epoch
and step; the kernel's log where it may be read.""",
    "[proof of a crash]": """\
The wait status is direct evidence of the signal: the finding is certain. What made it happen is not decided
here.""",
}
"""What the documentation of the rules about crashes has in common."""
UNSEEN = "the kernel, or a process outside this container"

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
    pids = case.recording.pids
    return [
        Evidence(fact="kernel log", value=line, source="KernelLogged")
        for line in case.recording.kernel_lines
        if pids & {int(number) for number in re.findall(r"\b\d+\b", line)}
    ]


def last_words(case: Case, pattern: str = r"\S") -> list[Evidence]:
    """The last lines of the program's error output that match a pattern."""
    lines = [line.strip() for line in case.recording.output.splitlines() if re.search(pattern, line)]
    # A kernel's own log goes to the server's, and is not what the notebook said.
    chatter = (native_output.CHATTER, native_output.KERNEL_LOG_OF_JUPYTER)
    found = [line for line in lines if not any(text.match(line) for text in chatter)]
    if not found:
        return []
    return [Evidence(fact="last lines of output", value="\n".join(found[-_LAST_WORDS:]), source="OutputWritten")]


def crash(
    case: Case,
    what: str,
    advice: list[str],
    *,
    extra: list[Evidence] | None = None,
    culprit: Culprit | None = None,
) -> Finding:
    """A death by a signal of the processor or the C library, at the Python line that was running or made the op."""
    place, seen = crash_place(case)
    asked = case.exit_request
    sender = sender_of(case)
    if asked and asked.signal == case.signal and asked.frames:
        place = case.locate_user(asked.frames) or place
        seen = [
            Evidence(fact="requested by the program itself", value=f"{asked.how}", source="ExitRequested"),
            *seen,
        ]
        what = f"was ended by {case.signal_name}, which the program sent to itself with {asked.how}"
        advice = ["This line sends the signal; nothing crashed."]
    elif sender is not None:
        who = f"process {sender}" if sender else "a process outside this container"
        what = f"was ended by {case.signal_name}, which {who} sent: nothing crashed"
        advice = ["Find out who sends this signal; the line shows only where the program was."]
        extra, culprit = [], None
    native = crash_evidence(case) if not (asked and asked.signal == case.signal) else []
    return Finding(
        message=f"{prefix(place)}{case.program} {what}",
        certainty="certain",
        location=place,
        culprit=culprit,
        evidence=[wait_status(case), *(extra or []), *seen, *native, *_sent(case, sender), *kernel_lines(case)],
        advice=advice,
    )


def _sent(case: Case, sender: int | None) -> list[Evidence]:
    seen = crash_of(case)
    if sender is None or seen is None:
        return []
    return [Evidence(fact="sent by", value=f"process {sender}", source=f"CrashSeen of process {seen.pid}")]


def sender_evidence(case: Case, number: int) -> list[Evidence]:
    """The senders of a signal that reached the supervisor."""
    return [
        Evidence(fact="sender", value=_sender(received), source="SignalReceived")
        for received in case.recording.signals_received
        if received.signal == number
    ]


def sender(case: Case, number: int) -> str | None:
    """The last sender of a signal, in words."""
    found = sender_evidence(case, number)
    return str(found[-1].value) if found else None


def _sender(received: SignalReceived) -> str:
    if received.from_terminal:
        return "the terminal (Ctrl-C)"
    if received.sender_pid:
        name = f" ({received.sender_name})" if received.sender_name else ""
        return f"process {received.sender_pid}{name} of user {received.sender_uid}"
    # The number of a sender outside of this container's view is 0, like the kernel's own.
    return UNSEEN
