"""A file of the program that has the name of a library's module, and was imported in its place; runs in the user's
process, at an uncaught exception.

Invariant: nothing is imported. A module counts as shadowed only where the one that was loaded is the program's own, and
another of that name is in the standard library or further down the path.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from itertools import pairwise
from types import FrameType, ModuleType

import msgspec

from whydied.inside.errors.stack_steps import frame_of
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.records import ModuleShadowed


def shadowed(index: int, error: BaseException, frames: list[FrameType], ownership: Ownership) -> ModuleShadowed | None:
    """The module that an exception misses something of, where that is not the one that was meant; else the file of the
    program on the traceback that was imported in the place of another module."""
    return _hiding(index, *_missed_in(error, frames), ownership) or _on_the_way(index, error, frames, ownership)


def _hiding(index: int, name: str, file: str, ownership: Ownership) -> ModuleShadowed | None:
    if not name or not file or name == "__main__":
        return None
    own = ownership.owned(file, False)
    meant = _meant(name, os.path.dirname(os.path.realpath(file))) if own is not None else ""
    return ModuleShadowed(link=index, module=name, file=own, meant=meant) if own is not None and meant else None


def _on_the_way(
    index: int, error: BaseException, frames: list[FrameType], ownership: Ownership
) -> ModuleShadowed | None:
    """A file of the program that ran as a module while it was imported. It is in the place of another where a library
    asked for it, or where what is missed has its name further in: `tensorflow.keras` is the package `keras`."""
    running = [frame for frame in frames if not frame.f_code.co_filename.startswith("<frozen ")]
    for above, frame in pairwise(running):
        name, file = _named(frame.f_globals)
        if frame.f_code.co_name != "<module>" or not name or ownership.user_file(frame) is None:
            continue
        importer = ownership.user_file(above)
        parts = (error.name or "").split(".")[1:] if isinstance(error, ImportError) else []
        if importer is not None and name not in parts:
            continue
        found = _hiding(index, name, file, ownership)
        if found is None:
            continue
        if importer is None:
            return msgspec.structs.replace(found, asked_by=_package(above))
        line = frame_of(importer, above.f_lineno or 0, above.f_code.co_name)
        return msgspec.structs.replace(found, imported=line)
    return None


def _package(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__")
    return name.partition(".")[0] if isinstance(name, str) else ""


def _missed_in(error: BaseException, frames: list[FrameType]) -> tuple[str, str]:
    """The first name and the file of the module that lacks something."""
    if isinstance(error, AttributeError) and isinstance(error.obj, ModuleType):
        return _named(instance_dict(error.obj))
    if not isinstance(error, ImportError) or not error.name:
        return "", ""
    top = error.name.partition(".")[0]
    loaded = sys.modules.get(top)
    if isinstance(loaded, ModuleType):
        return _named(instance_dict(loaded))
    # A module whose import failed is forgotten, and still on the traceback.
    mine = [_named(frame.f_globals) for frame in frames]
    return next((one for one in mine if one[0] == top), ("", ""))


def _named(names: Mapping[str, object]) -> tuple[str, str]:
    name, file = names.get("__name__"), names.get("__file__")
    return (name, file) if isinstance(name, str) and isinstance(file, str) and "." not in name else ("", "")


def _meant(name: str, own: str) -> str:
    """Where the other module of that name is."""
    if name in sys.stdlib_module_names:
        return "the standard library"
    for directory in sys.path:
        if not directory or os.path.realpath(directory) in (own, os.path.dirname(own)):
            continue
        for entry in (f"{name}/__init__.py", f"{name}.py"):
            if os.path.isfile(os.path.join(directory, entry)):
                return os.path.join(directory, entry)
    return ""
