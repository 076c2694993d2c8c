"""A package that the program, or a library that it uses, needs is not installed.

## What it detects
A `ModuleNotFoundError`, an `ImportError` of a library that can do without a package until it is asked for something
that needs it (`plot_model` and pydot, `load_img` and Pillow, HDF5 files and h5py), and a library of the system that
cannot be loaded.

## Why it happens
The package was never installed, or was installed for another Python. Its name often differs from that of its module:
`cv2` is opencv-python, `sklearn` is scikit-learn, `PIL` is Pillow.

## Evidence
The exception; the interpreter; the library that asked, and the `try` in its source in which the import failed; a file
of that name around the program; packages of another Python that have it.

## How it is proved
That the module cannot be found is certain. The name of its package is known for common ones; for others it is taken to
be the same: likely.

## Fix
The command that installs it for the interpreter of the run.

## Known problems
A module of the program's own that is not found is recognised by a file of its name around the program.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.environment.unmet_requirements import pip
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.records import PackageMissing, RaisedException

_BACKENDS = ("tensorflow", "jax", "torch")

ROLE = "explanation"
YIELDS_TO = ("api-removed",)


def check(case: Case) -> Finding | None:
    raised = case.uncaught
    found = [one for one in case.records.all(PackageMissing) if raised and one.link < len(raised.chain)]
    if raised is None or not found:
        return None
    # The innermost says what was missing first.
    missing = max(found, key=lambda one: one.link)
    link = raised.chain[missing.link]
    if _is_misspelt(missing, link):
        return None
    place = case.locate_exception([link, *raised.chain])
    return Finding(
        message=f"{prefix(place)}{_words(missing)}",
        certainty=_certainty(missing),
        location=place,
        culprit=Culprit(kind="package", name=missing.package or missing.module),
        evidence=[*evidence_of(link, raised), *_facts(missing)],
        advice=_advice(missing),
    )


def _is_misspelt(missing: PackageMissing, link: RaisedException) -> bool:
    """Whether a name is near that can be imported, and no package is known by the one that was written."""
    return bool(link.near) and not (missing.package or missing.note or missing.system or missing.wanted_by)


def _certainty(missing: PackageMissing) -> Certainty:
    told = (missing.package, missing.note, missing.system, missing.nearby, missing.elsewhere)
    return "certain" if any(told) or _is_backend(missing) else "likely"


def _words(missing: PackageMissing) -> str:
    module = f"`{missing.module}`"
    if missing.module == "dot":
        return f"{_library(missing)} needs Graphviz, and its program {module} is not on the PATH"
    if missing.system:
        return f"the system's library {module} is not installed"
    if _is_backend(missing):
        chosen = f"KERAS_BACKEND is {missing.backend}" if missing.backend else "Keras computes with TensorFlow"
        return f"{chosen}, and {module} is not installed"
    needs = f"{_library(missing)} needs {module}, which is" if missing.wanted_by else f"{module} is"
    version = f" for this Python ({missing.version})" if missing.version else ""
    if missing.nearby and not missing.package and not missing.wanted_by:
        return f"{needs} not found: {missing.nearby} is not in a directory that Python searches"
    package = f"; its package is {missing.package}" if _differs(missing) else ""
    return f"{needs} not installed{version}{package}"


def _library(missing: PackageMissing) -> str:
    return {"keras": "Keras", "tf_keras": "Keras 2", "tensorflow": "TensorFlow"}.get(
        missing.wanted_by, missing.wanted_by or "the program"
    )


def _is_backend(missing: PackageMissing) -> bool:
    return missing.wanted_by == "keras" and missing.module in _BACKENDS


def _differs(missing: PackageMissing) -> bool:
    return bool(missing.package) and missing.package.replace("-", "_").lower() != missing.module.lower()


def _facts(missing: PackageMissing) -> list[Evidence]:
    facts = {"the interpreter": missing.python, "another Python has it in": missing.elsewhere}
    return [Evidence(fact=fact, value=value, source="PackageMissing") for fact, value in facts.items() if value]


def _advice(missing: PackageMissing) -> list[str]:
    install = f"`{pip(missing.python)} install {missing.package or missing.module}`"
    if missing.note:
        return [f"{missing.note[0].upper()}{missing.note[1:]}."]
    if missing.module == "dot":
        return ["Install Graphviz itself (apt install graphviz, conda install graphviz): pip's package only calls it."]
    if missing.system:
        instead = f", or a package that does without it: {install}" if missing.package else ""
        return [f"Install it: `apt install {missing.system}`{instead}."]
    if _is_backend(missing):
        others = " or ".join(name for name in _BACKENDS if name != missing.module)
        return [f"Install it: {install}; or set KERAS_BACKEND to {others}, if that is installed."]
    if missing.nearby and not missing.package and not missing.wanted_by:
        return [f"Run it with PYTHONPATH={missing.nearby.rpartition('/')[0]}."]
    if missing.elsewhere:
        return [f"Install it for this Python: {install}; another one has it in {missing.elsewhere}."]
    if not missing.package and not missing.wanted_by:
        return [f"If it is a package: {install} (its name may differ from the module's)."]
    return [f"Install it: {install}."]
