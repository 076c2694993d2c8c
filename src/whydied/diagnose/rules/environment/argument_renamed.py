"""The program passes an argument that the installed library calls otherwise, or no longer takes.

## What it detects
Arguments of older versions: `lr`, `nb_epoch`, `keep_dims`, `border_mode`, `fit(workers=…)`; of pandas, scikit-learn,
NumPy, SciPy and Matplotlib too, with values that were renamed (`loss='log'`) and what is taken by name alone now
(`frame.drop("a", 1)`).

## Why it happens
The program was written for an older version of the library.

## Evidence
The refused argument, and its new name: from `tensorflow.tools.compatibility` where that knows it, else from a table of
ours; the new name is a parameter of what was called, read from its signature in the installed version.

## How it is proved
The library refused the argument, and what was called has the new one: certain.

## Fix
The statement written anew stands in the advice.

## Known problems
An argument that no table knows stays an uncaught exception with the nearest parameter.

## References
https://www.tensorflow.org/guide/migrate
https://keras.io/guides/migrating_to_keras_3/
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.old_code_changes import old_code_changes
from whydied.diagnose.errors.usage import missed, place_of, root_link, said
from whydied.diagnose.finding import Culprit, Finding
from whydied.diagnose.rules.environment.api_removed import installed, known

ROLE = "explanation"
YIELDS_TO = ("api-removed",)


def check(case: Case) -> Finding | None:
    found, link = missed(case), root_link(case)
    if found is None or link is None or found.kind not in ("argument", "value"):
        return None
    place = place_of(case)
    now = f"it is {found.new[0]} now" if found.new else found.note or "it has no replacement"
    changes = old_code_changes(case, found)
    advice = [f"Write `{found.change}`."] if found.change else []
    if found.former or found.by_position:
        advice = [f"{change.title}." for change in changes]
    if not advice and found.new:
        advice = [f"Pass {found.new[0]} instead of {found.old}."]
    if not found.new and not advice:
        advice = [f"Drop {found.old}{f': {found.note}' if found.note else ''}."]
    elif found.note:
        advice.append(f"{found.note[0].upper()}{found.note[1:]}.")
    words = f"takes no argument {found.old} in {installed(found)}; {now}"
    if found.by_position:
        words = f"takes {words_of(found.by_position)} by name only in {installed(found)}"
    elif found.kind == "value":
        words = f"no longer takes that value for {found.old} in {installed(found)}; {now}"
    return Finding(
        message=f"{prefix(place)}{found.callee} {words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="argument", name=found.old, near=found.new),
        evidence=[said(link), known(found)],
        advice=advice,
        changes=changes,
    )


def words_of(names: list[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)
