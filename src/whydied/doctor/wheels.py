"""Whether what is installed was made for this interpreter and system, and is whole. Runs in the parent; from the
papers of the packages alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from whydied.doctor.distributions import KERAS, TENSORFLOW, Distribution, Installed, numbers
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check
from whydied.places import names_in

_BINARY = ("numpy", "h5py", "protobuf", "ml-dtypes", "grpcio", "wrapt", "optree", "scipy", "pandas")
_FOREIGN = re.compile(r"python(\d+)\.(\d+)t?$")
# Modules that a program imports by way of TensorFlow: a file of that name nearer by is imported instead.
_SHADOWED = ("tensorflow", "keras", "tf_keras", "numpy", "h5py", "absl", "six", "wrapt", "gast", "packaging", "google")


def wheel_checks(environment: Environment, installed: Installed, working: Path | None) -> list[Check]:
    return [
        *_made_for(environment, installed),
        *_mixed(environment, installed),
        *_doubled(environment, installed),
        *_half_removed(environment),
        *_foreign_paths(environment),
        *_shadows(environment, working),
    ]


def _made_for(environment: Environment, installed: Installed) -> Iterator[Check]:
    for one in installed.some((*TENSORFLOW, *_BINARY)):
        tags = one.tags()
        if not tags:
            continue
        reasons = [reason for tag in tags if (reason := misfit(tag, environment)) is not None]
        if len(reasons) < len(tags):
            continue
        yield Check(
            one.name,
            "broken",
            f"{one.version} in {one.directory} was built for {reasons[0]}",
            f"its compiled modules cannot be loaded: `import {one.name.replace('-', '_')}` fails",
            f"{environment.pip} install --force-reinstall --no-deps {one.name}=={one.version}",
        )


def misfit(tag: str, environment: Environment) -> str | None:
    """Why a wheel with this tag cannot work here, as far as its tag tells; None where it can."""
    python, abi, systems = tag.split("-")
    found = f"{environment.version[0]}{environment.version[1]}"
    if abi.startswith("cp") and abi != f"cp{found}{environment.threaded}":
        return f"{_python_words(abi)}; this is Python {environment.number}"
    if abi == "abi3" and python[2:].isdigit() and int(python[3:] or 0) > environment.version[1]:
        return f"{_python_words(python)} or newer; this is Python {environment.number}"
    if systems == "any":
        return None
    machine = environment.markers.get("platform_machine", "")
    # Windows names the same processor in capitals; a Python for 32 bits runs on it too.
    fits = systems.lower().endswith((machine.lower(), "universal2"))
    if systems == "win32":
        fits = environment.markers.get("bits") == "32"
    if machine and not fits:
        return f"{systems}; this machine is {machine}"
    wanted = re.match(r"manylinux_(\d+)_(\d+)_", _plain_name(systems))
    if wanted is not None and environment.markers.get("sys_platform") == "linux":
        if not environment.glibc:
            return f"glibc {wanted[1]}.{wanted[2]} or newer; this system has another C library (musl?)"
        if numbers(environment.glibc) < (int(wanted[1]), int(wanted[2])):
            return f"glibc {wanted[1]}.{wanted[2]} or newer; this system has {environment.glibc}"
    if systems.startswith("musllinux") and environment.glibc:
        return f"{systems} (musl); this system has glibc {environment.glibc}"
    return None


def _plain_name(system: str) -> str:
    """The old names of these systems, by the version of glibc that they stand for (PEP 600)."""
    for old, new in {"manylinux1_": "2_5_", "manylinux2010_": "2_12_", "manylinux2014_": "2_17_"}.items():
        if system.startswith(old):
            return f"manylinux_{new}{system[len(old) :]}"
    return system


def _mixed(environment: Environment, installed: Installed) -> Iterator[Check]:
    """Two packages that own the same modules overwrite each other's files, and removing one breaks the other."""
    for module, names in {"tensorflow": TENSORFLOW, "keras": KERAS[:2], "tf_keras": KERAS[2:]}.items():
        owners = [one for one in installed.some(names) if f"{module}/__init__.py" in one.files()]
        owners = [one for one in owners if one.directory == owners[0].directory]
        if len(owners) < 2:
            continue
        all_names = " ".join(one.name for one in owners)
        # The plain name is what most people mean by it.
        kept = next((one for one in owners if one.name == module.replace("_", "-")), owners[0])
        yield Check(
            module,
            "broken",
            f"{' and '.join(one.shown for one in owners)} are both installed and share the directory {module}/",
            "its files are a mix of both: import errors, missing attributes, or a crash",
            f"{environment.pip} uninstall -y {all_names} && {environment.pip} install {kept.name}=={kept.version}",
        )


def _doubled(environment: Environment, installed: Installed) -> Iterator[Check]:
    """Papers of two versions in one directory are what an installation leaves that was cut off in the middle."""
    watched = {*TENSORFLOW, *KERAS, *_BINARY}
    for one in installed.hidden:
        first = installed.get(one.name)
        if first is None or one.name not in watched or first.version == one.version:
            continue
        if one.directory == first.directory:
            yield Check(
                one.name,
                "broken",
                f"{one.directory} has the metadata of both {first.version} and {one.version}",
                "its files may be a mix of both: import errors or crashes",
                f"rm -r {first.papers} {one.papers} && {environment.pip} install --force-reinstall {one.name}",
            )


def _half_removed(environment: Environment) -> Iterator[Check]:
    """pip renames what it removes, and puts it back or deletes it at the end, unless it is ended before."""
    wanted = [name[1:].replace("-", "_") for name in (*TENSORFLOW[:2], *KERAS, *_BINARY)]
    for path in environment.paths:
        left = [name for name in names_in(path) if name.startswith("~") and name[1:].startswith(tuple(wanted))]
        if left:
            yield Check(
                "left over",
                "risk",
                f"{', '.join(left[:4])} in {path}",
                "pip was interrupted while installing or removing it: files of that package may be missing",
                f"rm -r {path}/~*, then reinstall the package: {environment.pip} install --force-reinstall",
            )


def _foreign_paths(environment: Environment) -> Iterator[Check]:
    for path in environment.paths:
        for part in path.parts:
            found = _FOREIGN.match(part)
            if found is None or (int(found[1]), int(found[2])) == environment.version[:2]:
                continue
            yield Check(
                "search path",
                "risk",
                f"{path} belongs to Python {found[1]}.{found[2]}; this is {environment.number}",
                "modules compiled for another Python are found first and cannot be loaded",
                "unset PYTHONPATH" if "PYTHONPATH" in environment.variables else f"remove {path} from sys.path",
            )


def _shadows(environment: Environment, working: Path | None) -> Iterator[Check]:
    """Python puts the directory of a script first: a file there hides the package of the same name."""
    asked = [Path(entry) for entry in environment.variables.get("PYTHONPATH", "").split(os.pathsep) if entry]
    for place in dict.fromkeys([*([working] if working is not None else []), *asked]):
        names = set(names_in(place))
        if any(name.endswith((".dist-info", ".egg-info")) for name in names):
            continue
        for module in _SHADOWED:
            found = f"{module}.py" if f"{module}.py" in names else module
            whole = found in names and (found != module or (place / module / "__init__.py").exists())
            if whole:
                yield Check(
                    "shadow",
                    "risk",
                    f"{place / found} has the name of an installed package",
                    f"a script in that directory imports it instead of {module}: AttributeError, ImportError",
                    f"mv {place / found} {place}/my_{found}",
                )


def _python_words(tag: str) -> str:
    digits = re.sub(r"\D", "", tag)
    suffix = " free-threaded" if tag.endswith("t") else ""
    return f"Python {digits[:1]}.{digits[1:]}{suffix}"


def files_of(one: Distribution, ending: tuple[str, ...]) -> list[Path]:
    """The installed files of a package whose names end so, the small ones first."""
    sized = []
    for name in one.files():
        if name.endswith(ending):
            path = one.directory / name
            try:
                sized.append((path.stat().st_size, path))
            except OSError:
                continue
    return [path for _, path in sorted(sized)]
