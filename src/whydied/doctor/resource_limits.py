"""Limits on files, threads and stacks, and how many threads TensorFlow starts against the processors it may use. Runs
in the parent.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from whydied import words
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check, Machine
from whydied.linux import cgroup, proc
from whydied.places import names_in

_FEW_FILES = 1024
_SMALL_STACK_BYTES = 1 << 20
# TensorFlow starts pools as wide as the machine. On 2 processors (2.21) a program had 7 threads after its first op and
# 13 in a fit over a tf.data pipeline; the rest is room for workers.
_THREADS_PER_PROCESSOR, _MORE_THREADS = 4, 16
_OVERSUBSCRIBED = 2.0
_POOLS = ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")
_OTHER_POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def limit_checks(machine: Machine, environment: Environment) -> list[Check]:
    return [_files(machine), _stack(machine), *_threads(machine), *_processors(machine, environment)]


def _files(machine: Machine) -> Check:
    limit = machine.ulimit("RLIMIT_NOFILE")
    if limit is None or limit >= _FEW_FILES:
        return Check("open files", "ok", "no limit" if limit is None else f"{limit:,}")
    return Check(
        "open files",
        "risk",
        f"limited to {limit:,}",
        'workers, record files and event files fail with "Too many open files"',
        "ulimit -n 4096",
    )


def _stack(machine: Machine) -> Check:
    limit = machine.ulimit("RLIMIT_STACK")
    if limit is None or limit >= _SMALL_STACK_BYTES:
        return Check("stack", "ok", "no limit" if limit is None else words.size(limit))
    return Check(
        "stack",
        "risk",
        f"limited to {words.size(limit)}, also for each thread",
        "deep calls (graph optimisation, saving nested models) die with SIGSEGV",
        "ulimit -s 8192",
    )


def _threads(machine: Machine) -> Iterator[Check]:
    needed = _THREADS_PER_PROCESSOR * len(machine.processors()) + _MORE_THREADS
    limit = machine.ulimit("RLIMIT_NPROC")
    # The kernel does not hold root to this limit.
    if limit is not None and os.geteuid() != 0 and limit - _own_threads(machine) < needed:
        yield _too_few(
            f"ulimit -u is {limit:,}, {_own_threads(machine):,} are in use", needed, f"ulimit -u {limit + 4096}"
        )
        return
    for directory in group_directories(machine, "pids"):
        most, used = proc.read_int(f"{directory}/pids.max"), proc.read_int(f"{directory}/pids.current")
        if most is not None and most - (used or 0) < needed:
            yield _too_few(
                f"the cgroup {directory} allows {most:,}, {used or 0:,} are in use",
                needed,
                f"docker run --pids-limit -1 …, or as root: echo max > {directory}/pids.max",
            )
            return
    yield Check("threads", "ok", "enough")


def _too_few(found: str, needed: int, fix: str) -> Check:
    return Check(
        "threads",
        "risk",
        f"{found}; TensorFlow may start about {needed:,}",
        'starting a thread fails (std::system_error, "Thread creation failed"), and the process aborts',
        fix,
    )


def _own_threads(machine: Machine) -> int:
    total, own = 0, str(os.getuid())
    for name in filter(str.isdigit, names_in(machine.at("proc"))):
        fields = dict(
            line.split(":", 1) for line in (machine.text(f"proc/{name}/status") or "").splitlines() if ":" in line
        )
        if fields.get("Uid", "").split()[:1] == [own]:
            total += int(fields.get("Threads", "1").strip() or 1)
    return total


def _processors(machine: Machine, environment: Environment) -> Iterator[Check]:
    seen = len(machine.processors())
    quota = processor_quota(machine)
    usable = min(seen, quota) if quota is not None else float(seen)
    shown = (
        f"{seen} processors" if quota is None or quota >= seen else f"{seen} processors, of which {quota:g} may be used"
    )
    wide = max(1, round(usable))
    wrong = [*_set_too_wide(environment, usable), *_not_set(environment, seen, usable)]
    if not wrong:
        yield Check("processors", "ok", shown)
        return
    names = (*_POOLS, *(name for name in _OTHER_POOLS if name == "OMP_NUM_THREADS" or name in environment.variables))
    yield Check(
        "processors",
        "risk",
        f"{shown} (cgroup); {'; '.join(wrong)}" if usable < seen else f"{shown}; {'; '.join(wrong)}",
        "threads compete for the CPUs: steps take several times as long, with stalls in between",
        "export " + " ".join(f"{name}={wide}" for name in names),
    )


def _set_too_wide(environment: Environment, usable: float) -> Iterator[str]:
    for name in (*_POOLS, *_OTHER_POOLS):
        text = environment.variables.get(name, "").split(",")[0]
        if text.isdigit() and int(text) >= _OVERSUBSCRIBED * usable and int(text) > 2:
            yield f"{name}={text}"


def _not_set(environment: Environment, seen: int, usable: float) -> Iterator[str]:
    """TensorFlow counts the processors that it may be scheduled on, and does not know of a quota."""
    if seen >= _OVERSUBSCRIBED * usable and seen - usable >= 2 and not environment.variables.get(_POOLS[0], ""):
        yield f"TensorFlow starts pools of {seen} threads"


def processor_quota(machine: Machine) -> float | None:
    """How many processors' time the control groups allow, the tightest of them."""
    found: list[float] = []
    for directory in group_directories(machine, "cpu"):
        text = (proc.read_text(f"{directory}/cpu.max") or "").split()
        if len(text) == 2 and text[0].isdigit() and int(text[1]):
            found.append(int(text[0]) / int(text[1]))
        quota, period = proc.read_int(f"{directory}/cpu.cfs_quota_us"), proc.read_int(f"{directory}/cpu.cfs_period_us")
        if quota is not None and quota > 0 and period:
            found.append(quota / period)
    return min(found, default=None)


def group_directories(machine: Machine, controller: str) -> list[str]:
    """The control group of this process for a controller, and those that contain it, the innermost first."""
    own = cgroup.group_for(controller, f"{str(machine.root).rstrip('/')}/")
    return [group.path for group in own.upwards()] if own else []
