"""A file of the program has the name of a library's module and was imported in its place.

## What it detects
An attribute or a name that a module does not have, where the module that was loaded is a file of the program, and the
standard library or an installed package has another one of that name. Also any exception that rises while a library
imports such a file, and `No module named 'tensorflow.keras'` below a file `keras.py` of the program.

## Why it happens
Python puts the directory of the script first on its path: a script called `numbers.py`, `code.py`, `random.py` or
`tensorflow.py` is what `import numbers` finds, also where a library asks for it.

## Evidence
The exception; the file of the module that was loaded, where the other one is, and who imported it: the frame of that
file is on the traceback.

## How it is proved
The loaded module is the program's own file, and another of that name exists: certain.

## Fix
Rename the file, and remove its `__pycache__`.

## Known problems
Packages of the program's own below the script's directory are seen by their directory only.

## References
tensorflow/tensorflow issues 40265, 49518, 54208; tensorflow/model-analysis issue 132.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import ModuleShadowed

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    raised = case.uncaught
    found = [one for one in case.records.all(ModuleShadowed) if raised and one.link < len(raised.chain)]
    if raised is None or not found:
        return None
    hidden = found[-1]
    link = raised.chain[hidden.link]
    place = case.locate(hidden.imported) if hidden.imported else case.locate_exception([link, *raised.chain])
    folder, _, name = hidden.file.rpartition("/")
    stem = hidden.module if name == "__init__.py" else name
    whose = hidden.meant if hidden.meant.startswith("the ") else f"a package ({hidden.meant})"
    asks = f", where {hidden.asked_by} imports it," if hidden.asked_by else ""
    return Finding(
        message=f"{prefix(place)}`import {hidden.module}`{asks} finds the program's own {stem} and not the module of "
        f"{whose}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="file", name=hidden.file),
        evidence=[
            *evidence_of(link, raised),
            Evidence(fact="the module that was loaded", value=hidden.file, source="ModuleShadowed"),
        ],
        advice=[f"Rename {stem} in {folder}: its name is that of a module which other code imports."],
    )
