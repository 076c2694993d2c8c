"""Which of the other threads are at work: by where they are, and by the processor time that they get."""

from __future__ import annotations

import sys
import threading
import zlib
from typing import Any

import pytest

from whydied.inside.sampling import sampler


def _marks() -> dict[int, Any]:
    return {thread: mark for thread, (mark, _) in sampler._others(threading.get_ident()).items()}


@pytest.mark.skipif(sys.platform != "linux", reason="the clock of another thread is asked")
def test_a_thread_that_is_always_seen_at_the_same_instruction_is_at_work() -> None:
    block, over, busy_since = bytes(1 << 20), threading.Event(), threading.Event()

    def work() -> None:
        while not over.is_set():
            zlib.crc32(block)
            busy_since.set()

    busy, waiting = threading.Thread(target=work), threading.Thread(target=over.wait)
    busy.start()
    waiting.start()
    try:
        assert busy_since.wait(10)
        first = _marks()
        for _ in range(200):
            threading.Event().wait(0.05)
            later = _marks()
            if later[busy.ident or 0][2] != first[busy.ident or 0][2]:
                break
        assert later[busy.ident or 0] != first[busy.ident or 0]
        assert later[waiting.ident or 0] == first[waiting.ident or 0]
    finally:
        over.set()
        busy.join()
        waiting.join()
