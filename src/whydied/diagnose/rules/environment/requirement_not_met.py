"""An installed package has another version than the package that imports it requires.

## What it detects
An exception during the import of a library, where a package that took part in it is missing or has a version that the
metadata of the importing package exclude.

## Why it happens
pip installs one package at a time: a later `pip install` changes a version that an earlier package relied on, and only
warns of it. conda and pip in one environment, or a requirements file without upper bounds, do the same.

## Evidence
The metadata (`Requires-Dist`) of the packages on the traceback, the installed versions, the exception.

## How it is proved
The requirement is not met and the package is on the traceback or is named by the exception: likely. That another
version helps is known only when it was tried.

## Fix
Install a version that is required: the command is given for the interpreter of the run.

## Known problems
Requirements are what the authors declared: a version outside of them may work. Packages that were installed without
metadata are not seen.

## References
tensorflow/tensorflow issues 94030, 109469; `whydied doctor` shows all requirements of an environment.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.environment.unmet_requirements import unmet_in
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.finding import Culprit, Evidence, Finding

ROLE = "explanation"
YIELDS_TO = ("abi-mismatch", "package-missing", "api-removed")


def check(case: Case) -> Finding | None:
    raised, unmet = case.uncaught, unmet_in(case)
    if raised is None or not unmet:
        return None
    first = unmet[0]
    link = raised.chain[first.link]
    place = case.locate_exception([link, *raised.chain])
    return Finding(
        message=f"{prefix(place)}{first.words}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="package", name=first.name, value=first.found or None),
        evidence=[
            *evidence_of(link, raised),
            *(Evidence(fact="also not met", value=other.words, source="PackagesSeen") for other in unmet[1:3]),
        ],
        advice=[f"Install a version that fits: {first.command}"],
    )
