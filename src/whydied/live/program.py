"""A running program as one value, folded from its records as they come. Pure: no clock, no files.

Invariant: what is kept does not grow with the length of the run.
"""

from __future__ import annotations

import math
import os
from typing import NamedTuple

from whydied import words
from whydied.live.history import History
from whydied.live.memory_trend import Memory, MemoryTrend
from whydied.live.notices import Notice, Notices
from whydied.live.step_rate import StepRate, Steps
from whydied.read.recording import resident_bytes
from whydied.read.tail import Heard
from whydied.records import (
    CensusTaken,
    GpuFound,
    GpuSampled,
    ImportantSample,
    LimitApplied,
    LineSampled,
    LossesSeen,
    MachineSampled,
    NormsSeen,
    ObjectGroup,
    ProcessBegan,
    ProcessExiting,
    ProcessSample,
    ProgramEnded,
    ProgramStarted,
    RunEnded,
    RunStarted,
    StepBegan,
)

_CPU_S = 1.0
"""Processor time is compared over at least so long."""
_MOST_LOSSES = 240
PROJECT_S = 5.0
"""How often the time to the limit is looked at."""
SOON_S = 300.0
LEAST_SHARE = 0.5
LEAST_GROWTH_S = 30.0
"""What growth must have, and for how long, to be announced: see `_projected`."""


class Process(NamedTuple):
    """`cores` is the processor time it takes, in cores."""

    pid: int
    name: str
    state: str
    rss_bytes: int
    threads: int
    cores: float | None
    is_first: bool


class Gpu(NamedTuple):
    number: int
    name: str
    used_bytes: int
    total_bytes: int
    busy_percent: int | None


class Training(NamedTuple):
    """`losses` are the last known ones, the newest last; `norm` is that of all gradients together. `at_s` is when they
    were recorded: every 30 s, and at the beginning more often."""

    function: str
    losses: tuple[float, ...]
    norm: float | None
    learning_rate: float | None
    at_s: float


class Census(NamedTuple):
    at_s: float
    pid: int
    trigger: str
    rss_bytes: int
    groups: tuple[ObjectGroup, ...]


class Picture(NamedTuple):
    """All that is known at one moment. Times are seconds of the machine's monotonic clock."""

    now_s: float
    elapsed_s: float
    started: RunStarted | None
    program: ProgramStarted | None
    memory: Memory
    memory_history: tuple[float, ...]
    history_s: float
    steps: Steps | None
    training: Training | None
    line: str
    census: Census | None
    processes: tuple[Process, ...]
    gpus: tuple[Gpu, ...]
    notices: tuple[Notice, ...]
    ended: ProgramEnded | None
    is_over: bool
    recorders: tuple[int, ...]
    """Processes with a recorder inside that have not ended in order, the program's first one first."""


class LiveProgram:
    def __init__(self) -> None:
        self.last_s = 0.0
        """When the newest record was written."""
        self._began_s: float | None = None
        self._started: RunStarted | None = None
        self._program: ProgramStarted | None = None
        self._limit: LimitApplied | None = None
        self._trend = MemoryTrend()
        self._history = History()
        self._rates = StepRate()
        self._training: Training | None = None
        self._census: Census | None = None
        self._line = ""
        self._processes: tuple[Process, ...] = ()
        self._cpu: dict[int, tuple[float, float, float | None]] = {}
        self._gpus: dict[int, GpuFound] = {}
        self._gpu: dict[int, GpuSampled] = {}
        self._notices = Notices()
        self._ended: ProgramEnded | None = None
        self._is_over = False
        self._projected_s = 0.0
        self._recorders: dict[int, None] = {}

    def hear(self, heard: Heard) -> Notice | None:
        """Take a record in. A notice where it is worth telling at once."""
        at_s, record = heard.at_ns / 1e9, heard.record
        self.last_s = max(self.last_s, at_s)
        self._began_s = at_s if self._began_s is None else min(self._began_s, at_s)
        match record:
            case MachineSampled():
                return self._sampled(at_s, record)
            case ImportantSample():
                return self._sampled(at_s, record.sample)
            case StepBegan():
                self._rates.add(at_s, record)
            case LineSampled():
                self._at_line(heard.pid, record)
            case NormsSeen() | LossesSeen():
                self._trained(at_s, record)
            case CensusTaken():
                groups = tuple(sorted(record.groups, key=lambda group: -group.size_bytes))
                self._census = Census(at_s, heard.pid, record.trigger, record.rss_bytes, groups)
            case GpuFound():
                self._gpus[record.index] = record
            case GpuSampled():
                self._gpu[record.index] = record
            case ProcessBegan():
                self._recorders[record.pid] = None
            case ProcessExiting():
                self._recorders.pop(heard.pid, None)
            case _:
                self._told_of_run(record)
        return self._notices.hear(at_s, record)

    def _told_of_run(self, record: object) -> None:
        match record:
            case RunStarted():
                self._started = record
            case ProgramStarted():
                self._program = record
            case LimitApplied():
                self._limit = record
            case ProgramEnded():
                self._ended = record
            case RunEnded():
                self._is_over = True

    def _sampled(self, at_s: float, sample: MachineSampled) -> Notice | None:
        rss = resident_bytes(sample.processes)
        # The last look may come too late to see anything.
        if rss:
            self._history.add(at_s, float(self._trend.add(at_s, rss, sample, self._limit)))
            self._processes = tuple(self._process(at_s, one) for one in sample.processes)
            self._cpu = {one.pid: self._cpu[one.pid] for one in sample.processes}
        return self._projected(at_s) if at_s - self._projected_s >= PROJECT_S else None

    def _projected(self, at_s: float) -> Notice | None:
        """Memory that is about to run out, before it has. A program that loads its data grows fast too, so only growth
        that has gone on for a while, and has taken half of the limit, is spoken of."""
        self._projected_s = at_s
        seen = self._trend.now()
        if seen.to_limit_s is None or seen.to_limit_s > SOON_S or (seen.share or 0) < LEAST_SHARE:
            return None
        if self._trend.seen_s < LEAST_GROWTH_S or seen.bytes_per_s is None:
            return None
        left = f"at the limit of {words.size(seen.limit_bytes)} in {words.duration(seen.to_limit_s)}"
        sentence = f"memory grows by {words.size(seen.bytes_per_s)}/s and would be {left}"
        return self._notices.say(at_s, "projected", "warning", sentence)

    def _process(self, at_s: float, one: ProcessSample) -> Process:
        before_s, before_cpu, cores = self._cpu.get(one.pid, (at_s, one.cpu_s, None))
        if at_s - before_s >= _CPU_S:
            cores = max(0.0, (one.cpu_s - before_cpu) / (at_s - before_s))
            before_s, before_cpu = at_s, one.cpu_s
        self._cpu[one.pid] = (before_s, before_cpu, cores)
        first = self._program is not None and self._program.pid == one.pid
        return Process(one.pid, one.name, one.state, one.rss_bytes, one.threads, cores, first)

    def _at_line(self, pid: int, record: LineSampled) -> None:
        frame = next((frame for frame in reversed(record.frames) if frame.user), None)
        first = self._program.pid if self._program is not None else pid
        if frame is not None and record.thread == "main" and pid == first:
            self._line = f"{os.path.basename(frame.file)}:{frame.line} in {frame.function}"

    def _trained(self, at_s: float, record: NormsSeen | LossesSeen) -> None:
        before = self._training
        if isinstance(record, LossesSeen):
            norm, rate = record.norms[-1] if record.norms else None, None
        else:
            last = record.norms[-1] if record.norms and record.of == "gradient" else None
            norm = math.sqrt(sum(one * one for one in last)) if last else None
            rate = record.learning_rate
        if not record.losses and norm is None:
            return
        same = before is not None and before.function == record.function
        losses = record.losses or (list(before.losses) if same and before is not None else [])
        if rate is None and same and before is not None:
            rate = before.learning_rate
        self._training = Training(record.function, tuple(losses[-_MOST_LOSSES:]), norm, rate, at_s)

    def at(self, now_s: float) -> Picture:
        """All that is known; of a run that is over, or of another machine's clock, as of its last record."""
        now = now_s if not self._is_over and now_s >= self.last_s else self.last_s
        first = self._program.pid if self._program is not None else None
        recorders = sorted(self._recorders, key=lambda pid: pid != first)
        return Picture(
            now_s=now,
            elapsed_s=max(0.0, now - self._began_s) if self._began_s is not None else 0.0,
            started=self._started,
            program=self._program,
            memory=self._trend.now(),
            memory_history=tuple(self._history.values),
            history_s=self._history.seconds,
            steps=self._rates.at(now),
            training=self._training,
            line=self._line,
            census=self._census,
            processes=self._processes,
            gpus=tuple(self._gpu_at(index) for index in sorted(self._gpu)),
            notices=tuple(self._notices.said),
            ended=self._ended,
            is_over=self._is_over,
            recorders=tuple(recorders),
        )

    def _gpu_at(self, index: int) -> Gpu:
        sample, found = self._gpu[index], self._gpus.get(index)
        total = found.total_bytes if found is not None else sample.used_bytes + sample.free_bytes
        return Gpu(index, found.name if found is not None else "", sample.used_bytes, total, sample.busy_percent)
