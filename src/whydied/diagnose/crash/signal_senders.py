"""Who sent a signal, as far as the evidence goes. Pure."""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Evidence
from whydied.records import SignalReceived

UNSEEN = "the kernel, or a process outside this container"


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
