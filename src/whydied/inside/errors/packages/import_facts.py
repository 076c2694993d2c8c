"""At an import that failed: what it did not find, and what the packages on its traceback require; runs in the user's
process.

Invariant: nothing is imported. The metadata that installers leave beside packages are read as text; which versions fit
is judged by the analysis.
"""

from __future__ import annotations

import os
import re
import sys
from types import FrameType, TracebackType

from whydied.inside.errors import exception_chain
from whydied.inside.errors.packages import missing_packages
from whydied.inside.errors.packages.package_names import PACKAGES
from whydied.inside.errors.packages.shadowed_modules import shadowed
from whydied.inside.guest.guard import guarded
from whydied.inside.journal import Journal
from whydied.records import PackageSeen, PackagesSeen

_TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-intel", "tensorflow-macos", "tensorflow-gpu", "tf-nightly")
_DISTRIBUTIONS = {"tensorflow": _TENSORFLOW, "google": ("protobuf",)}
_LARGEST_PACKAGES = 6
_LARGEST_REQUIREMENTS = 60
_LARGEST_METADATA = 200_000
_FIRST_WORD = re.compile(r"[A-Za-z0-9][\w.-]*")


def look(owner: Journal, error: BaseException, trace: TracebackType | None) -> None:
    """Write what is known of an import that failed."""
    missing_packages.look(owner, error, trace)
    _look(owner, error, trace)


@guarded("import_facts.look")
def _look(owner: Journal, error: BaseException, trace: TracebackType | None) -> None:
    for index, (link, link_trace, _) in enumerate(exception_chain.links_of(error, trace)):
        frames = [step.tb_frame for step in exception_chain._steps(link_trace)]
        hidden = shadowed(index, link, frames, owner.ownership)
        if hidden is not None:
            owner.write(hidden)
        modules = _importing(frames, owner)
        if not modules:
            continue
        versions = _installed()
        packages = [seen for module in dict.fromkeys(modules) if (seen := _package(module, versions)) is not None]
        wanted = {normalised(name[0]) for one in packages for text in one.requires if (name := _FIRST_WORD.match(text))}
        if packages:
            owner.write(
                PackagesSeen(
                    link=index,
                    packages=packages[:_LARGEST_PACKAGES],
                    installed={name: versions[name][0] for name in sorted(wanted) if name in versions},
                    modules=modules[-_LARGEST_PACKAGES:],
                    python=sys.executable or "",
                )
            )


def _importing(frames: list[FrameType], owner: Journal) -> list[str]:
    """The first names of the libraries' modules on a traceback, where one of them was being imported."""
    own = [frame for frame in frames if not frame.f_code.co_filename.startswith("<frozen")]
    libraries = [frame for frame in own if owner.ownership.user_file(frame) is None]
    if not any(frame.f_code.co_name == "<module>" for frame in libraries):
        return []
    names = [missing_packages._package_of(frame) for frame in libraries]
    return [name for name in names if name and name not in sys.stdlib_module_names]


def _package(module: str, versions: dict[str, tuple[str, str]]) -> PackageSeen | None:
    names = _DISTRIBUTIONS.get(module, (PACKAGES.get(module, module),))
    found = next((name for name in map(normalised, names) if name in versions), None)
    if found is None:
        return None
    version, papers = versions[found]
    return PackageSeen(name=found, version=version, requires=_requirements(papers))


def _requirements(papers: str) -> list[str]:
    """What is required without an extra, in the metadata's own words."""
    try:
        with open(os.path.join(papers, "METADATA"), encoding="utf-8", errors="replace") as file:
            text = file.read(_LARGEST_METADATA)
    except OSError:
        return []
    headers = text.partition("\n\n")[0].splitlines()
    asked = [line.partition(":")[2].strip() for line in headers if line.startswith("Requires-Dist:")]
    return [line for line in asked if not re.search(r"\bextra\s*==", line)][:_LARGEST_REQUIREMENTS]


def _installed() -> dict[str, tuple[str, str]]:
    """By name the version of each installed package and where its metadata lie, the first on the path."""
    found: dict[str, tuple[str, str]] = {}
    for directory in sys.path:
        try:
            names = os.listdir(directory or os.curdir)
        except OSError:
            continue
        for entry in names:
            stem, dot, _ = entry.rpartition(".dist-info")
            name, dash, version = stem.partition("-")
            if dot and dash:
                found.setdefault(normalised(name), (version, os.path.join(directory, entry)))
    return found


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
