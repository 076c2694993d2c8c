"""The checkpoint that TensorFlow did not find: what is in its place, and which checkpoints lie there; runs in the
user's process, after an exception.

Invariant: one directory is listed, nothing is opened.
"""

from __future__ import annotations

import os

from whydied import redact
from whydied.inside.errors.stack_steps import Step
from whydied.records import CheckpointSought
from whydied.texts import saving

LARGEST_ENTRIES = 5000
LARGEST_NAMED = 5
_SUFFIX = ".index"


def look(number: int, error: BaseException, steps: list[Step]) -> CheckpointSought | None:
    if not type(error).__module__.startswith("tensorflow."):
        return None
    text = str(error)
    said = saving.NO_CHECKPOINT.pattern.search(text) or saving.NOT_A_TABLE.pattern.search(text)
    if said is None:
        return None
    path = said["path"]
    is_directory = os.path.isdir(path)
    folder = path if is_directory else os.path.dirname(os.path.abspath(path))
    return CheckpointSought(
        link=number,
        path=redact.text(path),
        is_directory=is_directory,
        folder=redact.text(folder) if os.path.isdir(folder) else "",
        found=[redact.text(name) for name in _checkpoints(folder)],
    )


def _checkpoints(folder: str) -> list[str]:
    """The prefixes of the checkpoints in a directory, the newest first."""
    try:
        names = [
            one for one, _ in zip(os.listdir(folder), range(LARGEST_ENTRIES), strict=False) if one.endswith(_SUFFIX)
        ]
        names.sort(key=lambda name: -os.stat(os.path.join(folder, name)).st_mtime)
    except OSError:
        return []
    return [name.removesuffix(_SUFFIX) for name in names[:LARGEST_NAMED]]
