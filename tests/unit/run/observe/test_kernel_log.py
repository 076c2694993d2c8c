from __future__ import annotations

from pathlib import Path

import pytest

from whydied.run.observe.kernel_log import KernelLog, concerns, message

OOM = "Memory cgroup out of memory: Killed process 812 (python) total-vm:216132kB, anon-rss:204276kB, UID:0"
CONSTRAINT = "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task_memcg=/whydied-r1,task=python,pid=812,uid=0"


@pytest.mark.parametrize(
    "line",
    [
        OOM,
        CONSTRAINT,
        "Out of memory: Killed process 812 (python3) total-vm:1kB",
        "oom_reaper: reaped process 812 (python), now anon-rss:0kB",
        "python[812]: segfault at 0 ip 00007f sp 00007f error 4 in libc.so.6",
        "traps: python[812] general protection fault ip:7f sp:7f error:0 in libfoo.so",
    ],
)
def test_lines_about_a_process(line: str) -> None:
    assert concerns(line, {1, 812})
    assert not concerns(line, {81, 12})


def test_a_line_about_the_group() -> None:
    assert concerns(CONSTRAINT, set(), "/sys/fs/cgroup/memory/whydied-r1")


@pytest.mark.parametrize("line", ["audit: pid=812 uid=0", "usb 1-1: new device, process 812 woke"])
def test_other_lines_that_name_the_process(line: str) -> None:
    assert not concerns(line, {812})


def test_message_of_an_entry() -> None:
    assert message(b"6,339,5140900,-;text; with a semicolon\n SUBSYSTEM=pci\n") == "text; with a semicolon"


def test_a_log_that_may_not_be_read(tmp_path: Path) -> None:
    log = KernelLog(str(tmp_path / "none"))
    assert not log.readable
    assert log.about({1}) == []
    log.close()


def test_a_log_from_a_file(tmp_path: Path) -> None:
    """Only what came after the start counts."""
    path = tmp_path / "kmsg"
    path.write_bytes(f"6,1,2,-;{OOM} old\n".encode())
    log = KernelLog(str(path))
    with path.open("ab") as file:
        file.write(f"6,2,3,-;{OOM}\n".encode())
    assert [record.line for record in log.about({812})] == [OOM]
    log.close()
