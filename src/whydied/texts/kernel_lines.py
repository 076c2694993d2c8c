"""What the kernel writes into its log of processes that it kills or that crash. Pure.

Provoked by nothing here: a container's kernel log is the host's, which it may not read.
"""

from __future__ import annotations

import re

from whydied.texts.entry import Text

KILLED = Text("kernel", r"[Kk]illed process (\d+)")
KILLED_WITH_SIZE = Text("kernel", r"Killed process (\d+) .*anon-rss:(\d+)kB")
SEGFAULT = Text(
    "kernel",
    r"\[(?P<pid>\d+)\]: segfault at (?P<address>[0-9a-f]+) ip \S+ sp \S+ error (?P<error>[0-9a-f]+)"
    r"(?: in (?P<library>[^\[\s]+)\[)?",
)
TRAP = Text(
    "kernel",
    r"\[(?P<pid>\d+)\] (?:trap )?(?P<what>divide error|invalid opcode|general protection(?: fault)?) ip:\S+ sp:\S+ "
    r"error:[0-9a-f]+(?: in (?P<library>[^\[\s]+)\[)?",
)
ABOUT_A_DEATH = Text(
    "kernel",
    r"oom|killed process|segfault|traps:|trap |general protection|reaped process|bus error|mce:",
    flags=re.IGNORECASE,
)
PROCESS = Text("kernel", r"process (\d+)\b|\[(\d+)\][: ]|\bpid[=:] ?(\d+)\b|\bPID: (\d+)\b")
BEFORE_A_RESTART = Text(
    "kernel",
    r"out of memory|oom|panic|BUG:|hardware error|thermal|power|shutdown|reboot|killed process",
    flags=re.IGNORECASE,
)
