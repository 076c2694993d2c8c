"""A statement of a small program, for the tests of what reads source."""

from __future__ import annotations

from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import located

FILE = "/home/ann/train.py"


def at(program: str, line: int) -> tuple[dict[str, Source], Location]:
    sources = {FILE: Source(program)}
    return sources, located(sources, FILE, line)
