"""Keeps the user's own files in the recording as they were when the program loaded them; runs in the user's process.

A file is read soon after it was loaded: within a twentieth of a second when its code is on the stack of the main
thread, within a second when it was only imported. Whoever edits it later edits another version than the one that runs.

Invariant: nothing of the program waits for this but an exception and its end, and they only for what was loaded
just before. Python keeps nothing of a file, so a change between its load and our look does not show in the code: the
time of the change tells, and is recorded (`SourceKept.edited`).
"""

from __future__ import annotations

import os
import sys
import time
from importlib.machinery import ModuleSpec
from typing import Any, NamedTuple

from whydied import source_copy
from whydied.inside import journal
from whydied.inside.guest import guard, live_source, standstill
from whydied.inside.guest.guard import guarded
from whydied.inside.journal import Journal
from whydied.records import SourceKept
from whydied.source_copy import IMPORTED_TOTAL_BYTES, LARGEST_TOTAL_BYTES, NotKept

LONGEST_LOOK_S = 0.02
"""What a look of the sampler takes for files that are only imported: a program with hundreds of them waits its turn."""
LONGEST_LAST_LOOK_S = 0.1


class Module(NamedTuple):
    """What `sys.modules` says of a module of the user's. Loading it again gives it another spec."""

    spec: ModuleSpec | None
    path: str


class Keeper:
    """The files of this process. A fork goes on with what its parent has kept."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}
        self._modules: dict[str, Module] = {}
        self._installed: set[str] = set()
        self._waiting: dict[str, float] = {}
        self._looked_s = self._began_s = time.time()

    def is_wanted(self, owner: Journal) -> bool:
        return bool(owner.ownership.fresh or self._waiting)

    def look(self, owner: Journal, longest_s: float) -> None:
        """Keep what was loaded since the last look: what is on a stack in any case."""
        until = time.monotonic() + longest_s
        self._find_modules(owner)
        fresh = owner.ownership.fresh
        while fresh:
            file = fresh.pop()
            # Nobody knows when a file was loaded that is not a module.
            since_s = self._waiting.pop(file, self._began_s)
            if file not in self._kept:
                self._keep(owner, file, since_s, LARGEST_TOTAL_BYTES)
        while self._waiting and time.monotonic() < until:
            self._keep(owner, *self._waiting.popitem(), IMPORTED_TOTAL_BYTES)

    def _find_modules(self, owner: Journal) -> None:
        """The user's modules that are new or were loaded again."""
        before_s, self._looked_s = self._looked_s, time.time()
        for name in [name for name in list(sys.modules) if name not in self._installed]:
            names = _names_of(sys.modules.get(name))
            file, spec = names.get("__file__"), names.get("__spec__")
            path = owner.ownership.imported(file) if isinstance(file, str) else None
            if path is None:
                if name != "__main__":
                    # That one has no file yet while `site` runs.
                    self._installed.add(name)
                continue
            known = self._modules.get(name)
            if known is None or known.spec is not spec or known.path != path:
                self._modules[name] = Module(spec, path)
                self._waiting[path] = before_s

    def _keep(self, owner: Journal, file: str, since_s: float, most_bytes: int) -> None:
        version = source_copy.version_of(file)
        if version is None:
            return
        try:
            with standstill.of_main_thread():
                copy = source_copy.keep(owner.run, file, version, most_bytes)
        except NotKept as reason:
            if most_bytes == LARGEST_TOTAL_BYTES:
                guard.limited("sources", f"{reason}; a later report quotes its lines as they are then")
            return
        except OSError as error:
            if guard.is_the_users(error):
                raise
            return
        if self._kept.get(file) != copy:
            self._kept[file] = copy
            live_source.forget(file)
            owner.write(SourceKept(file=file, copy=copy, edited=version.modified_ns > since_s * 1e9))

    def run_again(self, owner: Journal) -> None:
        """Scripts may be about to run again, edited, and have no spec that would show it."""
        modules = {module.path for name, module in self._modules.items() if name != "__main__"}
        self._began_s = time.time()
        for file in [file for file in self._kept if file not in modules]:
            del self._kept[file]
            owner.ownership.fresh.append(file)

    def text(self, owner: Journal, file: str) -> bytes | None:
        """A file as it was kept."""
        copy = self._kept.get(file)
        if copy is None:
            return None
        try:
            with open(os.path.join(owner.run, source_copy.FOLDER, copy), "rb") as stream:
                found = source_copy.decode(stream.read())
        except OSError as error:
            if guard.is_the_users(error):
                raise
            return None
        return found[1] if found else None


_keeper = Keeper()


def install() -> None:
    global _keeper
    _keeper = Keeper()
    live_source.read_copies(_text)


def is_wanted() -> bool:
    owner = journal.current()
    return owner is not None and _keeper.is_wanted(owner)


@guarded("kept_sources.look")
def look(longest_s: float = LONGEST_LAST_LOOK_S) -> None:
    owner = journal.current()
    if owner is not None:
        _keeper.look(owner, longest_s)


@guarded("kept_sources.run_again")
def run_again() -> None:
    owner = journal.current()
    if owner is not None:
        _keeper.run_again(owner)


def _text(file: str) -> bytes | None:
    owner = journal.current()
    return _keeper.text(owner, file) if owner is not None else None


def _names_of(module: object) -> dict[str, Any]:
    """What a module holds, without loading one that waits for its first use."""
    try:
        names = object.__getattribute__(module, "__dict__")
    except AttributeError:
        return {}
    return names if type(names) is dict else {}
