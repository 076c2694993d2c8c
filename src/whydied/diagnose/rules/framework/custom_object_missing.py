"""A model was loaded that uses a class or function which Keras was not told of.

## What it detects
`load_model`, `model_from_json` and `from_config` of a model with a layer, loss, metric, activation or other function
of the program's own, without `custom_objects` and without registration.

## Why it happens
A saved model has only the names of its parts. Keras finds its own by name, and those of the program's only if it is
told: by `custom_objects`, or by `@keras.saving.register_keras_serializable()` before loading.

## Evidence
The name that Keras looked for, from its message; whether the program has a class or function of that name, and where.

## How it is proved
Keras says which name it does not know: certain.

## Fix
Pass `custom_objects`, or register the class where it is defined and import that module before loading. A model that is
only used to predict may be loaded with `compile=False`, which needs no loss and no metric.

## Known problems
Where the program has nothing of that name, the file was written by another program: its definition is needed.

## References
https://keras.io/guides/serialization_and_saving/
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.usage import class_named, links, place_of, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.texts import saving

_LOCATE = saving.NOT_LOCATED.pattern
_OF_TYPE = saving.NOT_LOCATED_2.pattern
_UNKNOWN = saving.UNKNOWN.pattern

ROLE = "explanation"
YIELDS_TO = ("layer-misuse",)


def check(case: Case) -> Finding | None:
    for link in reversed(links(case)):
        text = text_of(link)
        found = _LOCATE.search(text) or _UNKNOWN.search(text) or _OF_TYPE.search(text)
        if found is None:
            continue
        kind, name = found["kind"], found["name"].rpartition(">")[2]
        place = place_of(case)
        seen = class_named(case, name)
        here = f"; the program defines it at {seen.file.rsplit('/', 1)[-1]}:{seen.line}" if seen else ""
        evidence = [said(link)]
        if seen is not None:
            where = f"{seen.file}:{seen.line}"
            evidence.append(Evidence(fact=f"definition of {name}", value=where, source="ClassSeen"))
        return Finding(
            message=f"{prefix(place)}the saved model uses the {kind} {name}, which Keras does not know{here}",
            certainty="certain",
            location=place,
            culprit=Culprit(kind="class" if kind in ("class", "layer") else "function", name=name),
            evidence=evidence,
            advice=_advice(name, kind, seen is not None),
        )
    return None


def _advice(name: str, kind: str, known: bool) -> list[str]:
    words = []
    if not known:
        words.append(f"Import or define {name} first: the program that saved the model had it.")
    words.append(f'Pass `custom_objects={{"{name}": {name}}}` to the loading call.')
    words.append(f"Or put `@keras.saving.register_keras_serializable()` above {name}, before saving and loading.")
    if "loss" in kind or "metric" in kind or kind == "function":
        words.append("For prediction only, `compile=False` loads it without loss and metrics.")
    return words
