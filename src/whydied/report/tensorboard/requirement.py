"""What `--logdir` needs, asked before a program starts that may take days. Runs in the parent; imports next to nothing,
because the supervisor lives beside the program.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from whydied.errors import NoRoom, UsageError


def require() -> None:
    """Raises where TensorBoard is not installed. Nothing is imported."""
    if find_spec("tensorboard") is None:
        raise UsageError(
            f"--logdir needs tensorboard in {sys.prefix}",
            f"{sys.executable} -m pip install 'whydied[tensorboard]'",
        )


def prepare(logdir: Path) -> None:
    """Raises where nothing could be written there at the end."""
    require()
    try:
        logdir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NoRoom(f"cannot write to {logdir}: {error.strerror or error}", "name another --logdir") from error
    if not os.access(logdir, os.W_OK | os.X_OK):
        raise NoRoom(f"cannot write to {logdir}: Permission denied", "name another --logdir")
