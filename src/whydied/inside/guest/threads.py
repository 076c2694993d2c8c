"""Which thread is the main one, and whether other threads may be looked at; runs in the user's process."""

from __future__ import annotations

import _thread
import sys
from typing import Any

INTERPRETERS_HAVE_LOCKS = sys.version_info >= (3, 12)


def main_thread() -> int:
    """Not by importing `threading`, which takes the thread that imports it first for the main one."""
    threading: Any = sys.modules.get("threading")
    main = threading.main_thread().ident if threading is not None else None
    return main if isinstance(main, int) else _thread.get_ident()


def beside_others() -> bool:
    """Whether there may be interpreters with a lock of their own. They run on while `_current_frames` looks at their
    frames too, and the process crashes."""
    return INTERPRETERS_HAVE_LOCKS and ("_interpreters" in sys.modules or "_xxsubinterpreters" in sys.modules)
