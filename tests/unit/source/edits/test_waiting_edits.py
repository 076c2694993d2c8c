"""Loops that wait for ever, processes that are forked, arrays that a loop puts into a graph."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.memory.fed_constants import fed_before_loop
from whydied.source.edits.programs.spawned_processes import spawned
from whydied.source.edits.programs.waiting_loops import asked_again


def test_a_loop_with_a_condition_waits_for_a_while() -> None:
    source = source_of("import queue\nwhile not stop.is_set():\n    a, b = waiting.get()\n    work(a, b)\n")
    assert after(source, asked_again(source, FILE, 3)) == [
        "try:",
        "a, b = waiting.get(timeout=1.0)",
        "except queue.Empty:",
        "continue",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "while True:\n    a = waiting.get()\n",
        "while go:\n    a = waiting.get(timeout=3)\n",
        "while go:\n    if ready:\n        a = waiting.get()\n",
        "for x in y:\n    a = waiting.get()\n",
    ],
)
def test_other_loops_are_left(text: str) -> None:
    source = source_of(text)
    line = next(n for n, one in enumerate(source.lines, 1) if "get(" in one)
    assert asked_again(source, FILE, line) == []


GUARD = 'if __name__ == "__main__":\n    main()\n'
MAIN = "{imports}\ndef work(n):\n    return n\ndef main():\n    p = {maker}\n    p.start()\n"


@pytest.mark.parametrize(
    ("imports", "maker", "made"),
    [
        (
            "import multiprocessing as mp",
            "mp.Process(target=work)",
            ['p = mp.get_context("spawn").Process(target=work)'],
        ),
        ("import multiprocessing", "multiprocessing.Pool(4)", ['p = multiprocessing.get_context("spawn").Pool(4)']),
        (
            "from multiprocessing import Process",
            "Process(target=work)",
            ["import multiprocessing", 'p = multiprocessing.get_context("spawn").Process(target=work)'],
        ),
        (
            "import multiprocessing as mp",
            "ProcessPoolExecutor(2)",
            ['p = ProcessPoolExecutor(2, mp_context=mp.get_context("spawn"))'],
        ),
    ],
)
def test_processes_are_spawned(imports: str, maker: str, made: list[str]) -> None:
    source = source_of(MAIN.format(imports=imports, maker=maker) + GUARD)
    found = spawned(source, FILE, 6)
    assert found is not None
    assert (after(source, found.edits), found.line) == (made, 5)


@pytest.mark.parametrize(
    "text",
    [
        MAIN.format(imports="import multiprocessing as mp", maker="mp.Process(target=work)") + "main()\n",
        MAIN.format(imports="import multiprocessing as mp", maker="mp.Process(target=lambda: 1)") + GUARD,
        MAIN.format(imports="import threading", maker="work(1)") + GUARD,
    ],
)
def test_what_a_spawned_process_could_not_import_is_left(text: str) -> None:
    assert spawned(source_of(text), FILE, 6) is None


LOOP = """\
import tensorflow.compat.v1 as tf
for step in range(9):
    a, b = batch()
    t = tf.reduce_mean(errors * a)
    {run}
"""


@pytest.mark.parametrize(
    ("run", "fed"),
    [
        ("v = s.run(t, feed)", "v = s.run(t, {**feed, a_fed: a})"),
        ("v, _ = s.run([t, train], feed_dict={x: b})", "v, _ = s.run([t, train], feed_dict={**{x: b}, a_fed: a})"),
        ("v = s.run(t)", "v = s.run(t, feed_dict={a_fed: a})"),
    ],
)
def test_what_is_new_in_each_turn_is_fed(run: str, fed: str) -> None:
    source = source_of(LOOP.format(run=run))
    assert after(source, fed_before_loop(source, FILE, 4)) == [
        "a_fed = tf.placeholder(tf.float32)",
        "t = tf.reduce_mean(errors * a_fed)",
        fed,
    ]


@pytest.mark.parametrize("run", ["v = s.run(other)", "v = s.run(t) + t.shape[0]", "print(t)"])
def test_what_is_not_only_fetched_is_left(run: str) -> None:
    assert fed_before_loop(source_of(LOOP.format(run=run)), FILE, 4) == []
