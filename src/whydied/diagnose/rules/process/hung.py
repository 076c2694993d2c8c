"""The program stood still until it was ended: a thread waits for something that does not come.

## What it detects
A run that was ended (by `--timeout`, Ctrl-C, SIGTERM, SIGKILL) after a time without progress, 2 minutes unless
`--hang-after` says otherwise, in which it waited for something of its own: a lock, the end of a thread or a process, an
item of a queue, a result of a pool, the next element of a pipeline, an answer. Where only the program itself could have
ended the wait (a lock, a queue, a thread, a future), 5 s are enough.

## Why it happens
Whoever should bring what is waited for has ended, waits itself, or never knew of it.

## Evidence
No output, no bytes written, no training step, hardly any processor time and no memory moved for the time given; the
stacks of all threads of all processes, taken while the program stood still, by the recorder inside or by py-spy; what
the kernel says each thread is in.

## How it is proved
The stacks are direct evidence of where each thread stood and what it was waiting for: certain. Where the one that has
to act is told by what it does and not by the waiting object itself (a worker of a pool), the finding is likely.

## Fix
See the advice of the finding. A timeout turns such a wait into an exception with a line.

## Known problems
A loop that sleeps until a queue has a size, or a thread or task has ended, is a hang only where no other thread ran
meanwhile and all of them wait for the program itself. Waiting for a key, for a time, for requests (accept, select,
epoll, an event loop) is never called a hang, and neither is a program that uses the processor: an event loop whose
tasks wait for each other, or a loop that never ends, is not found. Without py-spy a process whose interpreter is held
by native code has no stacks.

## References
https://github.com/benfred/py-spy
"""

from __future__ import annotations

import re

from whydied import words
from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location
from whydied.diagnose.hangs import stalls
from whydied.read.stall import Waiter
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.waiting_loops import WAIT, asked_again

_ADVICE = {
    "lock": "Look for a path that acquires the lock and does not release it: `with lock:` always releases it.",
    "thread": "The thread never ends: give its loop a way out (a sentinel in its queue, an event).",
    "process": "The process never ends: look at its line. A child that fills a pipe which nobody reads also waits "
    "forever.",
    "queue": "Nothing puts items into it any more: put a sentinel at the end, also when the producer fails, or give "
    "get() a timeout.",
    "full queue": "Nothing takes items out of it any more: look at the consumer, or give put() a timeout.",
    "event": "Nothing sets it any more: look at the thread that should, and give wait() a timeout.",
    "condition": "Nothing notifies it any more: a notification that came before the wait is lost.",
    "semaphore": "It is acquired more often than released: use it in a `with` statement.",
    "barrier": "Fewer threads reach the barrier than it waits for.",
    "future": "Its task does not finish: look at what the workers do. A task that waits for another task of the same "
    "pool "
    "can use up all workers.",
    "pool": "A worker that died or hangs never returns its result: ProcessPoolExecutor raises where Pool waits.",
    "pipe": "The other side neither writes nor closes its end: close the ends that a process does not use.",
    "full pipe": "A pipe holds about 64 KiB: read what the process writes (communicate(), or all items of a "
    "multiprocessing queue) before you wait for it to exit.",
    "socket": "The other side does not answer: set a timeout on the socket.",
    "pipeline": "Its source delivers no element: look at the generator or the files that feed it.",
    "tensorflow": "An op does not finish: a collective waits for a peer, a queue in the graph is empty, or the process "
    "was forked after TensorFlow had started.",
    "file lock": "Another process, or another open file of this one, holds the lock: close that file first.",
    "native": "Native code waits for a lock: look at the library that the line calls, and at its threads.",
    "file": "Nobody writes to the other end: for a named pipe both ends must be open.",
}


_QUEUES = re.compile(r"(?:\w+_input_producer|shuffle_batch|batch_join|\bQueueRunner)\b")

ROLE = "cause"
YIELDS_TO = ("child-process-died", "deadlock", "thread-ended-silently")


def check(case: Case) -> Finding | None:
    seen = stalls.stall_of(case)
    if seen is None or not stalls.hung(case) or not seen.stall.chain:
        return None
    last, place = stalls.deepest(case, seen.stall)
    idle = words.duration(seen.idle_s)
    message = f"{prefix(place)}{stalls.who(case, last)} waited for {stalls.what(case, last)} for {idle}"
    end = seen.stall.chain[-1]
    other = seen.stall.chain[0] if seen.stall.chain[0] is not last else end
    if other is not last:
        message += f"; {stalls.who(case, other)}{_at(case, other)} waited for {stalls.what(case, other)}{_after(other)}"
    advice = _ADVICE.get("full pipe" if end.stand.kind == "full pipe" else last.stand.kind)
    return Finding(
        message=message + ", until the run was stopped",
        certainty=_certainty(case, seen.stall.chain),
        location=place,
        culprit=Culprit(kind=last.stand.kind, name=stalls.name_of(case, last)),
        evidence=[
            stalls.stood_still(seen),
            *stalls.last_step(case),
            *_chain(case, seen.stall.chain),
            *stalls.stacks_evidence(case, seen),
        ],
        advice=[*_unstarted(case, last), *_polled(last), *([advice] if advice else [])],
        changes=_changes(case, last, place),
    )


def _changes(case: Case, last: Waiter, place: Location | None) -> list[Change]:
    """A thread that waits for an item in a loop which has a condition to end it."""
    source = case.sources.get(place.file) if place is not None and last.stand.kind == "queue" else None
    edits = asked_again(source, place.file, place.line) if source is not None and place is not None else []
    title = f"Wait for an item for {WAIT} s at a time, and look at the loop's condition in between"
    return [Change(title=title, kind="timeout", edits=edits, harm="exact")] if edits else []


def _unstarted(case: Case, waiter: Waiter) -> list[str]:
    """Queues of TensorFlow 1 are filled by threads that the program has to start."""
    lines = [line for source in case.recording.sources.values() for line in source.lines]
    makes = [found[0] for line in lines if (found := _QUEUES.search(line))]
    if waiter.stand.kind != "tensorflow" or not makes or any("start_queue_runners" in line for line in lines):
        return []
    return [
        f"The program creates a queue in the graph with {makes[0]} but never starts what fills it: call "
        "tf.compat.v1.train.start_queue_runners(sess) before the first run, or use tf.data."
    ]


def _polled(waiter: Waiter) -> list[str]:
    """The values of a condition that does not come true."""
    polls = waiter.thread.polls if waiter.thread is not None and waiter.stand.kind == "polled" else None
    if polls is None:
        return []
    held = ", ".join(f"`{text}` is {value}" for text, value in polls.values.items())
    told = f"{held}, and nothing in the program changes that: " if held else "Nothing in the program changes it: "
    return [f"{told}look at what should, or wait with a time limit (line {polls.line})."]


def _at(case: Case, waiter: Waiter) -> str:
    place = stalls.place_of(case, waiter)
    return f" ({line_words(place)})" if place else ""


def _after(waiter: Waiter) -> str:
    """At its end the interpreter waits for all threads that are no daemons."""
    at_end = waiter.thread is not None and any(frame.function == "_shutdown" for frame in waiter.thread.frames)
    return " after the last line of the program" if at_end else ""


def _certainty(case: Case, chain: list[Waiter]) -> Certainty:
    if any(waiter.thread is None or waiter.stand.kind == "unknown" for waiter in chain):
        return "likely"
    told = [w for w in chain[:-1] if w.thread and (w.thread.joins or w.thread.awaits or w.stand.kind == "lock")]
    return "certain" if len(told) == len(chain) - 1 else "likely"


def _chain(case: Case, chain: list[Waiter]) -> list[Evidence]:
    """Who waited for whom, from the main thread to the last one."""
    return [
        Evidence(
            fact=f"{stalls.who(case, waiter)} waits for",
            value=stalls.what(case, waiter) + _at(case, waiter),
            source="StacksTaken" if waiter.thread else "ProgressStopped",
        )
        for waiter in chain
    ]
