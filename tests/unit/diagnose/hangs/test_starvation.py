"""What a run waited for: a note for each, and silence for healthy runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.case_of import GIB, PID
from whydied.diagnose.case import Case
from whydied.diagnose.notes import waited_for
from whydied.places import SUPERVISOR_STREAM, RunDirectory
from whydied.read.reader import StreamRead
from whydied.read.recording import Recording
from whydied.records import (
    DeviceProcess,
    GpuSampled,
    LimitApplied,
    MachineSampled,
    Neighbour,
    NeighboursSampled,
    ProcessSample,
    Record,
    RunStarted,
)
from whydied.wire import Entry

CPUS = 4


def samples(
    count: int = 40,
    *,
    cores: float = 1.0,
    running: int = 1,
    cpu: float = 0.0,
    memory: float = 0.0,
    disk: float = 0.0,
    available: float = 20,
) -> list[Record]:
    """A look a second at a program that uses so many cores in so many processes; pressures in per cent."""
    return [
        MachineSampled(
            processes=[
                ProcessSample(
                    pid=PID + number,
                    ppid=1,
                    name="python",
                    state="R",
                    rss_bytes=GIB,
                    threads=30,
                    cpu_s=at * cores / running,
                )
                for number in range(running)
            ],
            cpu_pressure_some=cpu,
            memory_pressure_full=memory,
            io_pressure_full=disk,
            available_bytes=int(available * GIB),
        )
        for at in range(count)
    ]


def neighbours(cores: float, moment: str = "change", rss: float = 1) -> NeighboursSampled:
    one = Neighbour(pid=77, name="miner", user="bob", rss_bytes=int(rss * GIB), cpu_cores=cores)
    return NeighboursSampled(moment=moment, largest=[one], busiest=[one] if cores else [])


def device(busy: int) -> GpuSampled:
    own = DeviceProcess(pid=PID, used_bytes=GIB, ours=True)
    return GpuSampled(index=0, used_bytes=GIB, free_bytes=GIB, busy_percent=busy, processes=[own])


def notes(*records: Record) -> list[str]:
    """A run whose looks are a second apart, whatever stands between them."""
    started = RunStarted(
        run_id="r",
        argv=["train.py"],
        cwd="/",
        wall_time_s=1.7e9,
        boot_id="b",
        supervisor_pid=1,
        whydied_version="0",
        cpus=CPUS,
    )
    entries, second = [], 0
    for number, record in enumerate([started, *records]):
        second += isinstance(record, MachineSampled)
        entries.append(Entry(second * 1_000_000_000 + number, number, record))
    streams = [StreamRead(SUPERVISOR_STREAM, 1, entries, [], 0, 0)]
    return waited_for(Case(Recording(RunDirectory(Path("/nowhere/r")), streams)))


def test_others_that_use_the_cores_are_named() -> None:
    (note,) = notes(*samples(cores=1.0, cpu=80), neighbours(2.9))
    assert note == (
        "other processes used 2.9 of 4 cores (miner (pid 77) 2.9); the program got 1.0, and tasks waited for a core "
        "80 % of the time"
    )


def test_a_program_that_oversubscribes_its_cores() -> None:
    (note,) = notes(*samples(cores=3.9, running=12, cpu=90))
    assert note.startswith("the program kept 12 processes with 360 threads busy on 4 cores")


def test_thrashing_and_slow_disks() -> None:
    assert notes(*samples(memory=40)) == [
        "all tasks waited for memory 40 % of the time: the machine was swapping or reclaiming memory"
    ]
    assert notes(*samples(disk=60)) == ["all tasks waited for disks 60 % of the time"]


def test_a_gpu_that_waits_for_its_input() -> None:
    (note,) = notes(*samples(cores=3.8), *([device(busy=12)] * 20))
    assert note.startswith("the GPU was busy 12 % of the time while the program used 3.8 of 4 cores")


def test_neighbours_that_were_large_all_along_are_worth_a_note() -> None:
    limit = LimitApplied(kind="machine", limit_bytes=24 * GIB)
    (note,) = notes(limit, *samples(2, available=0.5), neighbours(0.0, "start", rss=18))
    assert note == (
        "other processes held 18.0 GiB of the machine's 24.0 GiB before the program started, most of it miner (pid 77, "
        "user bob) with 18.0 GiB"
    )


@pytest.mark.parametrize(
    "records",
    [
        samples(),
        samples(cores=3.9, cpu=30),
        samples(cores=3.9, running=4, cpu=70),
        [*samples(cores=1.0, cpu=10), neighbours(3.0)],
        [*samples(cores=3.9), *([device(busy=90)] * 20)],
        [*samples(cores=0.5), *([device(busy=10)] * 20)],
        samples(15, cores=1.0, cpu=90, memory=50, disk=90),
        [*samples(30), *samples(9, memory=90, disk=90)],
        [LimitApplied(kind="machine", limit_bytes=24 * GIB), *samples(), neighbours(0.0, "start", rss=18)],
        [],
    ],
    ids=[
        "quiet",
        "busy, nobody waits",
        "a process for each core",
        "others busy, nobody waits",
        "the GPU is busy",
        "neither is busy",
        "too short",
        "for a moment only",
        "large neighbours, memory enough",
        "nothing recorded",
    ],
)
def test_healthy_runs_give_nothing(records: list[Record]) -> None:
    assert notes(*records) == []
