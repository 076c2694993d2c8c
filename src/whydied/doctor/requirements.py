"""What TensorFlow and Keras ask of other packages, against what is installed. Runs in the parent.

Requirements are read from the papers of the installed packages, so they are those of the installed versions. What
TensorFlow needs itself needs others: the whole tree below TensorFlow and Keras is looked at, nothing beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from whydied.doctor.distributions import KERAS, TENSORFLOW, Distribution, Installed, normalised
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check, Status

# Not imported by `import tensorflow`, nor by Keras when it trains.
_SELDOM_USED = {"libclang", "tensorflow-io-gcs-filesystem", "setuptools", "wheel", "tensorboard", "grpcio"}
_LISTED = 3
# Another version of these breaks binaries or generated code, or is a different API.
_CLOSELY_BOUND = {
    "numpy": "modules that were compiled for another NumPy fail at `import tensorflow`, or crash",
    "protobuf": '`import tensorflow` fails in generated code ("Descriptors cannot be created directly", a '
    "VersionError) or crashes",
    "h5py": "reading and writing models as HDF5 fails, or crashes at import",
    "ml-dtypes": "`import tensorflow` fails when it registers bfloat16 and float8, or NumPy arrays of these types "
    "crash",
    "keras": "tf.keras is this package: it fails at import or at the first layer",
    "tf-keras": "TF_USE_LEGACY_KERAS uses this package: it fails at import or at the first layer",
    "gast": "tf.function cannot convert Python code: AutoGraph fails or silently leaves it as it is",
    "wrapt": "`import tensorflow` fails when it wraps its own objects",
    "absl-py": "`import tensorflow` fails when it sets up logging and flags",
    "flatbuffers": "`import tensorflow` fails when it loads TensorFlow Lite",
    "typing-extensions": "`import tensorflow` fails when it declares types",
}


class Asked(NamedTuple):
    """`by` wants `wanted` of the package `name`, of which `found` is installed, or nothing."""

    by: Distribution
    name: str
    wanted: SpecifierSet
    found: Distribution | None

    @property
    def fits(self) -> bool:
        # A version that does not follow the rules cannot be compared.
        if self.found is None or not _is_version(self.found.version):
            return self.found is not None
        return self.wanted.contains(self.found.version, prereleases=True)


def requirement_checks(environment: Environment, installed: Installed) -> list[Check]:
    roots = installed.some((*TENSORFLOW, *KERAS))
    if not roots:
        return []
    asked = list(all_asked(environment, installed, roots))
    pythons = [check for root in roots if (check := _python(environment, root)) is not None]
    # The first conflict of each package, which one command mends.
    first = {one.name: one for one in reversed(asked) if not one.fits}
    each = [(one, _check(environment, installed, one, asked)) for one in reversed(first.values())]
    wrong = [*pythons, *_grouped(environment, each)]
    if wrong:
        return wrong
    names = " and ".join(root.shown for root in roots)
    return [Check("requirements", "ok", f"everything that {names} require is installed")]


def all_asked(environment: Environment, installed: Installed, roots: list[Distribution]) -> Iterator[Asked]:
    """Breadth first, so that what TensorFlow asks for itself comes before what its parts ask for."""
    waiting, seen = list(roots), {root.name for root in roots}
    while waiting:
        by = waiting.pop(0)
        for wanted in wanted_by(environment, by):
            name = normalised(wanted.name)
            found = installed.get(name)
            if found is None and name in TENSORFLOW:
                # tf-keras asks for `tensorflow` by name, and tensorflow-cpu is as good.
                found = installed.first(TENSORFLOW)
            yield Asked(by, found.name if found is not None else name, wanted.specifier, found)
            if found is not None and found.name not in seen:
                seen.add(found.name)
                waiting.append(found)


def wanted_by(environment: Environment, by: Distribution, extra: str = "") -> Iterator[Requirement]:
    """What holds on this system; with an extra, only what that extra adds."""
    for text in by.requires:
        try:
            wanted = Requirement(text)
            plain = wanted.marker is None or wanted.marker.evaluate({**environment.markers, "extra": ""})
            more = bool(extra) and wanted.marker is not None
            if more and wanted.marker is not None:
                more = not plain and wanted.marker.evaluate({**environment.markers, "extra": extra})
        except (InvalidRequirement, UndefinedComparison, UndefinedEnvironmentName):
            continue
        if more if extra else plain:
            yield wanted


def _check(environment: Environment, installed: Installed, one: Asked, asked: list[Asked]) -> Check:
    if one.found is None:
        status: Status = "risk" if one.name in _SELDOM_USED else "broken"
        what = f"not installed; {one.by.shown} requires it"
        impact = (
            f"the parts of {one.by.name} that use it fail with ModuleNotFoundError"
            if status == "risk"
            else f"`import {_imported(one.by)}` fails with ModuleNotFoundError, at once or at its first use"
        )
    else:
        status = "broken" if one.name in _CLOSELY_BOUND else "risk"
        what = f"{one.found.version}; {one.by.shown} requires {one.wanted}"
        impact = _CLOSELY_BOUND.get(
            one.name, f"{one.by.name} was not built for this version, and may fail where it uses it"
        )
    other = _pinned_by(environment, installed, one)
    note = f"; {other.by.shown} requires {other.wanted}, which excludes that" if other is not None else ""
    fix = f"{environment.pip} install '{one.name}{_for_all(one, asked)}'"
    if one.found is not None and one.name in TENSORFLOW:
        # The smaller one follows the larger: tf-keras has a version for each of TensorFlow.
        fix = f"{environment.pip} install '{one.by.name}=={'.'.join(one.found.version.split('.')[:2])}.*'"
    if other is not None:
        fix += f", and another {other.by.name}, or an environment without it"
    return Check(one.name, status, what + note, impact, fix)


def _grouped(environment: Environment, each: list[tuple[Asked, Check]]) -> list[Check]:
    """Where most of the tree was never installed, one answer with one command instead of a page of them."""
    checks = [check for _, check in each]
    for status, name in (("risk", "seldom used packages"), ("broken", "missing packages")):
        missing = [(one, check) for one, check in each if one.found is None and check.status == status]
        if len(missing) <= _LISTED:
            continue
        together = Check(
            name,
            missing[0][1].status,
            f"{', '.join(one.name for one, _ in missing)} are not installed; {missing[0][0].by.shown} and "
            "its parts require them",
            missing[0][1].impact,
            f"{environment.pip} install " + " ".join(f"'{one.name}{one.wanted}'" for one, _ in missing),
        )
        checks = [together, *(check for check in checks if all(check is not other for _, other in missing))]
    return checks


def _for_all(one: Asked, asked: list[Asked]) -> SpecifierSet:
    """What everyone below TensorFlow and Keras can live with, so that mending one thing breaks no other."""
    together = one.wanted
    for other in asked:
        if other.name == one.name and not _exclude(together, other.wanted):
            together &= other.wanted
    return together


def _pinned_by(environment: Environment, installed: Installed, one: Asked) -> Asked | None:
    """Who asks for this package in a way that does not go with what is wanted: perhaps why it is as it is."""
    if one.found is None:
        return None
    for other in installed.all:
        if other.name == one.by.name or not any(one.name in normalised(text) for text in other.requires):
            continue
        for wanted in wanted_by(environment, other):
            same = normalised(wanted.name) == one.name
            if same and _exclude(wanted.specifier, one.wanted):
                return Asked(other, one.name, wanted.specifier, one.found)
    return None


def _exclude(one: SpecifierSet, other: SpecifierSet) -> bool:
    """Whether no version fits both. Versions at the borders, and just beside them, are the only ones to try."""
    both = one & other
    borders = {part.version.removesuffix(".*") for part in both}
    tried = [*borders, *(f"{border}.1" for border in borders), *(f"{border}.dev0" for border in borders), "0", "9999"]
    return not any(both.contains(version, prereleases=True) for version in tried if _is_version(version))


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def _python(environment: Environment, root: Distribution) -> Check | None:
    try:
        fits = SpecifierSet(root.requires_python).contains(environment.number, prereleases=True)
    except InvalidSpecifier:
        return None
    if fits:
        return None
    return Check(
        root.name,
        "broken",
        f"{root.version} requires Python {root.requires_python}; this is {environment.number}",
        f"`import {_imported(root)}` fails",
        f"create an environment with a supported Python: python3.11 -m venv venv && venv/bin/pip install {root.name}",
    )


def _imported(one: Distribution) -> str:
    if one.name in TENSORFLOW:
        return "tensorflow"
    return {"keras-nightly": "keras", "tf-keras-nightly": "tf_keras"}.get(one.name, one.name.replace("-", "_"))
