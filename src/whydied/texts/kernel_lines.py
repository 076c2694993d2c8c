"""What the kernel writes into its log of processes that it kills or that crash. Pure.

Provoked by nothing here: a container's kernel log is the host's, which it may not read.
"""

from __future__ import annotations

import re

from whydied.texts.entry import Text

_OOM_KILL = "Linux, mm/oom_kill.c"
_TRAPS = "Linux, arch/x86/kernel/traps.c and mm/fault.c"

KILLED = Text(
    "kernel",
    r"[Kk]illed process (\d+)",
    "Memory cgroup out of memory: Killed process 4242 (python) total-vm:9999kB, anon-rss:1048576kB, file-rss:0kB",
    known_from=_OOM_KILL,
)
KILLED_WITH_SIZE = Text("kernel", r"Killed process (\d+) .*anon-rss:(\d+)kB", KILLED.example, known_from=_OOM_KILL)
SEGFAULT = Text(
    "kernel",
    r"\[(?P<pid>\d+)\]: segfault at (?P<address>[0-9a-f]+) ip \S+ sp \S+ error (?P<error>[0-9a-f]+)"
    r"(?: in (?P<library>[^\[\s]+)\[)?",
    "python[4242]: segfault at 8 ip 00007f2a sp 00007ffd error 4 in libtensorflow_cc.so.2[7f29+1000]",
    known_from=_TRAPS,
)
TRAP = Text(
    "kernel",
    r"\[(?P<pid>\d+)\] (?:trap )?(?P<what>divide error|invalid opcode|general protection(?: fault)?) ip:\S+ sp:\S+ "
    r"error:[0-9a-f]+(?: in (?P<library>[^\[\s]+)\[)?",
    "traps: python[4242] trap invalid opcode ip:7f2a sp:7ffd error:0 in libtensorflow_cc.so.2[7f29+1000]",
    known_from=_TRAPS,
)
ABOUT_A_DEATH = Text(
    "kernel",
    r"oom|killed process|segfault|traps:|trap |general protection|reaped process|bus error|mce:",
    KILLED.example,
    known_from=f"{_OOM_KILL}; {_TRAPS}",
    flags=re.IGNORECASE,
)
PROCESS = Text(
    "kernel",
    r"process (\d+)\b|\[(\d+)\][: ]|\bpid[=:] ?(\d+)\b|\bPID: (\d+)\b",
    KILLED.example,
    known_from=f"{_OOM_KILL}; {_TRAPS}",
)
BEFORE_A_RESTART = Text(
    "kernel",
    r"out of memory|oom|panic|BUG:|hardware error|thermal|power|shutdown|reboot|killed process",
    "Kernel panic - not syncing: Attempted to kill init!",
    known_from="Linux, kernel/panic.c",
    flags=re.IGNORECASE,
)
