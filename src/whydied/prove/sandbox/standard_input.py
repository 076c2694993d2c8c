"""Standard input that is a file of the user's; runs on the way into a sandbox.

A descriptor is also a way to open its file again for writing, by `/proc/self/fd/0`, past everything that was put over
the file. So the program gets the file opened as it is inside.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple


class RealFile(NamedTuple):
    path: str
    offset: int


def real_file() -> RealFile | None:
    """What is to be opened again: asked before the root changes."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return None
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return None
    return RealFile(os.readlink("/proc/self/fd/0"), os.lseek(0, 0, os.SEEK_CUR))


def reopen(file: RealFile | None) -> None:
    if file is None:
        return
    try:
        opened = os.open(file.path, os.O_RDONLY)
    except OSError as error:
        raise OSError(error.errno, f"standard input cannot be opened inside: {error.strerror}: {file.path}") from None
    os.dup2(opened, 0)
    os.close(opened)
    os.lseek(0, file.offset, os.SEEK_SET)
