"""Questions that are answered in a copy of the process: nothing of them comes back but the answers."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from whydied.inside.trials import forked
from whydied.inside.trials.forked import answers

LONG_S = 20.0
"""More than any machine takes: what is asked here is bounded by what it does, not by this."""


def _hang() -> str:
    time.sleep(600)
    return "never"


def _crash() -> str:
    os.kill(os.getpid(), signal.SIGSEGV)
    return "never"


def test_each_question_has_its_answer() -> None:
    assert answers([lambda: "one", lambda: "two"], LONG_S) == ["one", "two"]


def test_a_question_that_raises_has_none_and_the_next_is_asked() -> None:
    assert answers([lambda: str(1 // 0), lambda: "two"], LONG_S) == [None, "two"]


def test_a_crash_costs_one_answer() -> None:
    assert answers([lambda: "one", _crash, lambda: "three"], LONG_S) == ["one", None, "three"]


def test_what_hangs_is_ended_and_leaves_nobody() -> None:
    assert answers([_hang, lambda: "two"], LONG_S) == [None, "two"]
    assert psutil.Process().children() == []


def _compute() -> str:
    while True:
        pass


def test_the_time_of_the_processor_is_bounded_for_all_together() -> None:
    assert answers([_compute, lambda: "two"], 0.1) == [None, None]


def test_the_time_of_the_clock_is_bounded_for_all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked, "LONGEST_S", 0.3)
    assert answers([_hang] * 50, LONG_S) == [None] * 50


def test_what_a_question_changes_is_changed_in_the_copy_alone() -> None:
    kept = [1]

    def change() -> str:
        kept.append(2)
        return str(len(kept))

    assert answers([change], LONG_S) == ["2"]
    assert kept == [1]


def test_nothing_is_written_or_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"

    def write() -> str:
        os.write(1, b"printed")
        file.write_text("written", "utf-8")
        return "done"

    assert answers([write], LONG_S) == [None]
    assert capfd.readouterr().out == ""
    assert not file.exists() or file.read_bytes() == b""


def test_no_copy_is_made_where_memory_is_scarce(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked, "LARGEST_COPY_BYTES", 1)
    assert answers([lambda: "one"], LONG_S) == [None]


def test_where_no_process_can_be_made_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refuse)
    assert answers([lambda: "one"], LONG_S) == [None]
