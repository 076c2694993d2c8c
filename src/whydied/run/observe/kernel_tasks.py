"""What the kernel says of the threads of a process: the system call that each is in, and on what; runs in the parent.

Invariant: nothing is stopped or touched; what may not be read is left empty. The numbers of system calls are
those of the machine that this runs on, and an unknown machine gives none.
"""

from __future__ import annotations

import os

from whydied.linux import proc
from whydied.records import ProcessWait, TaskWait

LARGEST_TASKS = 64
_X86_64 = {
    0: "read",
    1: "write",
    7: "poll",
    23: "select",
    34: "pause",
    35: "nanosleep",
    43: "accept",
    45: "recvfrom",
    47: "recvmsg",
    61: "wait4",
    73: "flock",
    202: "futex",
    230: "clock_nanosleep",
    232: "epoll_wait",
    247: "waitid",
    257: "openat",
    270: "pselect6",
    271: "ppoll",
    281: "epoll_pwait",
    288: "accept4",
    441: "epoll_pwait2",
    449: "futex_waitv",
    455: "futex_wait",
    128: "rt_sigtimedwait",
    130: "rt_sigsuspend",
}
_AARCH64 = {
    22: "epoll_pwait",
    32: "flock",
    56: "openat",
    63: "read",
    64: "write",
    72: "pselect6",
    73: "ppoll",
    95: "waitid",
    98: "futex",
    101: "nanosleep",
    115: "clock_nanosleep",
    133: "rt_sigsuspend",
    137: "rt_sigtimedwait",
    202: "accept",
    207: "recvfrom",
    212: "recvmsg",
    242: "accept4",
    260: "wait4",
    441: "epoll_pwait2",
    449: "futex_waitv",
    455: "futex_wait",
}
_TABLES = {"x86_64": _X86_64, "aarch64": _AARCH64}
_ON_DESCRIPTOR = frozenset({"read", "write", "accept", "accept4", "recvfrom", "recvmsg", "flock"})


def process_wait(pid: int, before: dict[int, int], root: str = "/") -> ProcessWait | None:
    """A process with its threads, the first one first. `before` is what `switches` said when progress was last seen."""
    stat = proc.stat_of(pid, root)
    if stat is None:
        return None
    tids = task_ids(pid, root)
    tasks = [_task(pid, tid, before, root) for tid in tids[:LARGEST_TASKS]]
    return ProcessWait(
        pid=pid,
        ppid=stat.ppid,
        name=stat.name,
        state=stat.state,
        threads=len(tids),
        tasks=[task for task in tasks if task is not None],
    )


def task_ids(pid: int, root: str = "/") -> list[int]:
    try:
        return sorted((int(name) for name in os.listdir(f"{root}proc/{pid}/task")), key=lambda tid: (tid != pid, tid))
    except (OSError, ValueError):
        return []


def switches(pid: int, root: str = "/") -> dict[int, int]:
    """How often each thread of a process has given up the processor so far."""
    found = {tid: _switches(pid, tid, root) for tid in task_ids(pid, root)[:LARGEST_TASKS]}
    return {tid: count for tid, count in found.items() if count is not None}


def _switches(pid: int, tid: int, root: str) -> int | None:
    data = proc.read(f"{root}proc/{pid}/task/{tid}/status")
    return proc.number_after(data, b"\nvoluntary_ctxt_switches:") if data else None


def _task(pid: int, tid: int, before: dict[int, int], root: str) -> TaskWait | None:
    data = proc.read(f"{root}proc/{pid}/task/{tid}/stat")
    if not data:
        return None
    call, target = _call(pid, tid, root)
    now = _switches(pid, tid, root)
    return TaskWait(
        tid=tid,
        state=data[data.rfind(b")") + 2 :][:1].decode("ascii", "replace"),
        call=call,
        target=target,
        switched=None if now is None or tid not in before else now > before[tid],
    )


def _call(pid: int, tid: int, root: str) -> tuple[str, str]:
    """The system call of a thread and what its descriptor is, where it has one."""
    words = (proc.read_text(f"{root}proc/{pid}/task/{tid}/syscall") or "").split()
    if not words or not words[0].lstrip("-").isdigit():
        return "", ""
    name = _TABLES.get(os.uname().machine, {}).get(int(words[0]), "")
    if name in _ON_DESCRIPTOR and len(words) > 1:
        return name, _target(pid, int(words[1], 16), root)
    # Which descriptors are polled is not told. A program at a prompt asks for the keyboard alone: those below 1.
    if name in ("select", "pselect6") and len(words) > 1 and int(words[1], 16) == 1:
        return name, _target(pid, 0, root)
    return name, ""


def _target(pid: int, fd: int, root: str) -> str:
    try:
        return os.readlink(f"{root}proc/{pid}/fd/{fd}")[:80]
    except OSError:
        return ""
