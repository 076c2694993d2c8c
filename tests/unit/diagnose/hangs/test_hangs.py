"""Runs that were ended while they stood still, and near misses."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from tests.unit.diagnose.case_of import FILE, PID, raised, recording_of
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.read.faults import Fault, FaultFrame, FaultThread
from whydied.records import (
    Frame,
    LockUse,
    ModuleImported,
    ProcessBegan,
    ProcessExiting,
    ProcessWait,
    ProgressResumed,
    ProgressStopped,
    Record,
    SignalReceived,
    SignalSent,
    StacksTaken,
    TaskWait,
    ThreadStack,
)
from whydied.source.text import Source
from whydied.wire import Entry

LIB = "/usr/lib/python3.11"
LIMIT = SignalSent(signal=15, why="time limit")
CHILD = 4300


def user(source: str, line: int) -> Frame:
    return Frame(file=FILE, line=line, function="main", user=True, source=source)


def lib(file: str, function: str) -> Frame:
    return Frame(file=f"{LIB}/{file}", line=1, function=function)


def thread(*frames: Frame, main: bool = True, name: str = "MainThread", ident: int = 1, **fields: Any) -> ThreadStack:
    return ThreadStack(name=name, ident=ident, main=main, frames=list(frames), **fields)


def waits_for_queue(line: int = 5) -> ThreadStack:
    return thread(user("q.get()", line), lib("queue.py", "get"), lib("threading.py", "wait"))


def waits_for_pool(line: int = 5) -> ThreadStack:
    return thread(
        user("pool.map(f, xs)", line),
        lib("multiprocessing/pool.py", "map"),
        lib("multiprocessing/pool.py", "get"),
        lib("threading.py", "wait"),
    )


def stacks(*threads: ThreadStack, pid: int = PID) -> StacksTaken:
    return StacksTaken(pid=pid, how="inside", moment=1, threads=list(threads))


def stopped(*pids: int, idle_s: float = 130.0, wanted_s: float = 120.0, threads: int = 2) -> ProgressStopped:
    processes = [
        ProcessWait(
            pid=pid,
            ppid=1 if pid == PID else PID,
            name="python",
            state="S",
            threads=threads,
            tasks=[TaskWait(tid=pid, state="S", call="futex", switched=False)],
        )
        for pid in (pids or (PID,))
    ]
    return ProgressStopped(moment=1, idle_s=idle_s, wanted_s=wanted_s, hangs=True, processes=processes)


def verdict(*supervisor: Record, **fields: Any) -> Diagnosis:
    """A run in which the processes wrote at the start, its children a little later, and the supervisor found it
    standing still after minutes."""
    recording = recording_of(*supervisor, **fields)
    _shift(recording.supervisor.entries, 2, 140)
    for process in recording.processes:
        _shift(process.entries, 0, 0 if process.pid == PID else 5)
    return diagnose(recording)


def _shift(entries: list[Entry], first: int, seconds: int) -> None:
    entries[first:] = [entry._replace(at_ns=entry.at_ns + seconds * 10**9) for entry in entries[first:]]


def names(diagnosis: Diagnosis) -> list[str]:
    return [finding.name for finding in diagnosis.findings]


@pytest.mark.parametrize(
    ("records", "fields", "death"),
    [
        ([stopped(), LIMIT], {"signal": 15, "timeout_s": 140.0}, "time-limit"),
        ([stopped(), SignalReceived(signal=2, from_terminal=True)], {"signal": 2}, "interrupted"),
        ([stopped(), SignalReceived(signal=15, sender_pid=7)], {"signal": 15}, "terminated"),
        ([stopped()], {"signal": 9}, "killed-from-outside"),
        ([stopped(), SignalSent(signal=15, why="hang")], {"signal": 15}, "stopped-on-hang"),
    ],
)
def test_a_run_that_is_ended_while_it_stands_still_hung(
    records: list[Record], fields: dict[str, Any], death: str
) -> None:
    found = verdict(*records, process=[stacks(waits_for_queue())], **fields)
    assert found.outcome == "hung"
    assert found.death is not None
    assert found.death.name == death
    assert found.cause is not None
    assert (found.cause.name, found.cause.certainty) == ("hung", "certain")
    assert found.cause.location is not None
    assert found.cause.location.line == 5
    assert found.cause.message.startswith(
        "train.py:5: the main thread waited for an item from a queue for 2 min 10 s, until the run was stopped"
    )


def test_one_that_goes_on_or_ends_by_itself_did_not_hang() -> None:
    went_on: list[Record] = [stopped(), ProgressResumed(idle_s=140.0), *[SignalReceived(signal=10)] * 60]
    assert verdict(*went_on, process=[stacks(waits_for_queue())], signal=9).outcome == "died"
    failed = verdict(stopped(), process=[stacks(waits_for_queue()), raised("Empty")], exit_code=1)
    assert failed.outcome == "failed"
    assert "hung" not in names(failed)


def test_what_a_program_does_when_it_is_told_to_end_is_no_progress() -> None:
    found = verdict(stopped(), ProgressResumed(idle_s=130.0), process=[stacks(waits_for_queue())], signal=15)
    assert found.outcome == "hung"


def test_a_short_stand_at_the_time_limit_is_no_hang() -> None:
    found = verdict(stopped(idle_s=3.0), LIMIT, process=[stacks(waits_for_queue())], signal=15, timeout_s=5.0)
    assert names(found) == ["time-limit"]


@pytest.mark.parametrize(
    ("idle_s", "standing", "hangs"),
    [
        (6.0, waits_for_queue(), True),
        (3.0, waits_for_queue(), False),
        (6.0, thread(user("model.fit(data)", 5), lib("tensorflow/python/eager/execute.py", "quick_execute")), False),
    ],
)
def test_whoever_stops_a_short_wait_for_the_program_itself_is_told(
    idle_s: float, standing: ThreadStack, hangs: bool
) -> None:
    interrupt = SignalReceived(signal=2, from_terminal=True)
    found = verdict(stopped(idle_s=idle_s), interrupt, process=[stacks(standing)], signal=2)
    assert found.outcome == ("hung" if hangs else "stopped")
    assert [finding.name for finding in found.findings] == (["hung", "interrupted"] if hangs else ["interrupted"])


def test_a_sleeping_program_is_no_hang() -> None:
    sleeping = thread(user("time.sleep(900)", 5))
    found = verdict(stopped(), process=[stacks(sleeping)], signal=15)
    assert found.outcome == "stopped"
    assert names(found) == ["terminated"]


def lock(how: str, number: int, line: int, **fields: Any) -> LockUse:
    return LockUse(how=how, name="ab"[number], kind="lock", lock=number, file=FILE, line=line, **fields)


def circle(**fields: Any) -> StacksTaken:
    main = thread(user("with b:", 5), locks=[lock("waits", 1, 5), lock("holds", 0, 4, **fields)])
    other = thread(
        user("with a:", 3), main=False, name="saver", ident=2, locks=[lock("waits", 0, 3), lock("holds", 1, 2)]
    )
    return stacks(main, other)


def test_a_deadlock_names_threads_locks_and_lines() -> None:
    found = verdict(stopped(idle_s=3.0), LIMIT, process=[circle()], signal=15, timeout_s=5.0)
    assert found.cause is not None
    assert (found.cause.name, found.cause.certainty) == ("deadlock", "certain")
    assert found.cause.message == (
        "train.py:5: the main thread waits at line 5 of train.py for the lock `b`, which thread saver holds (line 2 "
        "of train.py), and thread "
        "saver waits at line 3 of train.py for the lock `a`, which the main thread holds (line 4 of train.py): none "
        "of them can continue"
    )
    assert found.cause.culprit is not None
    assert found.cause.culprit.name == "b"


def test_a_lock_that_the_source_only_shows_as_taken_makes_it_likely() -> None:
    found = verdict(stopped(), process=[circle(sure=False)], signal=15)
    assert found.cause is not None
    assert (found.cause.name, found.cause.certainty) == ("deadlock", "likely")


def test_a_thread_that_died_before_is_the_cause() -> None:
    died = raised("KeyError", "2", where="thread", number=3)
    found = verdict(stopped(), process=[died, stacks(waits_for_queue())], signal=15)
    assert found.cause is not None
    assert found.cause.name == "thread-died"
    assert found.cause.location is not None
    assert found.cause.location.line == 3
    joining = thread(user("p.wait()", 5), lib("subprocess.py", "_wait"), awaits=99)
    near = verdict(stopped(), process=[died, stacks(joining)], signal=15)
    assert "thread-died" not in names(near), "what a process brings no thread could have brought"


SWALLOWS = """\
def fill():
    for x in data:
        try:
            q.put(load(x))
        except Exception: break
Thread(target=fill).start()
q.get()
"""


def waits(*others: ThreadStack, source: str = SWALLOWS) -> Diagnosis:
    recording = recording_of(stopped(), process=[stacks(waits_for_queue(7), *others)], signal=15)
    recording.sources[FILE] = Source(source)
    return diagnose(recording)


def test_a_producer_that_swallowed_its_exception_is_the_cause() -> None:
    found = waits()
    assert found.cause is not None
    assert (found.cause.name, found.cause.certainty) == ("thread-ended-silently", "likely")
    assert found.cause.location is not None
    assert found.cause.location.line == 5, "the except"


def test_a_producer_that_still_runs_or_says_why_it_ends_is_not() -> None:
    busy = Frame(file=FILE, line=4, function="fill", user=True)
    assert "thread-ended-silently" not in names(waits(thread(busy, main=False, name="Thread-1", ident=2)))
    assert "thread-ended-silently" not in names(waits(source=SWALLOWS.replace("break", "raise")))


def test_who_gave_up_the_wait_is_told_too_where_the_threads_were_looked_at() -> None:
    empty = raised("Empty", number=7)
    for looked, name in ([stacks(waits_for_queue(7))], "thread-ended-silently"), ([], "uncaught-exception"):
        recording = recording_of(process=[*looked, empty], exit_code=1)
        recording.sources[FILE] = Source(SWALLOWS)
        found = diagnose(recording).cause
        assert found is not None
        assert found.name == name


def in_tensorflow(pid: int = CHILD) -> StacksTaken:
    op = Frame(file=f"{LIB}/site-packages/tensorflow/python/ops/gen_math_ops.py", line=1, function="mat_mul")
    return stacks(thread(user("tf.matmul(a, a)", 3), op, forked_at=user("p.start()", 4)), pid=pid)


def joins_child() -> ThreadStack:
    return thread(user("p.join()", 7), lib("multiprocessing/popen_fork.py", "poll"), awaits=CHILD)


def test_a_fork_after_tensorflow_is_the_cause_and_a_spawned_process_is_not() -> None:
    loaded = ModuleImported(name="tensorflow", version="2.21")
    found = verdict(
        stopped(PID, CHILD),
        process=[loaded, stacks(joins_child())],
        others={CHILD: [ProcessBegan(pid=CHILD, ppid=PID, start="fork"), in_tensorflow()]},
        signal=15,
    )
    assert found.cause is not None
    assert (found.cause.name, found.cause.certainty) == ("fork-after-start", "certain")
    assert found.cause.location is not None
    assert found.cause.location.line == 4, "the line that forked"
    spawned = verdict(
        stopped(PID, CHILD),
        process=[loaded, stacks(joins_child())],
        others={CHILD: [ProcessBegan(pid=CHILD, ppid=PID, start="exec"), in_tensorflow()]},
        signal=15,
    )
    assert "fork-after-start" not in names(spawned)
    assert spawned.cause is not None
    assert spawned.cause.location is not None
    assert spawned.cause.location.line == 3, "the line of the process that waits"


def crash_of(pid: int) -> Fault:
    frames = [FaultFrame(FILE, 3, "decode")]
    return Fault(pid=pid, reason="Segmentation fault", threads=[FaultThread(frames=frames, current=True)])


def test_a_worker_that_crashed_is_why_the_pool_waits() -> None:
    found = verdict(
        stopped(), process=[stacks(waits_for_pool())], others={CHILD: []}, faults=[crash_of(CHILD)], signal=15
    )
    assert found.outcome == "hung"
    assert names(found)[:3] == ["segmentation-fault", "child-process-died", "hung"]


def test_a_worker_that_is_gone_without_a_word_was_killed() -> None:
    found = verdict(stopped(), process=[stacks(waits_for_pool())], others={CHILD: []}, signal=15)
    assert names(found)[:3] == ["killed-from-outside", "child-process-died", "hung"]


def test_a_queue_between_threads_is_not_filled_by_a_process() -> None:
    found = verdict(stopped(), process=[stacks(waits_for_queue())], others={CHILD: []}, signal=15)
    assert names(found) == ["hung", "terminated"]


def test_workers_that_live_or_ended_in_order_are_not_blamed() -> None:
    living = verdict(
        stopped(PID, CHILD),
        process=[stacks(waits_for_pool())],
        others={CHILD: [stacks(thread(lib("multiprocessing/pool.py", "worker")), pid=CHILD)]},
        signal=15,
    )
    assert names(living) == ["hung", "terminated"]
    orderly = verdict(stopped(), process=[stacks(waits_for_pool())], others={CHILD: [ProcessExiting()]}, signal=15)
    assert names(orderly) == ["hung", "terminated"]


def test_an_unread_process_says_why() -> None:
    silent = stopped()
    told = ProgressStopped(
        moment=1,
        idle_s=130.0,
        wanted_s=120.0,
        hangs=True,
        processes=[
            *silent.processes,
            ProcessWait(pid=CHILD, ppid=PID, name="python", state="S", without="py-spy is not installed"),
        ],
    )
    found = verdict(told, process=[stacks(waits_for_pool())], signal=signal.SIGTERM)
    assert found.cause is not None
    assert "py-spy is not installed" in [evidence.value for evidence in found.cause.evidence]
