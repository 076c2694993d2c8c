"""A program as text, and its lines after edits of it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from whydied.source.edits.edit import Edit, edited
from whydied.source.text import Source

FILE = "/home/me/work/train.py"


def source_of(text: str) -> Source:
    return Source(textwrap.dedent(text).lstrip())


def whole(source: Source, edits: Iterable[Edit] | None) -> str | None:
    """The text with the edits in it; None where there are none."""
    return (edited(source, edits) or "").rstrip("\n") if edits is not None else None


def after(source: Source, edits: list[Edit]) -> list[str]:
    """The lines that the edits make or change."""
    text = edited(source, edits)
    assert text is not None
    return [line.strip() for line in text.splitlines() if line not in source.lines]
