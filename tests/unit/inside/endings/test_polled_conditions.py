"""The condition that a thread sleeps for, read from its frame without a call."""

from __future__ import annotations

import queue
import sys
from pathlib import Path
from types import FrameType

from whydied.inside.endings.polled_conditions import polled
from whydied.records.hangs import Polled

LOOP = """
def wait(q, count, sleep):
    while q.qsize() != count:
        sleep(0.05)
"""


def _seen(tmp_path: Path, text: str, q: object) -> Polled | None:
    file = tmp_path / "train.py"
    file.write_text(text)
    found: list[Polled | None] = []

    def sleep(_: float) -> None:
        frame: FrameType = sys._getframe(1)
        found.append(polled(frame, str(file), frame.f_lineno))
        raise StopIteration

    names: dict[str, object] = {}
    exec(compile(text, str(file), "exec"), names)
    try:
        names["wait"](q, 0, sleep)  # type: ignore[operator]
    except StopIteration:
        return found[0]
    raise AssertionError("it did not sleep")


def test_both_sides_are_read(tmp_path: Path) -> None:
    held: queue.Queue[int] = queue.Queue()
    held.put(7)
    assert _seen(tmp_path, LOOP, held) == Polled(
        condition="q.qsize() != count", line=3, values={"q.qsize()": "1", "count": "0"}
    )


def test_a_size_that_only_a_call_would_tell_is_left_out(tmp_path: Path) -> None:
    class Own:
        def qsize(self) -> int:
            return 1

    found = _seen(tmp_path, LOOP, Own())
    assert found is not None
    assert found.values == {"count": "0"}


def test_a_loop_with_another_condition_has_none(tmp_path: Path) -> None:
    assert _seen(tmp_path, LOOP.replace("q.qsize() != count", "not count"), object()) is None
