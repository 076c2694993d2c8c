"""A file of the program that has the name of a library's module, and was imported in its place; runs in the user's
process, at an uncaught exception.

Invariant: nothing is imported. A module counts as shadowed only where the one that was loaded is the program's own, and
another of that name is in the standard library or further down the path.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.records import ModuleShadowed


def shadowed(index: int, error: BaseException, ownership: Ownership) -> ModuleShadowed | None:
    """The module that an exception misses something of, where that is not the one that was meant."""
    module: object = None
    if isinstance(error, AttributeError):
        module = error.obj
    elif isinstance(error, ImportError) and error.name:
        module = sys.modules.get(error.name) or sys.modules.get(error.name.partition(".")[0])
    if not isinstance(module, ModuleType):
        return None
    names = instance_dict(module)
    name, file = names.get("__name__"), names.get("__file__")
    if not isinstance(name, str) or not isinstance(file, str) or "." in name or name == "__main__":
        return None
    own = ownership.owned(file, False)
    meant = _meant(name, os.path.dirname(os.path.realpath(file)))
    return ModuleShadowed(link=index, module=name, file=own, meant=meant) if own is not None and meant else None


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
