"""The versions of what the program loaded; runs in the user's process, off its hot path (sampler, exit, exception)."""

from __future__ import annotations

import os
import sys
from typing import Any

from whydied.inside import journal
from whydied.inside.guest.guard import guarded
from whydied.records import VersionsSeen

_MODULES = {
    "tensorflow": "tensorflow",
    "keras": "keras",
    "tf_keras": "tf_keras",
    "numpy": "numpy",
    "protobuf": "google.protobuf",
    "h5py": "h5py",
    "torch": "torch",
    "jax": "jax",
    "pandas": "pandas",
}

_seen: dict[str, str] = {}


@guarded("versions.see")
def see() -> None:
    """Record the versions when there is a new one. A module in the middle of its import has none yet."""
    now = {word: version for word, name in _MODULES.items() if (version := _version(name)) is not None}
    # Alone, numpy is not news: the record is for programs that load a framework.
    if not now or now.items() <= _seen.items() or ("tensorflow" not in now and "keras" not in now):
        return
    _seen.update(now)
    system = os.uname()
    journal.write(
        VersionsSeen(
            versions={
                "python": sys.version.split()[0],
                "platform": f"{system.sysname} {system.release} {system.machine}",
                **_seen,
            }
        )
    )


def _version(name: str) -> str | None:
    module = sys.modules.get(name)
    return plain(module.__dict__.get("__version__") if module is not None else None)


def plain(version: Any) -> str | None:
    """A version as a plain string: that of PyTorch is of a class of its own."""
    return str.__getitem__(version, slice(None)) if isinstance(version, str) else None
