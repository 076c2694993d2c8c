"""What a program in a sandbox may not have: rights over the system, the user's keys, boundless files and processes.
Runs just before it starts.
"""

from __future__ import annotations

import contextlib
import os
import resource

from whydied.linux import system_calls
from whydied.prove.sandbox.wanted import Wanted

KEPT_CAPABILITIES = sum(
    1 << number
    for number in (
        0,  # CHOWN
        1,  # DAC_OVERRIDE
        3,  # FOWNER
        4,  # FSETID
        5,  # KILL
        6,  # SETGID
        7,  # SETUID
        10,  # NET_BIND_SERVICE
        14,  # IPC_LOCK
        19,  # SYS_PTRACE: stacks are read from outside of a process
    )
)
"""What root keeps inside, over its own files and processes. Without SYS_ADMIN no mount can be changed or removed."""


def give_up(wanted: Wanted, counted: int, capabilities: int) -> None:
    """`counted` is how many processes already count towards the user's limit."""
    _lower(resource.RLIMIT_FSIZE, wanted.scratch_bytes)
    # 1 also keeps the kernel from handing a dump to a collector outside; 0 would not.
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (min(hard, 1) if hard != resource.RLIM_INFINITY else 1, hard))
    if os.geteuid() != 0:
        # Root is exempt, and bounded by the pids cgroup.
        _lower(resource.RLIMIT_NPROC, wanted.processes + counted)
    with contextlib.suppress(OSError):
        system_calls.leave_session_keyring()
    system_calls.gain_no_privileges()
    system_calls.keep_capabilities(capabilities)


def _lower(kind: int, value: int) -> None:
    soft, hard = (value if old == resource.RLIM_INFINITY else min(old, value) for old in resource.getrlimit(kind))
    resource.setrlimit(kind, (soft, hard))
