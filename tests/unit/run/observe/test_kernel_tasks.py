"""What the kernel says of threads, from a tree of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from whydied.run.observe import kernel_tasks

STAT = "{tid} (py (x) thon) S 1 1 1 0 -1 0 0 0 0 0 10 5 0 0 20 0 2 0 777 0 0 " + "0 " * 40


@pytest.fixture
def root(tmp_path: Path) -> str:
    """Process 50 with threads 50 and 51."""
    (tmp_path / "proc/50").mkdir(parents=True)
    (tmp_path / "proc/50/stat").write_text(STAT.format(tid=50))
    (tmp_path / "proc/50/fd").mkdir()
    os.symlink("pipe:[99]", tmp_path / "proc/50/fd/4")
    for tid, switched in ((50, 3), (51, 9)):
        place = tmp_path / f"proc/50/task/{tid}"
        place.mkdir(parents=True)
        (place / "stat").write_text(STAT.format(tid=tid))
        (place / "status").write_text(f"Name:\tx\nvoluntary_ctxt_switches:\t{switched}\n")
    return f"{tmp_path}/"


def call(root: str, tid: int, text: str) -> None:
    (Path(root) / f"proc/50/task/{tid}/syscall").write_text(text)


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
def test_calls_descriptors_and_switches(root: str) -> None:
    call(root, 50, "0 0x4 0x7f 0x20 0x0 0x0 0x0 0x7ff 0x7f8\n")
    call(root, 51, "202 0x7f 0x189 0x0 0x0 0x0 0x0 0x7ff 0x7f8\n")
    found = kernel_tasks.process_wait(50, {50: 3, 51: 5}, root)
    assert found is not None
    assert found.threads == 2
    first, second = found.tasks
    assert (first.call, first.target, first.switched) == ("read", "pipe:[99]", False)
    assert (second.call, second.target, second.switched) == ("futex", "", True)


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
def test_a_prompt_polls_the_keyboard_alone(root: str) -> None:
    os.symlink("/dev/pts/7", Path(root) / "proc/50/fd/0")
    call(root, 50, "270 0x1 0x7f 0x0 0x0 0x0 0x0 0x7ff 0x7f8\n")
    call(root, 51, "270 0x5 0x7f 0x0 0x0 0x0 0x0 0x7ff 0x7f8\n")
    found = kernel_tasks.process_wait(50, {}, root)
    assert found is not None
    assert [task.target for task in found.tasks] == ["/dev/pts/7", ""]


def test_what_may_not_be_read_is_empty(root: str) -> None:
    call(root, 50, "running\n")
    found = kernel_tasks.process_wait(50, {}, root)
    assert found is not None
    assert [(task.call, task.switched) for task in found.tasks] == [("", None), ("", None)]
    assert kernel_tasks.process_wait(51, {}, root) is None
    assert kernel_tasks.switches(50, root) == {50: 3, 51: 9}
