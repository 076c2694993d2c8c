"""Notices when a module that we hook has been imported; runs in the user's process.

Invariant: the module is found and executed by its own finder and loader with no frame of ours on the stack, so
an import that fails prints what it prints without us. The end of an import shows in the module's spec, whose
`_initializing` the import system sets and clears: for the time of the import the spec has a class of ours that sees it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest.guard import guarded
from whydied.inside.process import versions
from whydied.records import ModuleImported

Installer = Callable[[ModuleType], None]


class Finder:
    """Stands first in `sys.meta_path` and asks the others."""

    def __init__(self, installers: dict[str, Installer], reported: frozenset[str]) -> None:
        self._installers = installers
        self._reported = reported
        self._wanted = frozenset(installers) | reported
        self._asking: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self._wanted or name in self._asking:
            return None
        self._asking.add(name)
        try:
            for finder in sys.meta_path:
                find = getattr(finder, "find_spec", None)
                spec = find(name, path, target) if find is not None and finder is not self else None
                if spec is not None:
                    self._watch(spec)
                    return spec  # type: ignore[no-any-return]
        finally:
            self._asking.discard(name)
        return None

    @guarded("imports.watch")
    def _watch(self, spec: ModuleSpec) -> None:
        if type(spec) is ModuleSpec:
            _watched[id(spec)] = (self, time.perf_counter())
            spec.__class__ = _WatchedSpec

    @guarded("imports.imported")
    def imported(self, name: str, seconds: float) -> None:
        module = sys.modules.get(name)
        if module is None:
            return
        if name in self._reported:
            version = versions.plain(module.__dict__.get("__version__"))
            journal.write(ModuleImported(name=name, version=version, wall_s=round(seconds, 4)))
        installer = self._installers.get(name)
        if installer is not None:
            installer(module)

    def present(self) -> None:
        """Treat what was imported before us as just imported."""
        for name in self._wanted:
            if name in sys.modules:
                self.imported(name, 0.0)


_watched: dict[int, tuple[Finder, float]] = {}


class _WatchedSpec(ModuleSpec):
    __module__ = ModuleSpec.__module__
    __qualname__ = ModuleSpec.__qualname__

    @property
    def _initializing(self) -> bool:
        return bool(self.__dict__.get("_initializing", False))

    @_initializing.setter
    def _initializing(self, value: bool) -> None:
        self.__dict__["_initializing"] = value
        if not value:
            self.__class__ = ModuleSpec  # type: ignore[assignment]
            known = _watched.pop(id(self), None)
            if known is not None:
                known[0].imported(self.name, time.perf_counter() - known[1])


# A program that prints the spec of a module sees this name.
_WatchedSpec.__name__ = ModuleSpec.__name__


def install(installers: dict[str, Installer], reported: frozenset[str]) -> Finder:
    finder = Finder(installers, reported)
    finder.present()
    sys.meta_path.insert(0, finder)
    return finder


def lazily(module: str, function: str, place: str) -> Installer:
    """An installer that loads our hook module only when it is needed."""

    @guarded(place)
    def install_hook(target: ModuleType) -> None:
        __import__(module)
        hook: Any = getattr(sys.modules[module], function)
        hook(target)

    return install_hook
