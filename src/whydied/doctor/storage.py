"""Where runs go, and whether they can."""

from __future__ import annotations

import os
from pathlib import Path

from whydied import places, words
from whydied.doctor.machine import Check, Machine

_LITTLE_BYTES = 100 << 20


def storage_checks(machine: Machine) -> list[Check]:
    first = machine.runs
    base = _existing(first)
    if not os.access(base, os.W_OK | os.X_OK) or not os.path.isdir(base):
        return [_unwritable(first, base)]
    status = os.statvfs(base)
    free = status.f_frsize * status.f_bavail
    found = f"{first}, {words.size(free)} free"
    if free >= _LITTLE_BYTES:
        return [Check("runs", "ok", found)]
    return [
        Check(
            "runs",
            "broken",
            found,
            "a recording takes up to about 20 MB per process and cannot be written to a full disk",
            "remove old runs with `whydied runs --prune`, or set WHYDIED_RUNS to another directory",
        )
    ]


def _unwritable(first: Path, base: Path) -> Check:
    spare = places.fallback_runs()
    usable = first == places.default_runs() and os.access(_existing(spare), os.W_OK | os.X_OK)
    return Check(
        "runs",
        "missing" if usable else "broken",
        f"{first} cannot be written (no permission in {base})",
        f"runs go to {spare} instead, which may not survive a reboot" if usable else "nothing can be recorded",
        "set WHYDIED_RUNS to a writable directory, or use --runs DIR",
    )


def _existing(path: Path) -> Path:
    """The nearest directory above that exists; the rest would be made."""
    return next((place for place in [path, *path.parents] if os.path.exists(place)), Path("/"))
