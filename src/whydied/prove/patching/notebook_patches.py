"""The patch of a notebook's file in the place of that of its cells, where the file is known. Runs in the parent, when
the report is made; reads the notebook.

Invariant: nothing that looks like a secret gets into the patch, and no line of a picture.
"""

from __future__ import annotations

import json
import re

import msgspec

from whydied import redact
from whydied.diagnose.finding import Fix
from whydied.errors import NotEditable
from whydied.prove.patching.rewritten_files import rewritten_files
from whydied.read.recording import Recording
from whydied.source.bindings import notebook_of
from whydied.source.edits.edit import patch
from whydied.source.edits.unified_diff import difference, is_below, shown_name

LARGEST_PATCH = 64 << 10
_STRING = re.compile(r'([ \t]*)(".*")(,?\r?)')


def with_patch_of_file(recording: Recording, fix: Fix) -> Fix:
    """The fix itself where it concerns no notebook, or one whose file is not there or not the same any more."""
    if all(notebook_of(edit.file) is None for edit in fix.edits):
        return fix
    root = recording.started.cwd if recording.started is not None else ""
    try:
        files = rewritten_files(recording, fix.edits)
    except NotEditable:
        return fix
    base = root if all(is_below(file, root) for file in files) else "/"
    plain = [edit for edit in fix.edits if notebook_of(edit.file) is None]
    parts = [(patch(recording.project, plain, base) or "") if plain else ""]
    for file in {notebook for edit in fix.edits if (notebook := notebook_of(edit.file)) is not None}:
        before, after = (_redacted(data.decode("utf-8")) for data in files[file])
        parts.append(difference(before, after, shown_name(file, base)))
    text = "".join(parts)
    return msgspec.structs.replace(fix, patch=text) if text and len(text) <= LARGEST_PATCH else fix


def _redacted(text: str) -> str:
    return "\n".join(_redacted_line(line) for line in text.split("\n"))


def _redacted_line(line: str) -> str:
    """A line of code is redacted as code: quotes are escaped in JSON, and would hide what they stand around."""
    found = _STRING.fullmatch(line)
    try:
        code = json.loads(found[2]) if found is not None else None
    except ValueError:
        code = None
    if found is None or not isinstance(code, str):
        return line if len(line) > LARGEST_PATCH else redact.text(line)
    clean = redact.source(code.encode("utf-8", "replace")).decode("utf-8", "replace")
    return line if clean == code else f"{found[1]}{json.dumps(clean, ensure_ascii=line.isascii())}{found[3]}"
