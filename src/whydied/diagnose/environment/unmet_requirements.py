"""What the packages on the traceback of a failed import require, against what is installed. Pure.

Requirements are those of the installed packages' own metadata, so a fix that follows them is one that their authors
tested. Only packages that took part count: one that is on the traceback, or that the exception names.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from whydied.diagnose.case import Case
from whydied.records import PackagesSeen

_MODULES = {"protobuf": "google", "pillow": "PIL", "ml-dtypes": "ml_dtypes", "tf-keras": "tf_keras"}


class Unmet(NamedTuple):
    """`by` requires `wanted` of the package `name`, of which `found` is installed; empty: nothing is."""

    by: str
    by_version: str
    name: str
    wanted: str
    found: str
    link: int
    python: str

    @property
    def words(self) -> str:
        has = f"{self.name} {self.found} is installed" if self.found else f"{self.name} is not installed"
        return f"{self.by} {self.by_version} requires {self.name}{self.wanted}, and {has}"

    @property
    def command(self) -> str:
        return f"{pip(self.python)} install '{self.name}{self.wanted}'"


def pip(python: str) -> str:
    """The words that install into the interpreter of the run and no other."""
    return f"{python} -m pip" if python else "pip"


def unmet_in(case: Case) -> list[Unmet]:
    """What is not as required and took part in the failure, the innermost module first."""
    raised = case.uncaught
    if raised is None:
        return []
    found = []
    for seen in case.records.all(PackagesSeen):
        message = raised.chain[seen.link].message if seen.link < len(raised.chain) else ""
        places = {module: at for at, module in enumerate(seen.modules)}
        for one in _all(seen):
            module = _MODULES.get(one.name, one.name.replace("-", "_"))
            if module in places or re.search(rf"(?<![\w-]){re.escape(module)}(?![\w-])", message):
                found.append((places.get(module, -1), one))
    return [one for _, one in sorted(found, key=lambda pair: -pair[0])]


def _all(seen: PackagesSeen) -> list[Unmet]:
    found = []
    for package in seen.packages:
        for text in package.requires:
            try:
                wanted = Requirement(text)
                if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
                    continue
                name = re.sub(r"[-_.]+", "-", wanted.name).lower()
                there = seen.installed.get(name, "")
                if there and wanted.specifier.contains(Version(there), prereleases=True):
                    continue
            except (InvalidRequirement, InvalidVersion, UndefinedComparison, UndefinedEnvironmentName):
                continue
            found.append(
                Unmet(package.name, package.version, name, str(wanted.specifier), there, seen.link, seen.python)
            )
    return found
