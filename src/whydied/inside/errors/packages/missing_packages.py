"""A module that an import did not find: what is to be installed, or where it lies; runs in the user's process, at an
uncaught exception.

Invariant: nothing is imported; directories are listed, and the source of the library that raised is parsed. A library
that can do without a module imports it in a `try` and keeps None in its place: what it then lacks is read from that.
"""

from __future__ import annotations

import ast
import glob
import os
import re
import shutil
import sys
from collections.abc import Iterator
from types import FrameType, TracebackType

from whydied.inside.errors import exception_chain, near_names
from whydied.inside.errors.packages.package_names import NOTES, PACKAGES, SYSTEM
from whydied.inside.guest import live_source
from whydied.inside.guest.guard import guarded
from whydied.inside.journal import Journal
from whydied.records import PackageMissing
from whydied.texts import installation

_LARGEST_SOURCE = 500_000
_NEARBY = 200


@guarded("missing_packages.look")
def look(owner: Journal, error: BaseException, trace: TracebackType | None) -> None:
    """Write what the links of a chain could not import."""
    for index, (link, link_trace, _) in enumerate(exception_chain.links_of(error, trace)):
        steps = exception_chain._steps(link_trace)
        frames = [step.tb_frame for step in steps if not _is_importer(step.tb_frame)]
        missing = _missing(index, link, frames, owner)
        if missing is not None:
            owner.write(missing)


def _missing(index: int, error: BaseException, frames: list[FrameType], owner: Journal) -> PackageMissing | None:
    if not frames:
        return None
    message = exception_chain.text_of(error)
    library = "" if owner.ownership.user_file(frames[-1]) is not None else _package_of(frames[-1])
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _not_found(index, error.name, library)
    if isinstance(error, ImportError):
        return _system_library(index, message) or _optional(index, message, frames[-1], library)
    if isinstance(error, AttributeError) and error.obj is None and error.name and library:
        return _used_none(index, frames[-1], error.name, library)
    return None


def _not_found(index: int, name: str, library: str) -> PackageMissing | None:
    """A module whose first part is missing as a whole; of a package that is there, another rule knows the names."""
    known = next((part for part in _prefixes(name) if part in PACKAGES or part in NOTES), "")
    top = known or name.partition(".")[0]
    # A name that stands for None was hidden on purpose.
    hidden = top in sys.modules and sys.modules[top] is None
    if not hidden and "." not in top and near_names._installed(top):
        return None
    return _described(index, top, library)


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(min(2, len(parts)), 0, -1))


def _described(index: int, module: str, library: str) -> PackageMissing:
    return PackageMissing(
        link=index,
        module=module,
        package=PACKAGES.get(module, ""),
        note=NOTES.get(module, ""),
        wanted_by=library,
        nearby=_nearby(module),
        elsewhere=_elsewhere(module),
        python=sys.executable or "",
        version=sys.version.split()[0],
        backend=os.environ.get("KERAS_BACKEND", "") if library in ("keras", "tf_keras") else "",
    )


def _system_library(index: int, message: str) -> PackageMissing | None:
    found = installation.LIBRARY_NOT_OPENED.pattern.search(message)
    if found is None or found["library"] not in SYSTEM:
        return None
    system, instead = SYSTEM[found["library"]]
    return PackageMissing(
        link=index, module=found["library"], system=system, package=instead, python=sys.executable or ""
    )


def _optional(index: int, message: str, frame: FrameType, library: str) -> PackageMissing | None:
    """What a library lacks that says so itself: a module that it tried to import, else what it asks to install."""
    if not library:
        return None
    tried = _tried(frame)
    named = [module for name, module in tried if _speaks_of(message, module) or _speaks_of(message, name)]
    if named:
        return _described(index, named[0], library)
    # Graphviz is a program: its Python package only calls it.
    if installation.NEEDS_GRAPHVIZ.pattern.search(message) and shutil.which("dot") is None:
        return PackageMissing(link=index, module="dot", system="graphviz", wanted_by=library, python=sys.executable)
    asked = installation.ASKS_TO_INSTALL.pattern.search(message)
    if asked is None or near_names._installed(asked["package"].replace("-", "_")):
        return None
    return _described(index, asked["package"], library)


def _used_none(index: int, frame: FrameType, attribute: str, library: str) -> PackageMissing | None:
    """An attribute of None, where the line uses a module that the library tried to import in vain."""
    _, _, line = live_source.statement(frame.f_code.co_filename, frame.f_lineno)
    for name, module in _tried(frame):
        if re.search(rf"\b{re.escape(name)}\.{re.escape(attribute)}\b", line):
            return _described(index, module, library)
    return None


def _speaks_of(message: str, name: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(name.partition('.')[0])}(?![\w-])", message))


def _tried(frame: FrameType) -> list[tuple[str, str]]:
    """Names of a module that hold None because an import failed, each with the first module that it was tried with."""
    names = frame.f_globals
    try:
        path = frame.f_code.co_filename
        if os.path.getsize(path) > _LARGEST_SOURCE:
            return []
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return []
    found: list[tuple[str, str]] = []
    for statement in tree.body:
        if isinstance(statement, ast.Try):
            held = [name for name in _set_to_none(statement) if names.get(name, 0) is None]
            modules = list(_imported(statement))
            if modules:
                found += [(name, modules[0]) for name in held]
    return found


def _set_to_none(tried: ast.Try) -> Iterator[str]:
    for handler in tried.handlers:
        for node in ast.walk(handler):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None:
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _imported(tried: ast.Try) -> Iterator[str]:
    for node in tried.body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _nearby(module: str) -> str:
    """A file or directory of that name below the program's or the working directory: the program's own module, which
    Python does not find from where it is."""
    name = module.partition(".")[0]
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    starts = [os.getcwd(), os.path.dirname(os.path.abspath(main))] if isinstance(main, str) else [os.getcwd()]
    for start in dict.fromkeys([*starts, *(os.path.dirname(start) for start in starts)]):
        for pattern in (f"{name}.py", f"*/{name}.py", f"{name}/*.py", f"*/{name}/*.py"):
            for number, path in enumerate(glob.iglob(os.path.join(glob.escape(start), pattern))):
                if number > _NEARBY:
                    break
                if "-packages" not in path:
                    return path if pattern.endswith(f"{name}.py") else os.path.dirname(path)
    return ""


def _elsewhere(module: str) -> str:
    """Where another Python has it."""
    top = module.partition(".")[0]
    for root in dict.fromkeys([sys.prefix, sys.base_prefix, os.path.expanduser("~/.local"), "/usr", "/usr/local"]):
        for name in (top, f"{top}.py"):
            for kind in ("site-packages", "dist-packages"):
                found = sorted(glob.glob(os.path.join(glob.escape(root), "lib", "python3*", kind, name)))
                other = [path for path in found if os.path.dirname(path) not in sys.path]
                if other:
                    return os.path.dirname(other[-1])
    return ""


def _is_importer(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith("<frozen") or _package_of(frame) == "importlib"


def _package_of(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__")
    return name.partition(".")[0] if isinstance(name, str) else ""
