"""A file of the user's as it is now, where that is what ran. Reads the file, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from whydied import redact
from whydied.source.text import Source, decoded


def current(file: str, recorded: Source, shown: Mapping[str, bytes]) -> Source | None:
    """The file with what looks like a secret, which the recorded text has not; None where it was edited since.
    `shown` are the contents of files that the program saw in the place of the user's."""
    try:
        data = shown.get(file)
        if data is None:
            with open(file, "rb") as stream:
                data = stream.read()
    except OSError:
        return None
    found = Source(decoded(data))
    if found.lines == recorded.lines:
        return found
    return found if Source(decoded(redact.source(data))).lines == recorded.lines else None
