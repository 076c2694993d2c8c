"""Notices from outside that the program makes no progress, and takes its stacks; runs in the parent.

Progress is any of: output, bytes written anywhere, processor time, memory that moves, a process that comes or goes, a
training step in the recording. Invariant: while there is progress a look costs next to nothing; stacks are
taken on a thread of their own, so signals and samples are never held up; what we cause ourselves by asking for stacks
is not taken for progress. Whether a wait is a fault is told by `whydied.read.stall`.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import traceback
from collections.abc import Callable

from whydied import wire, words
from whydied.linux import proc
from whydied.places import RunDirectory
from whydied.read.stall import Stall, Waiter, examine
from whydied.read.waiting import WORDS, is_ours
from whydied.records import (
    CensusTaken,
    Frame,
    InternalError,
    LineSampled,
    MachineSampled,
    ProcessWait,
    ProgressResumed,
    ProgressStopped,
    Record,
    RecorderLimited,
    SourceKept,
    StacksTaken,
    ThreadStack,
)
from whydied.run.journal import Journal
from whydied.run.observe import kernel_tasks, stacks
from whydied.run.observe.process_tree import ProcessTree

EARLY_S = 5.0
"""After so long without progress it is looked at once, without a note: whoever stops the program soon after is told
what it waited for, which the signal itself would have changed. A program that goes on has twice as long the next
time."""
LEAST_AT_LIMIT_S = 1.0
"""A program that stood still for so long when its time limit came is looked at too."""
BUSY_CORES = 0.05
"""More than this of a core, in one process over a second, is work: the recorder's own thread takes a tenth of it."""
MOVED_BYTES = 2 << 20
_EVERY_S = 1.0
_SETTLE_S = 1.5
_LONGEST_PAUSE_S = 1800.0
_AGAIN_S = 30.0
_LIMIT_PATIENCE_S = 1.6
_MOST_THREADS = 16
_MOST_FRAMES = 12
_OF_OUR_OWN = (LineSampled, StacksTaken, CensusTaken, SourceKept, RecorderLimited, InternalError)
"""Records that a recorder writes of its own accord, whatever the program does."""


class OutputCount:
    """Counts the bytes that pass through the relays, on their way into the recording."""

    def __init__(self, record: Callable[[str, bytes], None]) -> None:
        self.total = 0
        self.in_line = False
        """Whether the last line that was shown is not finished: a progress bar, a prompt."""
        self._record = record

    def __call__(self, channel: str, data: bytes) -> None:
        self.total += len(data)
        self.in_line = not data.endswith(b"\n")
        self._record(channel, data)

    def between_lines(self, say: Callable[[str], None] | None) -> Callable[[str], None] | None:
        """What says a note below a line that is not finished."""
        return None if say is None else lambda text: say(f"\n{text}" if self.in_line else text)


class _Examination:
    """One look at all stacks, on a thread of its own."""

    def __init__(self, watch: HangWatch, moment: int, idle_s: float, patience_s: float) -> None:
        self.records: list[Record] = []
        self.stall: Stall | None = None
        self.stopped: ProgressStopped | None = None
        self.taken: list[StacksTaken] = []
        self.stepped_s = 0.0
        self._began_s = time.monotonic()
        self._watch = watch
        self._moment = moment
        self._idle_s = idle_s
        self._patience_s = patience_s
        self.thread = threading.Thread(target=self._run, name="hang", daemon=True)
        self.thread.start()

    @property
    def done(self) -> bool:
        return not self.thread.is_alive()

    def _run(self) -> None:
        try:
            self._examine()
        except Exception as error:
            self.records = [InternalError(where="run.hang", error=repr(error), traceback=traceback.format_exc())]
            self.stall = None

    def _examine(self) -> None:
        watch = self._watch
        self.stepped_s = watch.last_step_s()
        if self.stepped_s > self._began_s - self._idle_s:
            return
        found = stacks.gather(
            watch.directory, watch.tree.pids, self._moment, watch.switches_before, patience_s=self._patience_s
        )
        self.taken = [*found.answered, *found.stacks]
        self.stall = examine(watch.tree.root_pid, found.processes, self.taken)
        self.stopped = ProgressStopped(
            moment=self._moment,
            idle_s=round(self._idle_s, 3),
            wanted_s=watch.after_s,
            hangs=self.stall.hangs,
            processes=found.processes,
        )
        self.records = [*found.stacks, self.stopped]


class HangWatch:
    def __init__(
        self,
        directory: RunDirectory,
        journal: Journal,
        tree: ProcessTree,
        output: OutputCount,
        after_s: float,
        say: Callable[[str], None] | None,
        stop: bool = False,
        noise_bytes: int = 0,
    ) -> None:
        """`after_s` without progress make a hang; 0 switches the watch off. `say` shows a note to the user; with `stop`
        the program is to be ended then. A program may write `noise_bytes` between two looks and do nothing."""
        self.directory = directory
        self.tree = tree
        self.after_s = after_s
        self.switches_before: dict[int, dict[int, int]] = {}
        self._journal = journal
        self._say = say
        self._stop = stop
        self._noise_bytes = noise_bytes
        self._progress_s = time.monotonic()
        self._checked_s = 0.0
        self._ignore_until_s = 0.0
        self._output = output
        self._passed = 0
        self._cpu: dict[int, float] = {}
        self._rss: dict[int, int] = {}
        self._io: dict[int, int] = {}
        self._moment = 0
        self._running: _Examination | None = None
        self._next_s = 0.0
        self._pause_s = max(after_s, 10.0)
        self._told: ProgressStopped | None = None
        self._early_s = min(EARLY_S, after_s)
        self._has_looked = False
        self._frozen = False

    @property
    def is_to_end(self) -> bool:
        """Whether the program hangs and the user wants it ended then."""
        return self._stop and self._told is not None

    def freeze(self) -> None:
        """The program is being ended: what it does from now on is not progress."""
        self._frozen = True

    def look(self, sample: MachineSampled) -> None:
        """Called after each sample."""
        if self.after_s <= 0:
            return
        now = time.monotonic()
        if self._running is not None and self._running.done:
            self._conclude(self._running)
            self._running = None
            self._ignore_until_s = now + _SETTLE_S
        if now - self._checked_s < _EVERY_S or self._frozen:
            return
        moved = self._moved(sample, now - self._checked_s)
        self._checked_s = now
        if moved:
            self._go_on(now)
        elif self._running is None and now >= self._next_s and self._is_due(now - self._progress_s):
            self._begin(now)

    def _is_due(self, idle_s: float) -> bool:
        return idle_s >= (self.after_s if self._has_looked else self._early_s)

    def at_limit(self) -> None:
        """The time limit has come: if the program stood still, see where, before it is told to end."""
        idle_s = time.monotonic() - self._progress_s
        if self.after_s <= 0 or self._frozen or self._told is not None or idle_s < LEAST_AT_LIMIT_S:
            return
        if self._running is None and not self._sleeps():
            self._begin(time.monotonic(), _LIMIT_PATIENCE_S)
        if self._running is not None:
            self._running.thread.join(_LIMIT_PATIENCE_S + 1.0)
            if self._running.done:
                self._conclude(self._running, quiet=True)
            self._running = None

    def finish(self) -> None:
        """The program has ended: what was being looked at meanwhile still counts."""
        if self._running is not None:
            self._running.thread.join(_SETTLE_S)
            if self._running.done:
                self._conclude(self._running, quiet=True)
            self._running = None

    def last_step_s(self) -> float:
        """When a recorder last wrote what the program did."""
        newest = 0
        for pid in self.tree.pids[: stacks.LARGEST_PROCESSES]:
            for lane in ("log", "key"):
                for path in sorted(self.directory.streams.glob(f"process-{pid}-*.{lane}.*.rec"))[-1:]:
                    with contextlib.suppress(OSError):
                        for entry in wire.read_segment(path.read_bytes()).entries:
                            if not isinstance(entry.record, _OF_OUR_OWN):
                                newest = max(newest, entry.at_ns)
        return newest / 1e9

    def _begin(self, now: float, patience_s: float = stacks.PATIENCE_S) -> None:
        self._moment += 1
        self._has_looked = True
        self._running = _Examination(self, self._moment, now - self._progress_s, patience_s)
        if now - self._progress_s >= self.after_s:
            self._next_s = now + self._pause_s
            self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)

    def _conclude(self, examination: _Examination, quiet: bool = False) -> None:
        for record in examination.records:
            self._journal.write(record)
        stall, stopped = examination.stall, examination.stopped
        if examination.stepped_s > self._progress_s:
            self._progress_s, self._next_s = examination.stepped_s, 0.0
        if stall is not None and not stall.chain:
            # Nobody could read the stacks just now; that may be another time.
            self._has_looked = False
            self._next_s = time.monotonic() + min(self.after_s, _AGAIN_S)
        if stall is None or stopped is None or not stall.hangs or self._told is not None:
            return
        if stopped.idle_s < stopped.wanted_s:
            # An early look: nobody is told while it may go on.
            return
        if time.monotonic() - self._progress_s < stopped.idle_s:
            # It went on while we looked.
            return
        self._told = stopped
        if not quiet:
            self._tell(_note_of(stopped, stall, examination.taken, self._stop))

    def _go_on(self, now: float) -> None:
        if self._has_looked:
            self._journal.write(ProgressResumed(idle_s=round(now - self._progress_s, 3)))
            self._early_s = min(2 * self._early_s, self.after_s)
        if self._told is not None:
            idle = words.duration(now - self._progress_s)
            self._tell(f"whydied: the program is making progress again, after {idle} without.\n")
        self._told = None
        self._has_looked = False
        self._progress_s = now
        self._next_s = 0.0
        self._pause_s = max(self.after_s, 10.0)
        self.switches_before = {}

    def _tell(self, text: str) -> None:
        if self._say is not None:
            self._say(text)

    def _moved(self, sample: MachineSampled, elapsed_s: float) -> bool:
        """Whether anything of the program moved since the last look."""
        ignoring = self._running is not None or time.monotonic() < self._ignore_until_s
        cpu = {process.pid: process.cpu_s for process in sample.processes}
        rss = {process.pid: process.rss_bytes for process in sample.processes}
        output = self._output.total
        stopped = any(process.state in "Tt" for process in sample.processes)
        moved = output != self._passed or cpu.keys() != self._cpu.keys() or stopped
        if not moved and not ignoring:
            busy = any(cpu[pid] - self._cpu[pid] > BUSY_CORES * elapsed_s for pid in cpu)
            grown = any(abs(rss[pid] - self._rss[pid]) > MOVED_BYTES for pid in rss)
            moved = busy or grown
        self._passed, self._cpu, self._rss = output, cpu, rss
        if moved:
            self._io = {}
            return True
        return self._transferred(list(cpu)) and not ignoring

    def _transferred(self, pids: list[int]) -> bool:
        """Whether bytes were written, or read from a disk. Asked only where nothing else moved."""
        now = {pid: transferred for pid in pids[:64] if (transferred := _transferred(pid)) is not None}
        before, self._io = self._io, now
        if not self.switches_before and time.monotonic() - self._progress_s >= self.after_s / 2:
            # Hundreds of small files where there are many threads: only once it looks like a hang.
            self.switches_before = {pid: kernel_tasks.switches(pid) for pid in pids[: stacks.LARGEST_PROCESSES]}
        return any(now[pid] - before[pid] > self._noise_bytes for pid in now if pid in before)

    def _sleeps(self) -> bool:
        """Whether the first process only lets time pass, by the kernel's word alone."""
        wait = kernel_tasks.process_wait(self.tree.root_pid, {})
        return wait is not None and bool(wait.tasks) and wait.tasks[0].call in ("nanosleep", "clock_nanosleep")


def _transferred(pid: int) -> int | None:
    """Bytes that a process has written so far, to anything, and read from disks. What it read from files is not
    counted: the recorder inside reads small files all the time."""
    data = proc.read(f"/proc/{pid}/io")
    if data is None:
        return None
    return sum(proc.number_after(b"\n" + data, key) or 0 for key in (b"\nwchar:", b"\nread_bytes:"))


def _note_of(stopped: ProgressStopped, stall: Stall, taken: list[StacksTaken], ends: bool) -> str:
    """What is known of a program that stands still, with the stack of every thread."""
    lines = [
        f"whydied: no progress for {words.duration(stopped.idle_s)}: no output, no training step, hardly any CPU time."
    ]
    lines += [f"whydied: {sentence}" for sentence in _sentences(stall)]
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


def _sentences(stall: Stall) -> list[str]:
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
