"""The note on standard error while a program makes no progress, in words; runs in the parent. Pure."""

from __future__ import annotations

import os

from whydied import words
from whydied.read.stall import Stall, Waiter
from whydied.read.waiting import WORDS, is_ours
from whydied.records import Frame, ProcessWait, ProgressStopped, StacksTaken, ThreadStack

_MOST_THREADS = 16
_MOST_FRAMES = 12


def note_of(stopped: ProgressStopped, stall: Stall, taken: list[StacksTaken], ends: bool = False) -> str:
    """What is known of a program that stands still, with the stack of every thread."""
    lines = [
        f"whydied: no progress for {words.duration(stopped.idle_s)}: no output, no training step, hardly any CPU time."
    ]
    lines += [f"whydied: {sentence}" for sentence in sentences(stall)]
    by_pid = {one.pid: one for one in taken}
    for process in stopped.processes:
        lines += _process(process, by_pid.get(process.pid))
    if ends:
        lines.append("whydied: terminating it (--stop-on-hang).")
    else:
        lines.append(
            "whydied: the program keeps running. If you stop it now, the report will say that it hung, and why."
        )
    return "\n".join(lines) + "\n"


def resumed_note(idle_s: float) -> str:
    return f"whydied: the program is making progress again, after {words.duration(idle_s)} without.\n"


def sentences(stall: Stall) -> list[str]:
    """Who waits for whom, a sentence each."""
    if stall.circle:
        names = [knot.thread.name for knot in stall.circle]
        if len(names) == 1:
            return [f"thread {names[0]} waits for a lock that it already holds"]
        return [f"the threads {', '.join(names[:-1])} and {names[-1]} wait for each other"]
    return [_sentence(waiter) for waiter in stall.chain]


def _sentence(waiter: Waiter) -> str:
    who = f"process {waiter.pid}" + (f", thread {waiter.thread.name}," if waiter.thread else "")
    where = f" at {_place(waiter.stand.line)}" if waiter.stand.line else ""
    return f"{who} waits{where} for {WORDS[waiter.stand.kind]}"


def _process(process: ProcessWait, taken: StacksTaken | None) -> list[str]:
    head = f"  process {process.pid} ({process.name}), {words.count(process.threads, 'thread')}"
    if taken is None:
        call = process.tasks[0].call if process.tasks else ""
        where = f", in the system call {call}" if call else ""
        return [f"{head}{where}" + (f": {process.without}" if process.without else "")]
    threads = [thread for thread in taken.threads if not is_ours(thread) and thread.frames]
    lines = [f"{head}, stacks by {taken.how if taken.how != 'inside' else 'its recorder'}:"]
    for thread in threads[:_MOST_THREADS]:
        lines += _thread(thread)
    left = len(threads) - _MOST_THREADS + taken.left_out
    return [*lines, f"    and {words.count(left, 'thread')} more"] if left > 0 else lines


def _thread(thread: ThreadStack) -> list[str]:
    frames = thread.frames[-_MOST_FRAMES:]
    # The innermost first, as the first line is the one that matters.
    return [f"    {thread.name}", *(f"      {_frame(frame)}" for frame in reversed(frames))]


def _frame(frame: Frame) -> str:
    text = f": {frame.source}" if frame.user and frame.source else ""
    return f"{_place(frame)} in {frame.function}{text}"


def _place(frame: Frame) -> str:
    name = os.path.basename(frame.file) if frame.user else _short(frame.file)
    return f"{name}:{frame.line}"


def _short(file: str) -> str:
    """The end of a library's path, from its package on."""
    for part in ("/site-packages/", "/dist-packages/"):
        if part in file:
            return file.partition(part)[2]
    return "/".join(file.split("/")[-2:]) if "/lib/python" in file else os.path.basename(file)
