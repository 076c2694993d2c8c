"""Room for our own files where the program has used up its descriptors; runs in the user's process."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
from collections.abc import Iterator

_MORE = 64


@contextlib.contextmanager
def room() -> Iterator[None]:
    """For a moment the process may open more files than its soft limit says, if it has none left and the hard limit
    permits it: the modules that analyse an exception are files too."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = limits
    wanted = soft + _MORE if hard == resource.RLIM_INFINITY else min(soft + _MORE, hard)
    if wanted <= soft or not _are_used_up():
        yield
        return
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield
    finally:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def _are_used_up() -> bool:
    try:
        os.close(os.open(os.sep, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return error.errno == errno.EMFILE
    return False
