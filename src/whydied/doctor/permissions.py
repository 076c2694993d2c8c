"""What the system lets us do and read: each refusal takes a piece of evidence from a diagnosis."""

from __future__ import annotations

import os

from whydied.doctor.machine import Check, Machine


def permission_checks(machine: Machine) -> list[Check]:
    return [
        _make_group(machine),
        _kernel_log(machine),
        _other_processes(machine),
        _pressure(machine),
        _ptrace(machine),
    ]


def _make_group(machine: Machine) -> Check:
    group = machine.group()
    if group is not None and group.can_hold:
        return Check("control group", "ok", f"can be created (cgroup v{group.version})")
    why = "no memory controller" if group is None else f"{group.path} cannot be written"
    if group is not None and group.version == 2 and os.access(group.path, os.W_OK):
        why = "the memory controller is not delegated (cgroup.subtree_control)"
    return Check(
        "control group",
        "missing",
        why,
        "--memory-limit is enforced by watching the program, not by the kernel, and can be exceeded for a moment",
        "run in a delegated cgroup: systemd-run --user --scope -p Delegate=yes whydied run …",
    )


def _kernel_log(machine: Machine) -> Check:
    path = machine.at("dev/kmsg")
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        return Check("kernel log", "ok", "can be read")
    except OSError as error:
        return Check(
            "kernel log",
            "missing",
            f"{path}: {error.strerror or error}",
            "a system-wide OOM kill is known only by its counter, a segmentation fault only without its address",
            "as root: sysctl kernel.dmesg_restrict=0 (in a container: pass in /dev/kmsg)",
        )


def _other_processes(machine: Machine) -> Check:
    if machine.text("proc/1/stat") is not None:
        return Check("other processes", "ok", "can be seen")
    hidden = machine.at("proc/self/stat").exists()
    return Check(
        "other processes",
        "missing",
        "/proc shows only your own (hidepid)" if hidden else "/proc is not mounted",
        "reports cannot say who sent a signal, or who else took the memory",
        "mount /proc with hidepid=0, or run with CAP_SYS_PTRACE",
    )


def _pressure(machine: Machine) -> Check:
    if machine.text("proc/pressure/memory") is not None:
        return Check("pressure (PSI)", "ok", "can be read")
    return Check(
        "pressure (PSI)",
        "missing",
        "/proc/pressure does not exist",
        "reports cannot say how long the program waited for memory, disk or CPU",
        "boot with psi=1 (Linux 4.20 or newer)",
    )


def _ptrace(machine: Machine) -> Check:
    scope = machine.number("proc/sys/kernel/yama/ptrace_scope")
    words = {0: "any of your processes", 1: "only its own children", 2: "only with CAP_SYS_PTRACE", 3: "nobody"}
    if scope is None or scope < 2 or (scope == 2 and os.geteuid() == 0):
        found = words[scope] if scope is not None else "any of your processes (no Yama)"
        return Check("ptrace", "ok", found)
    return Check(
        "ptrace",
        "missing",
        f"{words.get(scope, 'nobody')} (ptrace_scope {scope})",
        "py-spy cannot read the stack of a hanging program",
        "as root: sysctl kernel.yama.ptrace_scope=1" + (" (3 holds until the next boot)" if scope == 3 else ""),
    )
