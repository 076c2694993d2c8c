"""The program's garbage collector and switch interval stay the program's while a census runs."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import child
from whydied.inside import journal
from whydied.inside.guest import garbage_collection
from whydied.inside.sampling import sampler


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    threshold, patience = gc.get_threshold(), sys.getswitchinterval()
    yield
    gc.enable()
    gc.set_threshold(*threshold)
    sys.setswitchinterval(patience)


def test_two_threads_hold_it_off_until_the_last_is_done() -> None:
    before = gc.get_threshold()
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with garbage_collection.held_off():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with garbage_collection.held_off():
        thread.start()
        inside.wait(10)
    assert gc.get_threshold()[0] == 0
    leave.set()
    thread.join()
    assert gc.get_threshold() == before


def test_a_collection_of_the_programs_waits_for_the_end_of_a_walk(tmp_path: Path) -> None:
    path = child.write(
        tmp_path,
        """
        import gc, sys, threading, time
        collection = sys.modules["whydied.inside.guest.garbage_collection"]
        inside, held = threading.Event(), []
        def look():
            with collection.held_off():
                held.append(True)
                inside.set()
                time.sleep(0.5)
                held.clear()
        thread = threading.Thread(target=look)
        thread.start()
        inside.wait()
        gc.callbacks.append(lambda phase, info: print(phase, held))
        gc.collect()
        gc.callbacks.clear()
        thread.join()
        print(gc.get_threshold()[0] > 0, gc.collect)
        """,
    )
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    assert (recorded.ended.status, recorded.ended.stderr) == (0, "")
    *collections, last = recorded.ended.stdout.splitlines()
    # Python may collect by itself as well, after the walk and in any thread.
    assert "start []" in collections
    assert set(collections) <= {"start []", "stop []"}
    assert last == "True <built-in function collect>"


def test_a_fork_in_the_middle_leaves_the_child_as_the_program_had_it(tmp_path: Path) -> None:
    path = child.write(
        tmp_path,
        """
        import gc, os, sys, threading
        collection = sys.modules["whydied.inside.guest.garbage_collection"]
        before = (gc.get_threshold(), sys.getswitchinterval(), gc.isenabled())
        inside, leave = threading.Event(), threading.Event()
        def look():
            with collection.undisturbed(0.1):
                inside.set()
                leave.wait(10)
        thread = threading.Thread(target=look)
        thread.start()
        inside.wait()
        pid = os.fork()
        if pid == 0:
            os._exit((gc.get_threshold(), sys.getswitchinterval(), gc.isenabled()) != before)
        print(os.waitpid(pid, 0)[1])
        leave.set()
        thread.join()
        print((gc.get_threshold(), sys.getswitchinterval(), gc.isenabled()) == before)
        """,
    )
    recorded = child.inside("-Wignore", path, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.ended == (0, "0\nTrue\n", "")


def test_a_fork_during_our_import_does_not_hang(tmp_path: Path) -> None:
    """The lock of the module is then held by a thread that the child does not have."""
    path = child.write(
        tmp_path,
        """
        import importlib.util, os, signal, sys, threading
        watch = sys.modules["whydied.inside.sampling.memory_watch"]
        inside, leave = threading.Event(), threading.Event()
        class Slow:
            def find_spec(self, name, path=None, target=None):
                if name != "whydied.inside.census.census":
                    return None
                sys.meta_path.remove(self)
                spec = importlib.util.find_spec(name)
                run = spec.loader.exec_module
                spec.loader.exec_module = lambda module: (inside.set(), leave.wait(60), run(module))
                return spec
        sys.meta_path.insert(0, Slow())
        thread = threading.Thread(target=watch._load_census)
        thread.start()
        inside.wait()
        for error in (ValueError, MemoryError):
            pid = os.fork()
            if pid == 0:
                signal.alarm(20)
                raise error
            print(os.waitpid(pid, 0)[1], flush=True)
        leave.set()
        thread.join()
        print(watch._load_census().__name__)
        """,
    )
    recorded = child.inside("-Wignore", path, cwd=tmp_path, run=tmp_path / "run")
    assert (recorded.ended.status, recorded.ended.stdout) == (0, "256\n256\nwhydied.inside.census.census\n")


def test_a_fork_waits_until_the_sampler_is_done_with_a_tick(tmp_path: Path) -> None:
    (tmp_path / "streams").mkdir()
    journal.open_journal(str(tmp_path))
    try:
        one = sampler.Sampler(threading.get_ident(), lambda: None)
        done: list[bool] = []

        def tick() -> None:
            with one._busy:
                inside.set()
                time.sleep(0.05)
                done.append(True)

        inside = threading.Event()
        thread = threading.Thread(target=tick)
        thread.start()
        inside.wait(10)
        one.before_fork()
        assert done == [True]
        assert one._busy.locked()
        one._running = True
        one.after_fork_in_parent()
        assert not one._busy.locked()
        thread.join()
    finally:
        journal.close()


def test_a_fork_is_known_as_one_by_modules_that_are_loaded_later(tmp_path: Path) -> None:
    path = child.write(
        tmp_path,
        """
        import os
        pid = os.fork()
        if pid == 0:
            from whydied.inside.census import array_sizes
            os._exit(array_sizes._forked())
        print(os.waitpid(pid, 0)[1] >> 8)
        """,
    )
    recorded = child.inside("-Wignore", path, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.ended == (0, "1\n", "")
