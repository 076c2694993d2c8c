"""What the kernel's log says of a crash, in the form that our own handler would give it. Pure.

The kernel writes such a line only of a process without a handler for the signal: where no recorder was inside.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable

from whydied.records import CrashSeen, NativeFrame
from whydied.texts import kernel_lines

_SEGFAULT = kernel_lines.SEGFAULT.pattern
_TRAP = kernel_lines.TRAP.pattern
_SIGNALS = {"divide error": signal.SIGFPE, "invalid opcode": signal.SIGILL}
_NULL_BYTES = 4096


def logged_crash(lines: Iterable[str], pid: int, number: int) -> CrashSeen | None:
    """The crash of a process by a signal, as the log has it. `thread` is 0: the log does not tell it."""
    for line in lines:
        if (found := _SEGFAULT.search(line)) and number == signal.SIGSEGV and int(found["pid"]) == pid:
            address, error = int(found["address"], 16), int(found["error"], 16)
            return CrashSeen(
                pid=pid,
                thread=0,
                signal=number,
                address=address,
                access="execute" if error & 0x10 else "write" if error & 0x2 else "read",
                memory="null" if address < _NULL_BYTES else "unmapped",
                frames=_frames(found["library"]),
            )
        found = _TRAP.search(line)
        if found and int(found["pid"]) == pid and number == _SIGNALS.get(found["what"], signal.SIGSEGV):
            refused = 0 if number == signal.SIGSEGV else None
            return CrashSeen(
                pid=pid, thread=0, signal=number, code=1, address=refused, frames=_frames(found["library"])
            )
    return None


def _frames(library: str | None) -> list[NativeFrame]:
    return [NativeFrame(library=library)] if library else []
