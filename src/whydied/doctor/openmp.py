"""OpenMP runtimes that packages bring along. Runs in the parent; from the lists of installed files.

Intel's runtime (libiomp5) and LLVM's (libomp) are one program under two names, and it ends the process with "OMP: Error
#15" when it finds itself loaded already. The loader joins libraries that are asked for by the same name, so copies
named alike are one, unless a package loads its own by the full path; a copy that a wheel renamed, or the other name, is
always a second. GNU's libgomp beside them is loaded without harm.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from whydied.doctor.distributions import Installed
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check
from whydied.places import names_in

_RUNTIME = re.compile(r"lib(iomp5md|iomp5|omp|gomp)(?:-[0-9a-f]+)?\.(?:so[.\d]*|dylib|dll)$")


class Runtime(NamedTuple):
    family: str
    path: Path
    package: str


def openmp_checks(environment: Environment, installed: Installed) -> list[Check]:
    found = runtimes(environment, installed)
    llvm = [one for one in found if one.family == "LLVM"]
    if len({one.package for one in llvm}) > 1:
        return [_double(environment, llvm)]
    if environment.variables.get("KMP_DUPLICATE_LIB_OK", "").upper() in ("TRUE", "1", "T", "YES", "ON"):
        return [
            Check(
                "OpenMP",
                "risk",
                "KMP_DUPLICATE_LIB_OK is set",
                "two OpenMP runtimes may run side by side: wrong results, or crashes without a message",
                "unset KMP_DUPLICATE_LIB_OK, and keep only one runtime",
            )
        ]
    shown = ", ".join(f"{one.path.name} ({one.package})" for one in found)
    return [Check("OpenMP", "ok", shown or "not bundled by any package")]


def runtimes(environment: Environment, installed: Installed) -> list[Runtime]:
    """Every runtime once, by its real file."""
    found: dict[Path, Runtime] = {}
    for one in installed.all:
        for name in one.files():
            match = _RUNTIME.match(os.path.basename(name))
            if match is not None:
                _add(found, match[1], one.directory / name, one.name)
    library = environment.prefix / ("Library/bin" if environment.markers.get("os_name") == "nt" else "lib")
    for name in names_in(library) if (environment.prefix / "conda-meta").is_dir() else []:
        match = _RUNTIME.match(name)
        if match is not None:
            _add(found, match[1], library / name, "conda")
    return list(found.values())


def _add(found: dict[Path, Runtime], kind: str, path: Path, package: str) -> None:
    if not path.exists():
        return
    real = Path(os.path.realpath(path))
    # A link to a runtime under a second name is the same file, and the loader sees that.
    found.setdefault(real, Runtime("GNU" if kind == "gomp" else "LLVM", path, package))


def _double(environment: Environment, found: list[Runtime]) -> Check:
    first, *others = sorted(found, key=lambda one: one.package)
    renamed = len({one.path.name for one in found}) > 1
    shown = " and ".join(f"{one.path.name} from {one.package}" for one in (first, *others))
    if environment.variables.get("KMP_DUPLICATE_LIB_OK"):
        impact = "KMP_DUPLICATE_LIB_OK lets both run: wrong results, or crashes without a message"
    elif renamed:
        impact = 'a program that imports both packages aborts with "OMP: Error #15" (SIGABRT)'
    else:
        impact = 'a program that imports both aborts with "OMP: Error #15" (SIGABRT), if one is loaded by its full path'
    return Check(
        "OpenMP",
        "broken" if renamed else "risk",
        f"two runtimes of one kind: {shown}",
        impact,
        f"keep one: {environment.pip} uninstall {others[0].package}, or install both from the same source (all with "
        "pip, or "
        "all with conda)",
    )
