"""Which code is the user's; runs in the user's process, at each sample, so every answer is kept.

User code is what lies outside the standard library, outside `site-packages` and `dist-packages`, outside our own
package, and is not frozen or generated code. The package that owns `__main__` is the user's even when it is installed.
A relative file name counts from the directory that the process started in, because the program may change it later.
"""

from __future__ import annotations

import os
import sys
from types import FrameType

_INSTALLED = ("site-packages", "dist-packages")
_GENERATED = "__autograph_generated_file"
_LARGEST_CACHE = 20_000


class Ownership:
    def __init__(self, start_directory: str) -> None:
        self.start_directory = start_directory
        self._foreign = tuple(_foreign_roots())
        self._main_root: str | None = None
        self._main_has_file = False
        self._hosting = False
        self._known: dict[str, str | None] = {}
        self.fresh: list[str] = []
        """Files of the user's that were seen for the first time; `kept_sources` takes them from here."""

    def main_found(self, module: object) -> None:
        """Learn which installed package, if any, owns `__main__`, and whether that has a file."""
        spec = getattr(module, "__spec__", None)
        package = getattr(spec, "parent", None) or getattr(module, "__package__", None)
        file = getattr(module, "__file__", None)
        self._main_has_file = isinstance(file, str)
        if self._hosting or not package or not isinstance(package, str) or not isinstance(file, str):
            return
        root = os.path.dirname(os.path.realpath(os.path.join(self.start_directory, file)))
        for _ in range(package.count(".")):
            root = os.path.dirname(root)
        self._main_root = root + os.sep
        self._known.clear()

    def in_notebook(self) -> None:
        """The program is what the cells are; whatever owns `__main__` only runs them."""
        self._main_root = None
        self._hosting = True
        self._known.clear()

    def user_file(self, frame: FrameType) -> str | None:
        """The real path of the frame's file when the code is the user's, else None."""
        return self.owned(frame.f_code.co_filename, frame.f_globals.get("__name__") == "__main__")

    def owned(self, name: str, main: bool) -> str | None:
        """The same by the file name of the code, and whether it is code of `__main__`."""
        if name.startswith("<"):
            # `python -c` and cells; in a program with a file it is code that was made, such as a dataclass' `__init__`.
            written = self._hosting or not self._main_has_file
            return name if main and written and not name.startswith("<frozen") else None
        try:
            return self._known[name]
        except KeyError:
            if len(self._known) > _LARGEST_CACHE:
                self._known.clear()
            self._known[name] = answer = self._judge(name)
            if answer is not None:
                self.fresh.append(answer)
            return answer

    def imported(self, name: str) -> str | None:
        """The real path of a module's file when it is the user's, else None. Most modules are installed ones, and
        their paths alone say so."""
        if name.startswith(self._foreign) and not (self._main_root and name.startswith(self._main_root)):
            return None
        return self._judge(name)

    def resolve(self, name: str) -> str:
        """The real absolute path of a code object's file name."""
        return name if name.startswith("<") else os.path.realpath(os.path.join(self.start_directory, name))

    def is_user_path(self, name: str) -> bool:
        return not name.startswith("<") and self._judge(name) is not None

    def _judge(self, name: str) -> str | None:
        if os.path.basename(name).startswith(_GENERATED):
            return None
        path = self.resolve(name)
        if self._main_root is not None and path.startswith(self._main_root):
            return path
        # Both spellings: a virtual environment's library is often reached through symbolic links.
        for spelling in (path, os.path.join(self.start_directory, name)):
            if spelling.startswith(self._foreign) or any(part in _INSTALLED for part in spelling.split(os.sep)):
                return None
        # Compiled modules name their sources as they were where they were built, far from here.
        is_there = os.path.isabs(name) or os.sep not in name or os.path.exists(path)
        return path if is_there else None


def _foreign_roots() -> list[str]:
    """Directories of installed code. `sysconfig` would say the same and costs several milliseconds."""
    ours = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    roots = [os.path.dirname(os.__file__), ours]
    site = sys.modules.get("site")
    if site is not None:
        try:
            roots += site.getsitepackages()
        except (AttributeError, OSError):
            # Old virtual environments bring a `site` of their own, without that function.
            pass
    roots += [entry for entry in sys.path if entry.endswith(".zip") and "python3" in os.path.basename(entry)]
    both = {*roots, *(os.path.realpath(root) for root in roots)}
    return [root.rstrip(os.sep) + os.sep for root in both if root]
