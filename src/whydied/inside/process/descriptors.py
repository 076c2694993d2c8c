"""The descriptors of a program that has used them up: what they lead to, and room for our own files; runs in the user's
process.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
from collections import Counter
from collections.abc import Iterator

from whydied.records import DescriptorsCounted, OpenFiles

_MORE = 64
_MOST_GROUPS = 8
_FEWEST = 3
_REFUSED = (errno.EMFILE, errno.ENFILE)
_the_programs: list[int] = []
"""The soft limit that the program knows, while it is another one."""


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
    _the_programs.append(soft)
    try:
        yield
    finally:
        _the_programs.pop()
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def _are_used_up() -> bool:
    try:
        os.close(os.open(os.sep, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return error.errno == errno.EMFILE
    return False


def are_refused(error: BaseException | None) -> bool:
    """Whether an exception, or one that it came of, is the refusal of one more descriptor."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, OSError) and error.errno in _REFUSED:
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def counted() -> DescriptorsCounted | None:
    """What is open now. None where the system does not tell."""
    try:
        numbers = os.listdir("/proc/self/fd")
    except OSError:
        return None
    found: Counter[tuple[str, str]] = Counter()
    for number in numbers:
        with contextlib.suppress(OSError):
            found[_sort(os.readlink(f"/proc/self/fd/{number}"))] += 1
    soft = _the_programs[0] if _the_programs else resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    groups = [OpenFiles(kind=kind, what=what, count=n) for (kind, what), n in found.most_common(_MOST_GROUPS)]
    return DescriptorsCounted(
        count=sum(found.values()),
        limit=None if soft == resource.RLIM_INFINITY else soft,
        groups=[group for group in groups if group.count >= _FEWEST],
    )


def _sort(target: str) -> tuple[str, str]:
    if not target.startswith("/"):
        word = target.partition(":")[0]
        return (word if word in ("socket", "pipe") else "other"), word
    if target.startswith("/dev/") and not target.startswith("/dev/shm/"):
        return "device", target
    folder, name = os.path.split(target.removesuffix(" (deleted)"))
    return "file", f"{folder}/*{os.path.splitext(name)[1]}"
