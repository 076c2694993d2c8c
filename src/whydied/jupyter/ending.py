"""How the supervisor of a kernel ends: as the kernel did, or for a kernel without one; and its words on standard error.
Runs in the supervisor."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from pathlib import Path
from typing import NoReturn


def say(text: str) -> None:
    """Nobody may be there to hear it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def end_by(number: int) -> NoReturn:
    """End by a signal, as Jupyter would have seen the kernel do; where it does not end us, with 128 + its number."""
    with contextlib.suppress(OSError, ValueError):
        # The kernel's own core is of use; a second one, of the supervisor, is not.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
    with contextlib.suppress(OSError, ValueError):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    os._exit(128 + number)


def end_children() -> None:
    """End what we started: the ports are needed for another kernel in our place."""
    with contextlib.suppress(OSError, ValueError):
        for word in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
            with contextlib.suppress(OSError):
                os.kill(int(word), signal.SIGKILL)
                os.waitpid(int(word), 0)
