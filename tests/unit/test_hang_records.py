"""Stacks of very many threads still fit into a record."""

from __future__ import annotations

from whydied import stream, wire
from whydied.records import Frame, ProcessWait, ProgressStopped, StacksTaken, TaskWait, ThreadStack
from whydied.records.hangs import LARGEST_THREADS, bounded, fitting


def stack(number: int, depth: int) -> ThreadStack:
    frames = [Frame(file="/opt/" + "x" * 200, line=n, function="f" * 60) for n in range(depth)]
    return ThreadStack(name=f"worker-{number}", ident=number, frames=frames)


def test_stacks_fit_into_a_record() -> None:
    taken = fitting(StacksTaken(pid=1, how="inside", moment=1, threads=[stack(n, 16) for n in range(500)]))
    assert len(wire.frame(0, 0, taken)) < stream.LARGEST_RECORD_BYTES
    assert 1 <= len(taken.threads) <= LARGEST_THREADS
    assert len(taken.threads) + taken.left_out == 500


def test_few_threads_are_all_kept() -> None:
    few = StacksTaken(pid=1, how="inside", moment=1, threads=[stack(n, 5) for n in range(3)])
    assert fitting(few) == few


def test_the_threads_of_many_processes_fit_into_a_record() -> None:
    tasks = [TaskWait(tid=n, state="S", call="clock_nanosleep", target="p" * 80, switched=False) for n in range(64)]
    many = [ProcessWait(pid=n, ppid=1, name="python3.11", state="S", threads=64, tasks=tasks) for n in range(24)]
    stopped = ProgressStopped(moment=1, idle_s=1.0, wanted_s=1.0, hangs=True, processes=bounded(many))
    assert len(wire.frame(0, 0, stopped)) < stream.LARGEST_RECORD_BYTES
    assert all(process.tasks for process in stopped.processes)
