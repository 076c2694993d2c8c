"""The line of a thread that gave up the interpreter at the end of a loop."""

from __future__ import annotations

import _thread
import sys
import time

from whydied.inside.guest.user_frames import line_of


def _work(state: dict[str, int]) -> None:
    state["ident"] = _thread.get_ident()
    while not state.get("stop"):
        state["turn"] = state.get("turn", 0) + 1
        if state["turn"] < 0:
            state["never"] = 1
    state["ended"] = 1


def test_a_line_is_always_told() -> None:
    state: dict[str, int] = {}
    _thread.start_new_thread(_work, (state,))
    first, last = _work.__code__.co_firstlineno, max(line for _, _, line in _work.__code__.co_lines() if line)
    seen = set()
    limit = time.monotonic() + 20
    try:
        while len(seen) < 1 or (state.get("turn", 0) < 200_000 and time.monotonic() < limit):
            frame = sys._current_frames().get(state.get("ident", 0))
            if frame is not None and frame.f_code is _work.__code__:
                seen.add(line_of(frame))
            del frame
            time.sleep(0.001)
    finally:
        state["stop"] = 1
    while not state.get("ended"):
        time.sleep(0.001)
    assert seen
    assert all(first <= line <= last for line in seen)
