"""A run that was ended while it made no progress: what its stacks showed, and who waited for whom. Pure."""

from __future__ import annotations

import signal
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import STOP_SIGNALS, Case
from whydied.diagnose.finding import Evidence, Location
from whydied.read.recording import Recording
from whydied.read.stall import Stall, Waiter, examine
from whydied.read.waiting import WORDS, is_ours
from whydied.records import Frame, ProgramEnded, ProgressResumed, ProgressStopped, StacksTaken
from whydied.source.calls import receiver
from whydied.source.waits.locks import entered

LAST_BREATH_S = 3.0
"""What a program that was told to end did in so many seconds before its end is not progress."""
SOON_S = 5.0
"""A wait of so long is one that a person stops for."""
BY_ITSELF = ("lock", "thread", "queue", "full queue", "event", "condition", "semaphore", "barrier", "future", "pool")
"""What only threads and processes of the program end. Files, pipelines and other programs may just be slow."""
_MOST_STACKS = 10
_INNERMOST = 4
_ENDINGS = (*STOP_SIGNALS, signal.SIGQUIT, signal.SIGKILL, signal.SIGALRM)
_METHODS = {
    "lock": ("acquire",),
    "thread": ("join",),
    "process": ("join", "wait", "communicate"),
    "queue": ("get",),
    "full queue": ("put", "join"),
    "event": ("wait",),
    "condition": ("wait", "wait_for"),
    "semaphore": ("acquire",),
    "barrier": ("wait",),
    "future": ("result", "exception"),
    "pool": ("map", "starmap", "get", "wait", "next", "join", "apply", "imap"),
    "pipe": ("recv", "recv_bytes", "poll"),
    "socket": ("recv", "recv_into", "recvfrom", "sendall", "connect"),
    "file": ("read", "readline", "readlines", "write"),
}


class Seen(NamedTuple):
    """The stall in which a run was ended. `whole` says that it lasted as long as a hang must; `began_s` is when the
    last progress was seen, on the machine's clock."""

    stall: Stall
    stopped: ProgressStopped
    taken: list[StacksTaken]
    whole: bool
    began_s: float
    idle_s: float


def stall_of(case: Case) -> Seen | None:
    """The stall in which the program was ended, where one was; None for a run that ended by itself."""
    recording = case.recording
    if case.is_child or recording.program is None or not _was_ended(case):
        return None
    found = list(recording.supervisor.timed(ProgressStopped))
    if not found:
        return None
    at_s, stopped = found[-1]
    end_s = _end_s(recording)
    resumed = [when for when, _ in recording.supervisor.timed(ProgressResumed) if when > at_s]
    if resumed and end_s - resumed[0] > LAST_BREATH_S:
        return None
    taken = [one for one in _stacks(recording) if one.moment == stopped.moment]
    stall = examine(recording.program.pid, stopped.processes, taken)
    began_s = at_s - stopped.idle_s
    return Seen(stall, stopped, taken, stopped.idle_s >= stopped.wanted_s, began_s, end_s - began_s)


def hung(case: Case) -> bool:
    """Whether the run was ended in a state that is called a hang: it lasted long enough, no time could help, or it
    waited a while for what only the program itself brings, and nothing of it was about to."""
    seen = stall_of(case)
    if seen is None or not seen.stall.hangs:
        return False
    return seen.whole or is_closed(seen.stall) or (seen.stopped.idle_s >= SOON_S and _is_by_itself(seen.stall))


def _is_by_itself(stall: Stall) -> bool:
    return bool(stall.chain) and stall.chain[-1].stand.kind in BY_ITSELF


def is_closed(stall: Stall) -> bool:
    """Whether threads wait for each other by the very objects, locks and threads, so that no time could help."""
    return bool(stall.circle) and all(knot.wants is not None or knot.kind == "thread" for knot in stall.circle)


def _was_ended(case: Case) -> bool:
    """Whether something from outside ended the program."""
    if case.shut_down_in or any(sent.why in ("time limit", "hang") for sent in case.recording.signals_sent):
        return True
    if case.signal is not None:
        return case.signal in _ENDINGS and not (case.signal == signal.SIGKILL and case.recording.own_oom_kills())
    raised = case.uncaught
    interrupted = raised is not None and raised.chain[0].type == "KeyboardInterrupt"
    return interrupted or (bool(case.exit_code) and case.stop_signal is not None)


def _end_s(recording: Recording) -> float:
    ends = [at_s for at_s, _ in recording.supervisor.timed(ProgramEnded)]
    return ends[-1] if ends else recording.supervisor.last_at_s


def _stacks(recording: Recording) -> list[StacksTaken]:
    inside = [taken for process in recording.processes for taken in process.all(StacksTaken)]
    return [*inside, *recording.supervisor.all(StacksTaken)]


# In words.


def who(case: Case, waiter: Waiter) -> str:
    """`the main thread`, `thread loader`, `process 4711`, `thread loader of process 4711`."""
    program = case.recording.program
    own = program is not None and waiter.pid == program.pid
    if waiter.thread is None or waiter.thread.main:
        return "the main thread" if own else f"process {waiter.pid}"
    return f"thread {waiter.thread.name}" + ("" if own else f" of process {waiter.pid}")


def what(case: Case, waiter: Waiter) -> str:
    """`an item from a queue (tasks)`: what a thread waits for, with the name that the source has for it."""
    name = name_of(case, waiter)
    return WORDS[waiter.stand.kind] + (f" (`{name}`)" if name else "")


def name_of(case: Case, waiter: Waiter) -> str | None:
    """What is waited for as the source writes it, where the line says so."""
    waits = [use for use in (waiter.thread.locks if waiter.thread else []) if use.how == "waits"]
    if waits:
        return waits[0].name
    if waiter.stand.kind == "polled" and waiter.thread is not None and waiter.thread.polls is not None:
        return f"while {waiter.thread.polls.condition}"
    line = waiter.stand.line
    if line is None:
        return None
    place, kind = case.locate(line), waiter.stand.kind
    name = entered(case.sources, place) if kind in ("lock", "semaphore") else None
    name = name or receiver(case.sources, place, _METHODS.get(kind, ()))
    return name[:80] if name else None


def place_of(case: Case, waiter: Waiter) -> Location | None:
    return case.locate(waiter.stand.line) if waiter.stand.line is not None else None


def deepest(case: Case, stall: Stall) -> tuple[Waiter, Location | None]:
    """The last one of the chain that stands at a line of the user's. One that writes into a pipe does no wrong: the
    line to change is that of who waits for its end and does not read."""
    chain = stall.chain
    if len(chain) > 1 and chain[-1].stand.kind == "full pipe" and chain[-2].stand.kind == "process":
        chain = chain[:-1]
    for waiter in reversed(chain):
        if (place := place_of(case, waiter)) is not None:
            return waiter, place
    return stall.chain[-1], None


def stood_still(seen: Seen) -> Evidence:
    return Evidence(
        fact="time without output, steps or CPU time",
        value=words.duration(seen.idle_s),
        source="ProgressStopped",
    )


def last_step(case: Case) -> list[Evidence]:
    """How far a training had come."""
    step = case.records.last_step
    if step is None:
        return []
    epoch = f", epoch {step.epoch + 1}" if step.epoch is not None else ""
    value = f"{step.unit} step {step.step if step.step is not None else step.count}{epoch}"
    return [Evidence(fact="last step begun", value=value, source="StepBegan")]


def stacks_evidence(case: Case, seen: Seen) -> list[Evidence]:
    """Where each thread stood, those in code of the user's first."""
    threads = [(one, thread) for one in seen.taken for thread in one.threads if thread.frames and not is_ours(thread)]
    threads.sort(key=lambda pair: not any(frame.user for frame in pair[1].frames))
    found = [
        Evidence(
            fact=f"stack of {thread.name} in process {one.pid}, innermost first",
            value=" < ".join(_frame(frame) for frame in _telling(thread.frames)),
            source=f"StacksTaken ({one.how})",
        )
        for one, thread in threads[:_MOST_STACKS]
    ]
    found += [
        Evidence(fact=f"no stack of process {process.pid}", value=process.without, source="ProgressStopped")
        for process in seen.stopped.processes
        if process.without and not any(one.pid == process.pid for one in seen.taken)
    ][:3]
    return found


def _telling(frames: list[Frame]) -> list[Frame]:
    """The innermost frames, and the user's further out."""
    inner = frames[-_INNERMOST:]
    outer = [frame for frame in frames[:-_INNERMOST] if frame.user]
    return [*reversed(inner), *reversed(outer)]


def _frame(frame: Frame) -> str:
    return f"{frame.file.rsplit('/', 1)[-1]}:{frame.line} in {frame.function}"
