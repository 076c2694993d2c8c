"""Starts the program: fork, then exec; runs in the parent, which has a single thread until it returns.

Invariant: the program starts with the signals, the mask and the descriptors that we were started with, but for
the standard streams it is given, and, where that is asked for, a process group of its own in which it dies with us;
when `start` returns, the program is executing or the reason why not is known.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, NoReturn

_FAILED = 125
# Python ignores these two for itself; a program that we start must not inherit that.
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
_PR_SET_PDEATHSIG = 1


class Launched(NamedTuple):
    """`pid` is None when the program could not be executed, with its errno. `group_errno` says that it is
    executing, but could not join the control group."""

    pid: int | None
    exec_errno: int | None = None
    group_errno: int | None = None


def start(
    argv: Sequence[str],
    env: Mapping[str, str],
    child_fds: Sequence[int | None],
    mask: Collection[int],
    group_procs: str | None = None,
    *,
    own_group: bool = False,
    oom_score_adj: int | None = None,
    enter: Callable[[], None] | None = None,
) -> Launched:
    """Fork and execute `argv` with `child_fds` as descriptors 0, 1 and 2, in the control group of that `cgroup.procs`.
    With `own_group` it leads a process group of its own, and the system kills it when we die. `oom_score_adj` is
    what the OOM killer adds to its memory, in thousandths of the limit; without one it is ours. `enter` is done by the
    program's process before it executes, with these descriptors; where it raises OSError, nothing is executed."""
    settle = _settling(os.getpid()) if own_group else None
    read_fd, write_fd = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(read_fd)
        os.close(write_fd)
        raise
    if pid == 0:
        _become(argv, env, child_fds, mask, group_procs, write_fd, settle, oom_score_adj, enter)
    os.close(write_fd)
    words = _read_all(read_fd).split()
    told = {word[:1]: int(word[1:]) for word in words}
    if b"e" in told:
        os.waitpid(pid, 0)
        return Launched(None, told[b"e"], told.get(b"g"))
    return Launched(pid, None, told.get(b"g"))


def describe(number: int, word: str) -> tuple[str, str]:
    """A sentence and a hint for the errno of an exec."""
    if number == errno.ENOEXEC:
        return (
            f"{word} is not a program that this system can execute",
            f"give it a first line like #!/bin/sh, or name its interpreter: whydied run -- sh {word}",
        )
    if number == errno.E2BIG:
        return f"the arguments and the environment are too long to start {word}", "pass long data through files"
    if number == errno.ENOENT:
        return f"{word} or the interpreter in its first line does not exist", "check the #! line of the file"
    if number in (errno.EAGAIN, errno.ENOMEM):
        return f"the system is out of processes or memory, and could not start {word}", "see ulimit -u and free -h"
    return f"{word} could not be started: {os.strerror(number)}", "check its permissions"


def _become(
    argv: Sequence[str],
    env: Mapping[str, str],
    child_fds: Sequence[int | None],
    mask: Collection[int],
    group_procs: str | None,
    report_fd: int,
    settle: Callable[[], None] | None,
    oom_score_adj: int | None,
    enter: Callable[[], None] | None,
) -> NoReturn:
    try:
        if settle:
            settle()
        _join_group(group_procs, report_fd)
        _count_for(oom_score_adj)
        _take_stdio(child_fds)
        if enter:
            enter()
        for number in _IGNORED_BY_PYTHON:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.execvpe(argv[0], list(argv), dict(env))
    except OSError as error:
        os.write(report_fd, b"e%d " % (error.errno or errno.EIO))
    except BaseException:
        os.write(report_fd, b"e%d " % errno.EIO)
    finally:
        os._exit(_FAILED)


def _settling(parent: int) -> Callable[[], None]:
    """What a child of ours does to lead a group of its own and to die with us, made ready before the fork."""
    import ctypes

    prctl = ctypes.CDLL(None).prctl

    def settle() -> None:
        os.setpgid(0, 0)
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        # We may have died before the system was told.
        if os.getppid() != parent:
            os._exit(_FAILED)

    return settle


def _join_group(group_procs: str | None, report_fd: int) -> None:
    if group_procs is None:
        return
    try:
        fd = os.open(group_procs, os.O_WRONLY)
        os.write(fd, str(os.getpid()).encode())
        os.close(fd)
    except OSError as error:
        os.write(report_fd, b"g%d " % (error.errno or errno.EIO))


def _count_for(oom_score_adj: int | None) -> None:
    if oom_score_adj is None:
        return
    with contextlib.suppress(OSError):
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"%d" % oom_score_adj)
        os.close(fd)


def _take_stdio(child_fds: Sequence[int | None]) -> None:
    for target, fd in enumerate(child_fds):
        if fd is None:
            with contextlib.suppress(OSError):
                os.close(target)
        elif fd != target:
            os.dup2(fd, target)


def _read_all(fd: int) -> bytes:
    parts = []
    while part := os.read(fd, 4096):
        parts.append(part)
    os.close(fd)
    return b"".join(parts)
