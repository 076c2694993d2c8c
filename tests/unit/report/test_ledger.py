"""Bytes by line and by op, and memory over time, in the report."""

from __future__ import annotations

from tests.unit.diagnose.case_of import case_of, sample
from tests.unit.diagnose.memory_runs import MIB, killed, seen
from whydied.report import ledger
from whydied.report.summary import MemoryFacts, OpBytes


def test_lines_are_ranked_by_what_grew() -> None:
    memory = ledger.memory_facts(
        killed("a = 1\nb = 2\nc = 3\n", seen(1, 100), seen(2, 150), seen(3, 550), seen(3, 900))
    )
    assert [one.line for one in memory.by_line] == [3, 2, 1]
    assert memory.by_line[0].bytes == 550 * MIB
    assert ledger.lines_of(memory)[0] == "550 MiB  train.py:3  c = 3"


def test_the_timeline_is_bounded_and_keeps_the_peak() -> None:
    samples = [sample((1000 if number == 777 else number % 50) * MIB) for number in range(2001)]
    points = ledger.timeline(case_of(*samples, process=[], exit_code=0))
    assert len(points) <= ledger.MOST_MOMENTS
    assert max(point.rss_bytes for point in points) == 1000 * MIB
    assert [point.seconds for point in points] == sorted(point.seconds for point in points)


def test_ops_name_their_layer_and_line() -> None:
    op = OpBytes(
        op="a/MatMul", type="MatMul", shape=[4, 4], dtype="float32", bytes=64, phase="forward", layer="dense",
        file="/home/ann/train.py", line=7, copies=2,
    )  # fmt: skip
    told = ledger.ops_of(MemoryFacts(by_op=[op], step="step, batch 4"))
    assert told == ["alive at the peak of step, batch 4:", "64 B  dense MatMul [4, 4] float32 x 2, forward, train.py:7"]


def test_a_run_without_records_has_no_ledger() -> None:
    memory = ledger.memory_facts(case_of(process=None, exit_code=0))
    assert (memory.by_line, memory.by_op, memory.timeline) == ([], [], [])
