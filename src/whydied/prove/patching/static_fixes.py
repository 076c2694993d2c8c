"""The files that the fixes of `whydied lint` change, as they are and as they will be. Runs in the parent; reads files.

Invariant: of fixes that overlap the first is taken. What would no longer be Python, or changed since it was checked, is
left as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from whydied.errors import NotEditable
from whydied.lint.checking import LintFinding
from whydied.prove.patching.notebook_text import NotebookText
from whydied.source.bindings import cell_number
from whydied.source.edits.edit import Edit, edited
from whydied.source.text import Source, decoded, encoding_of


class FixedFile(NamedTuple):
    file: str
    before: bytes
    after: bytes
    fixed: int


def fixed_files(findings: Iterable[LintFinding]) -> list[FixedFile]:
    by_file: dict[str, list[list[Edit]]] = {}
    for finding in findings:
        if finding.fix is not None:
            by_file.setdefault(finding.location.file, []).append(finding.fix.edits)
    found = [_fixed(file, fixes) for file, fixes in by_file.items()]
    return [one for one in found if one is not None]


def _fixed(file: str, fixes: list[list[Edit]]) -> FixedFile | None:
    try:
        before = Path(file).read_bytes()
        if file.endswith(".ipynb"):
            after, number = _notebook(file, before, fixes)
        else:
            text, number = _applied(Source(decoded(before)), fixes)
            after = text.encode(encoding_of(before)) if text is not None else before
    except (OSError, UnicodeError, LookupError, NotEditable):
        return None
    return FixedFile(file, before, after, number) if after != before else None


def _notebook(file: str, data: bytes, fixes: list[list[Edit]]) -> tuple[bytes, int]:
    notebook = NotebookText(file, data)
    places = [at for at, cell in enumerate(notebook.cells) if cell.is_code]
    by_cell: dict[int, list[list[Edit]]] = {}
    for edits in fixes:
        numbers = {cell_number(edit.file) for edit in edits}
        number = numbers.pop() if len(numbers) == 1 else None
        if number is not None and number <= len(places):
            by_cell.setdefault(places[number - 1], []).append(edits)
    texts: dict[int, str] = {}
    fixed = 0
    for at, own in by_cell.items():
        text, number = _applied(Source(notebook.cells[at].text), own)
        if text is not None:
            texts[at] = text
            fixed += number
    return notebook.replaced(texts), fixed


def _applied(source: Source, fixes: list[list[Edit]]) -> tuple[str | None, int]:
    """The text with as many of the fixes as go together."""
    taken: list[Edit] = []
    text: str | None = None
    number = 0
    for edits in fixes:
        new = [edit for edit in edits if edit not in taken]
        changed = edited(source, [*taken, *new])
        if changed is not None:
            taken, text, number = [*taken, *new], changed, number + 1
    return text, number
