"""The search path that a shared library carries for the libraries it loads. Runs in the parent; reads a few kilobytes
of the file, and loads nothing.

Invariant: a file that is not a 64-bit little-endian ELF, or a torn one, has no search path; nothing raises.
"""

from __future__ import annotations

from pathlib import Path

from whydied.native.elf import ElfFile, NotElf


def search_path(library: Path) -> list[Path]:
    """The directories of the library's own search path, with $ORIGIN filled in."""
    try:
        with ElfFile(str(library)) as file:
            text = file.search_path()
    except NotElf:
        return []
    origin = str(library.parent)
    return [Path(entry.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)) for entry in text.split(":") if entry]
