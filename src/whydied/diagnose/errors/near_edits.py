"""A name that an exception missed, written as the one that exists: the change of source. Pure.

Invariant: only the nearest name is written, and only where the source shows the missed one.
"""

from __future__ import annotations

import os
import re

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.records import RaisedException
from whydied.source.edits import name_edits
from whydied.source.edits.call_edits import rename_argument, walk_calls
from whydied.source.edits.edit import Change, Edit, line_before
from whydied.source.edits.import_edits import add_import
from whydied.source.trees import function_at

_FILES = ("FileNotFoundError", "NotADirectoryError")
_NAMES = ("NameError", "UnboundLocalError")


def near_changes(case: Case, link: RaisedException, place: Location | None) -> list[Change]:
    """The change that the nearest name is; none where no name is near or it is not plain where it has to be written."""
    if place is None or place.file not in case.sources or not link.wanted or not link.near:
        return []
    near = link.near[0]
    if link.type in _NAMES:
        near = next((one for one in link.near if re.match(r"(import|global) ", one)), near)
    edits = _edits(case, link, place, link.wanted, near)
    return [Change(title=_title(link, near, edits[0]), kind="near-name", edits=edits)] if edits else []


def _title(link: RaisedException, near: str, first: Edit) -> str:
    if near.startswith(("import ", "global ")):
        return f"Add `{near}`"
    old, new = _bare(link, link.wanted or ""), _bare(link, near)
    if new not in first.text:
        # What gives it its value has the wrong name.
        old, new = new, old
    return f"Write `{new}` instead of `{old}`"


def _bare(link: RaisedException, name: str) -> str:
    """A key without its quotes, a file without its directory."""
    return os.path.basename(name) if link.type in _FILES else name[1:-1] if _is_text(name) else name


def _edits(case: Case, link: RaisedException, place: Location, wanted: str, near: str) -> list[Edit]:
    file, line, source = place.file, place.line, case.sources[place.file]
    if link.type in _NAMES:
        return _name(case, place, wanted, near)
    if link.type == "AttributeError":
        return name_edits.rename_attribute(case.sources, file, line, wanted, near)
    if link.type in ("ImportError", "ModuleNotFoundError"):
        return name_edits.rename_imported(source, file, line, wanted, near)
    if link.type == "KeyError" and _is_text(wanted) and _is_text(near):
        return name_edits.rename_key(case.sources, file, line, wanted[1:-1], near[1:-1])
    if link.type == "TypeError":
        given = [rename_argument(source, file, call, wanted, near) for call in walk_calls(source, line)]
        renamed = [edit for edit in given if edit is not None]
        return renamed if len(renamed) == 1 else []
    if link.type == "ValueError":
        return name_edits.replace_text({file: source}, wanted, near)
    if link.type in _FILES:
        return _file(case, wanted, near)
    return []


def _name(case: Case, place: Location, wanted: str, near: str) -> list[Edit]:
    source = case.sources[place.file]
    if near.startswith("import "):
        added = add_import(source, place.file, near)
        return [added] if added is not None else []
    if near.startswith("global "):
        function = function_at(source.tree, place.line)
        return [line_before(source, place.file, function.body[0].lineno, near)] if function is not None else []
    return name_edits.rename_name(source, place.file, place.line, wanted, near)


def _file(case: Case, wanted: str, near: str) -> list[Edit]:
    """The last part of a path, where only that differs; a path that is relative to another directory is not edited."""
    if os.path.dirname(wanted) != os.path.dirname(near):
        return []
    return name_edits.replace_text(case.sources, os.path.basename(wanted), os.path.basename(near))


def _is_text(key: str) -> bool:
    """Whether a recorded key is a plain string, in its quotes."""
    return len(key) > 2 and key[0] == key[-1] and key[0] in "'\"" and key[1:-1].isprintable() and "\\" not in key
