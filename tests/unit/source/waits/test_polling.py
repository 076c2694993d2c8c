"""Which loops only sleep until something of the program's own holds."""

from __future__ import annotations

import ast

import pytest

from whydied.source.waits.polling import polled_loop, sides


@pytest.mark.parametrize(
    ("test", "parts"),
    [
        ("self.q.qsize() != self.workers", ["self.q.qsize()", "self.workers"]),
        ("len(results) < count", ["len(results)", "count"]),
        ("not task.done()", ["task.done()"]),
        ("q.empty() and worker.is_alive()", ["q.empty()", "worker.is_alive()"]),
    ],
)
def test_sizes_and_ends_are_the_programs_own(test: str, parts: list[str]) -> None:
    loop = polled_loop(ast.parse(f"while {test}:\n    time.sleep(1)\n"), 2)
    assert loop is not None
    assert [ast.unparse(one) for one in sides(loop.test)] == parts


@pytest.mark.parametrize(
    "text",
    [
        "while True:\n    time.sleep(1)\n",
        "while not stopped:\n    time.sleep(1)\n",
        "while not stop.is_set():\n    time.sleep(1)\n",
        "while not os.path.exists(path):\n    time.sleep(1)\n",
        "while len(os.listdir(path)) < 3:\n    time.sleep(1)\n",
        "while time.time() < end and q.empty():\n    time.sleep(1)\n",
        "while q.empty():\n    refill(q)\n    time.sleep(1)\n",
        "while q.empty():\n    if late():\n        break\n    time.sleep(1)\n",
        "time.sleep(1)\ntime.sleep(1)\n",
    ],
)
def test_what_time_a_signal_or_the_loop_itself_may_end_is_no_such_loop(text: str) -> None:
    assert polled_loop(ast.parse(text), 2) is None
