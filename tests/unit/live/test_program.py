"""Stored recordings of real programs, told record by record."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from tests.stored import stored_run
from whydied.live.notices import Notices
from whydied.live.program import LiveProgram, Picture
from whydied.read.tail import Heard, Tail
from whydied.records import (
    ExceptionRaised,
    KernelLogged,
    LimitApplied,
    MachineSampled,
    MemoryWarned,
    ProcessSample,
    ProgressResumed,
    ProgressStopped,
    RaisedException,
    SignalReceived,
    StepCaptured,
)


def told(tmp_path: Path, name: str) -> tuple[Picture, list[str]]:
    program = LiveProgram()
    said = [program.hear(heard) for heard in Tail(stored_run(tmp_path, name).streams).fresh()]
    return program.at(0.0), [one.words for one in said if one is not None]


def test_a_training_that_turns_nan_is_announced_once(tmp_path: Path) -> None:
    picture, said = told(tmp_path, "numerics/nan_in_one_row")
    assert [words for words in said if "NaN" in words] == [
        "the gradient of dense/kernel has become NaN at step 0 (epoch 1), nan_in_one_row.py:16"
    ]
    assert picture.steps is not None
    assert picture.steps.unit == "train"
    assert picture.training is not None
    assert picture.training.norm is not None
    assert picture.is_over
    assert picture.ended is not None


def test_the_steps_after_the_first_bad_one_are_not_announced(tmp_path: Path) -> None:
    heard = Tail(stored_run(tmp_path, "numerics/nan_in_one_row").streams).fresh()
    captured = next(one.record for one in heard if isinstance(one.record, StepCaptured))
    notices = Notices()
    said = [notices.hear(float(step), msgspec.structs.replace(captured, step=step)) for step in range(5)]
    assert [one is not None for one in said] == [True, False, False, False, False]


def test_a_leak_has_its_holder(tmp_path: Path) -> None:
    picture, _ = told(tmp_path, "leaks/callback_keeps_predictions")
    assert picture.census is not None
    assert any(holder.path for group in picture.census.groups for holder in group.holders)
    assert picture.memory.limit_bytes
    assert max(picture.memory_history) <= picture.memory.limit_bytes * 1.01
    assert picture.processes[0].is_first


def test_a_hang_is_told(tmp_path: Path) -> None:
    _, said = told(tmp_path, "hangs/deadlock")
    assert any(words.startswith("no progress for ") for words in said)


def test_what_is_said_of_records() -> None:
    notices = Notices()
    warned = MemoryWarned(number=0, how="guard", rss_bytes=95 << 20, limit_bytes=100 << 20)
    raised = ExceptionRaised(where="main", chain=[RaisedException(type="ValueError", module="builtins", message="no")])
    found = [
        notices.hear(1.0, warned),
        notices.hear(2.0, warned),
        notices.hear(3.0, raised),
        notices.hear(4.0, ProgressStopped(moment=1, idle_s=130, wanted_s=120, hangs=True)),
        notices.hear(4.0, ProgressStopped(moment=1, idle_s=130, wanted_s=120, hangs=False)),
        notices.hear(5.0, ProgressResumed(idle_s=140)),
        notices.hear(6.0, SignalReceived(signal=15, sender_name="systemd")),
        notices.hear(7.0, KernelLogged(line="oom-kill:constraint=CONSTRAINT_MEMCG")),
        notices.hear(7.0, KernelLogged(line="Memory cgroup out of memory: Killed process 77 (python)")),
    ]
    assert [one.words if one is not None else None for one in found] == [
        "memory is almost exhausted: 95.0 MiB of 100 MiB used; the memory guard raised MemoryError",
        None,
        "uncaught ValueError: no",
        "no progress for 2 min 10 s: it may hang",
        None,
        "it went on after 2 min 20 s without progress",
        "SIGTERM received from systemd",
        None,
        "the kernel's OOM killer killed process 77",
    ]
    assert len(notices.said) == 6


def sampled(program: LiveProgram, seconds: int, rss: Callable[[float], float], limit: int = 1000) -> list[str]:
    """What is said while a program holds so many MiB at each second, under a limit of its own."""
    program.hear(Heard("supervisor", 1, 0, LimitApplied(kind="watched", limit_bytes=limit << 20, ours=True)))
    said = []
    for tick in range(seconds * 10):
        process = ProcessSample(pid=1, ppid=0, name="python", state="R", rss_bytes=int(rss(tick / 10) * (1 << 20)))
        heard = Heard("supervisor", 1, tick * 10**8, MachineSampled(processes=[process]))
        said.append(program.hear(heard))
    return [one.words for one in said if one is not None]


def test_memory_that_will_run_out_is_announced_once_and_before() -> None:
    said = sampled(LiveProgram(), 150, lambda at: 200 + 5 * at)
    assert len(said) == 1
    assert re.fullmatch(
        r"memory grows by (5\.0|4\.9)\d MiB/s and would be at the limit of 0\.98 GiB in 1 min \d+ s", said[0]
    )


def test_a_start_that_loads_much_and_a_slow_leak_are_not_announced() -> None:
    assert sampled(LiveProgram(), 150, lambda at: min(700, 40 * at)) == []
    assert sampled(LiveProgram(), 150, lambda at: 600 + 0.5 * at) == []
    assert sampled(LiveProgram(), 150, lambda at: 600 + (at % 0.5) * 400) == []
