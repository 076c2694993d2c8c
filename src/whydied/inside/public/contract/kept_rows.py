"""Rows that broke a contract, in .npy files below the run's directory `contracts`; runs in the user's process.

Invariant: only the owner may read them, nothing is pickled, and a run holds at most `LARGEST_RUN_BYTES`.
"""

from __future__ import annotations

import os
from typing import Any

from whydied.inside import journal
from whydied.inside.public.contract.row_checks import plain

DIRECTORY = "contracts"
LARGEST_RUN_BYTES = 16 << 20
_numbers: dict[int, int] = {}
_written = 0


def keep(rows: list[Any]) -> str:
    """Write rows of one shape. Returns the file, relative to the run's directory, or "" where they are not kept."""
    global _written
    owner = journal.current()
    array = _stacked(rows)
    if owner is None or array is None or _written + array.nbytes > LARGEST_RUN_BYTES:
        return ""
    import numpy

    directory = os.path.join(owner.run, DIRECTORY)
    os.makedirs(directory, mode=0o700, exist_ok=True)
    pid = os.getpid()
    _numbers[pid] = number = _numbers.get(pid, 0) + 1
    name = f"{pid}-{number}.npy"
    descriptor = os.open(
        os.path.join(directory, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
    )
    with open(descriptor, "wb") as stream:
        numpy.lib.format.write_array(stream, array, allow_pickle=False)
    _written += array.nbytes
    return f"{DIRECTORY}/{name}"


def _stacked(rows: list[Any]) -> Any:
    import numpy

    if not rows or len({row.shape for row in rows}) > 1 or rows[0].dtype.hasobject:
        return None
    return plain(numpy.stack(rows))
