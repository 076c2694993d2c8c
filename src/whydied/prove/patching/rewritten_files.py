"""The user's files with a change in them, as bytes. Runs after death, in the parent; reads files and writes none.

Edits speak of the text as it ran. The recording's copy of that has stars in the place of secrets, so the new content is
made from the file on the disk, once it has been compared with the copy.

Invariant: all bytes outside the edits are those of the file: its encoding, line ends, byte order mark. What ran is
what is edited: a file that is not the same any more raises NotEditable, which says why.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from whydied.errors import NotEditable
from whydied.prove.patching.notebook_text import NotebookText
from whydied.read.recording import Recording
from whydied.source.bindings import module_files, notebook_of
from whydied.source.edits.edit import Edit, edited, edits_by_file
from whydied.source.text import LARGEST_BYTES, Source, encoding_of

AGAIN = "run it again with `whydied run`: the fix is then made for the program as it is now"
LARGEST_NOTEBOOK_BYTES = 64 << 20
_STARS = re.compile(r"\*{4,}")


class Rewritten(NamedTuple):
    before: bytes
    after: bytes


def edited_files(
    recording: Recording, edits: Iterable[Edit], shown: Mapping[str, bytes] | None = None
) -> dict[str, bytes]:
    """The new content of each file that some edits concern, by its path. Raises NotEditable. `shown` are contents that
    the program found in the place of the user's files."""
    return {file: one.after for file, one in rewritten_files(recording, edits, shown).items()}


def rewritten_files(
    recording: Recording, edits: Iterable[Edit], shown: Mapping[str, bytes] | None = None
) -> dict[str, Rewritten]:
    found: dict[str, Rewritten] = {}
    cells: dict[str, dict[str, list[Edit]]] = {}
    for file, own in edits_by_file(edits).items():
        notebook = notebook_of(file)
        if notebook is None:
            found[file] = _rewritten_file(recording, file, own, (shown or {}).get(file))
        else:
            cells.setdefault(notebook, {})[file] = own
    return found | {notebook: _rewritten_notebook(recording, notebook, own) for notebook, own in cells.items()}


def _rewritten_file(recording: Recording, file: str, edits: list[Edit], shown: bytes | None) -> Rewritten:
    ran = _as_it_ran(recording, file)
    if file in recording.edited and shown is None:
        raise NotEditable(f"{file} was changed after the program had started: what ran is not known", AGAIN)
    before = _content(file, LARGEST_BYTES) if shown is None else shown
    encoding = encoding_of(before)
    try:
        text = before.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        raise NotEditable(f"{file} is not text in its encoding, {encoding}") from None
    now = ran.reread(text)
    line = first_difference(ran, now)
    if line is not None:
        raise NotEditable(f"{file} was changed since the run: line {line} differs", AGAIN)
    after = _edited(now, edits, file)
    try:
        if text.encode(encoding) == before:
            return Rewritten(before, after.encode(encoding))
    except UnicodeEncodeError:
        pass
    raise NotEditable(f"{file} cannot be written again in its encoding, {encoding}")


def _rewritten_notebook(recording: Recording, notebook: str, by_cell: dict[str, list[Edit]]) -> Rewritten:
    if not os.path.isfile(notebook):
        cells = " and ".join(cell.rpartition("/")[2] for cell in by_cell)
        raise NotEditable(f"the notebook of {cells} is not known as a file", "change the cell in the notebook itself")
    before = _content(notebook, LARGEST_NOTEBOOK_BYTES)
    text = NotebookText(notebook, before)
    places = {file: _place(recording, text, file) for file in by_cell}
    changed = {
        at: _edited(_as_it_ran(recording, file).reread(text.cells[at].text), by_cell[file], file)
        for file, at in places.items()
    }
    return Rewritten(before, text.replaced(changed))


def _place(recording: Recording, notebook: NotebookText, file: str) -> int:
    """Which cell of the file ran as the one that edits speak of: where its cells ran one after the other the one at its
    place, otherwise the only one with its text."""
    project = {**recording.project, **recording.sources}
    ran = [project[one] for one in module_files(project, file)]
    code = [at for at, cell in enumerate(notebook.cells) if cell.is_code and cell.text.strip()]
    if len(ran) <= len(code) and all(_is_same(one, notebook, at) for one, at in zip(ran, code, strict=False)):
        return code[len(ran) - 1]
    same = [at for at in code if _is_same(_as_it_ran(recording, file), notebook, at)]
    cell = file.rpartition("/")[2]
    if not same:
        raise NotEditable(f"{notebook.file} has no cell with the text that ran as {cell}", AGAIN)
    if len(same) > 1:
        raise NotEditable(f"{notebook.file} has {len(same)} cells with the text of {cell}")
    return same[0]


def _is_same(ran: Source, notebook: NotebookText, at: int) -> bool:
    return first_difference(ran, Source(notebook.cells[at].text)) is None


def first_difference(ran: Source, now: Source) -> int | None:
    """The first line that is not what ran; stars in the place of a secret stand for anything."""
    for number, (old, new) in enumerate(zip(ran.lines, now.lines, strict=False), 1):
        if old != new and not _is_hidden(old, new):
            return number
    return min(len(ran.lines), len(now.lines)) + 1 if len(ran.lines) != len(now.lines) else None


def _is_hidden(kept: str, real: str) -> bool:
    """Whether a line of a copy is that line of the file, as long, with stars in the place of its secrets."""
    parts = [re.escape(part) for part in _STARS.split(kept)]
    return len(parts) > 1 and len(kept) == len(real) and re.fullmatch(".{4,}".join(parts), real) is not None


def _as_it_ran(recording: Recording, file: str) -> Source:
    source = recording.sources.get(file) or recording.project.get(file)
    if source is None:
        raise NotEditable(f"{file} was not kept in the recording", AGAIN)
    return source


def _edited(source: Source, edits: list[Edit], file: str) -> str:
    text = edited(source, edits)
    if text is None:
        raise NotEditable(f"the change of {file} does not leave a program")
    return text


def _content(file: str, most_bytes: int) -> bytes:
    try:
        with open(file, "rb") as stream:
            data = stream.read(most_bytes + 1)
    except OSError as error:
        raise NotEditable(f"cannot read {file}: {error.strerror or error}") from error
    if len(data) > most_bytes:
        raise NotEditable(f"{file} is larger than {most_bytes >> 20} MiB")
    return data
