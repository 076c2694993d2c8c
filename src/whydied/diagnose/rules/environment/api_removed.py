"""The program uses a name that the installed library no longer has.

## What it detects
A function, class, module or method of TensorFlow, Keras, NumPy, pandas, scikit-learn, SciPy or Matplotlib that older
versions had: `tf.Session`, `keras.layers.core`, `model.fit_generator`, `np.float`, `frame.append`, `cross_validation`.

## Why it happens
The program was written for an older version: TensorFlow 1, Keras 1 or 2, NumPy before 1.24 or 2,
pandas before 2 or 3.

## Evidence
The missing name as the source writes it, and what it is called now. That comes from the installed version's own tables
where they exist (`tensorflow.tools.compatibility`, `tf.compat.v1`, NumPy's former attributes, what `tf.keras` keeps of
Keras 2), else from a table of ours. Every new name was looked up in the installed package.

## How it is proved
The name is missing in the installed version, and a table knows that an older one had it: certain.

## Fix
The statement written anew stands in the advice.

## Known problems
A name that no table knows stays an uncaught exception with the nearest name that exists. A new name may take other
arguments than the old one did.

## References
https://www.tensorflow.org/guide/migrate
https://keras.io/guides/migrating_to_keras_3/
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.old_code_changes import needs_graph, old_code_changes
from whydied.diagnose.errors.usage import missed, place_of, root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import ApiMissed
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.old_code_edits import uses_keras
from whydied.source.former.table import LIBRARIES

_NAMES = {
    "tensorflow": "TensorFlow",
    "keras": "Keras",
    "numpy": "NumPy",
    "sklearn": "scikit-learn",
    "scipy": "SciPy",
    "matplotlib": "Matplotlib",
}
_V1 = "tf.compat.v1."
_AS_IT_IS = (
    "To run a whole TensorFlow 1 program as it is, use `import tensorflow.compat.v1 as tf` and "
    "`tf.disable_v2_behavior()` as its first lines."
)

ROLE = "explanation"
YIELDS_TO = ("known-bug",)


def check(case: Case) -> Finding | None:
    found, link = missed(case), root_link(case)
    if found is None or link is None or found.kind in ("argument", "value"):
        return None
    place = place_of(case)
    who = f"the package {found.user_of} uses " if found.user_of else ""
    as_it_is = not uses_keras(case.sources) and found.library not in LIBRARIES
    now = f"it is {_choice(found.new)} now" if found.new else found.note or "it has no replacement"
    changes = old_code_changes(case, found)
    return Finding(
        message=f"{prefix(place)}{who}{found.old} {'which ' if who else ''}is not in {installed(found)}; {now}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind=found.kind, name=found.written or found.old, near=found.new),
        evidence=[said(link), known(found)],
        advice=_advice(found, as_it_is, changes),
        changes=changes,
    )


def installed(found: ApiMissed) -> str:
    return f"{_NAMES.get(found.library, found.library)} {found.version}".strip()


def known(found: ApiMissed) -> Evidence:
    words = ", ".join(found.new) if found.new else "gone"
    return Evidence(fact=f"{found.old} by {found.known_from}", value=words, source="ApiMissed")


def _choice(names: list[str]) -> str:
    return " or ".join(names[:2])


def _advice(found: ApiMissed, as_it_is: bool, changes: list[Change]) -> list[str]:
    if found.user_of:
        return [f"Install a version of {found.user_of} that supports {installed(found)}."]
    if needs_graph(found) and as_it_is:
        return [f"{_AS_IT_IS} `{found.new[0]}` alone would need a graph around it."]
    words: list[str] = []
    if found.former and changes:
        words += [f"{change.title}." for change in changes]
    elif found.change:
        words.append(f"Write `{'; '.join(found.change.splitlines())}`.")
    elif found.new:
        words.append(f"Write {found.new[0]} instead of {found.old}.")
        if ".layers." in found.new[0] and found.new[0].rpartition(".")[2][:1].isupper():
            words.append(f"It creates a layer, which is then called on the input: `{found.new[0]}(…)(x)`.")
    if found.note:
        words.append(f"{found.note[0].upper()}{found.note[1:].rstrip('.')}.")
    if as_it_is and any(_V1 in f"{name}." for name in found.new[:1]):
        words.append(_AS_IT_IS)
    return words
