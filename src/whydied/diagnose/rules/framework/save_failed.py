"""A model could not be saved.

## What it detects
A file name whose ending Keras does not save to; a layer whose configuration cannot be written, because it has no
`get_config` or keeps something there that is not a plain value.

## Why it happens
Keras 3 chooses the format by the ending of the name: `.keras`, `.h5`, `.weights.h5`. A model is saved as the
configuration of its layers, so each layer of the program's own has to tell the arguments of its constructor.

## Evidence
The exception with the name of the file or class; the constructor's parameters and the methods of the class, read from
its code.

## How it is proved
Keras states the reason: certain.

## Fix
The name with the right ending, or the missing `get_config`, stands in the advice.

## Known problems
None known.

## References
https://keras.io/guides/serialization_and_saving/
"""

from __future__ import annotations

import ast
import os
import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors import class_changes
from whydied.diagnose.errors.usage import class_named, links, method_place, place_of, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import ClassSeen, RaisedException
from whydied.source.assignments import assigned
from whydied.source.calls import bound_arguments, callee
from whydied.source.edits.call_edits import only_call
from whydied.source.edits.edit import Change
from whydied.source.edits.name_edits import attribute_name, replace_ending
from whydied.source.edits.programs import definition_edits as definitions
from whydied.source.trees import across
from whydied.texts import saving

_ENDING = (
    (saving.MODEL_ENDING.pattern, ".keras"),
    (saving.WEIGHTS_ENDING.pattern, ".weights.h5"),
    (saving.CHECKPOINT_WEIGHTS_ENDING.pattern, ".weights.h5"),
    (saving.CHECKPOINT_ENDING.pattern, ".keras"),
)
_PATH = saving.PATH_RECEIVED.pattern
_NO_CONFIG = saving.NO_CONFIG.pattern
_NO_CONFIG_2 = saving.NO_CONFIG_2.pattern
_BY_PARENT = (saving.PARENT_WITHOUT_CONFIG.pattern, saving.PARENT_WITHOUT_CONFIG_2.pattern)
_UNWRITABLE = (saving.UNWRITABLE.pattern, saving.UNWRITABLE_AS_JSON.pattern)
_ENDINGS = re.compile(r"(\.weights)?\.(h5|hdf5|keras|tf|pb|ckpt|model|weights|hd5|json|pkl)$")

_PLAIN = "A {} cannot be saved: return the plain values that make one, and make it from them."

ROLE = "explanation"
YIELDS_TO = ("load-failed",)


def check(case: Case) -> Finding | None:
    for link in reversed(links(case)):
        text = text_of(link)
        found = _wrong_ending(case, link, text) or _no_config(case, link, text) or _unwritable(case, link, text)
        if found is not None:
            return found
    return None


def _wrong_ending(case: Case, link: RaisedException, text: str) -> Finding | None:
    ending = next((ending for pattern, ending in _ENDING if pattern.search(text)), None)
    if ending is None:
        return None
    place = place_of(case)
    path = found[1] if (found := _PATH.search(text)) else ""
    right = _ENDINGS.sub("", path) + ending
    advice = [f'Write "{right}" instead of "{path}".']
    changes = _ended(case, path, right)
    exported = _exported(case, place) if ending == ".keras" else []
    if exported:
        advice.append(f'For a SavedModel, as TensorFlow Serving needs it, call `model.export("{path}")`.')
    what = "weights" if ending == ".weights.h5" else "a model"
    return Finding(
        message=f"{prefix(place)}{path} does not end in {ending}, which Keras requires for saving {what}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="file", name=path or None, near=[right]),
        evidence=[said(link)],
        advice=advice,
        changes=[*changes, *exported],
    )


def _ended(case: Case, path: str, right: str) -> list[Change]:
    """The path with its ending, wherever the program writes it: what saves and what loads it have the same."""
    old, new = os.path.basename(path), os.path.basename(right)
    edits = replace_ending(case.sources, old, new) if old else []
    return [Change(title=f"Write `{new}` instead of `{old}`", kind="file-name", edits=edits)] if edits else []


def _exported(case: Case, place: Location | None) -> list[Change]:
    """`export` instead of `save`, where the program itself does not load it again: `load_model` reads no export."""
    if any(callee(one) == "load_model" for _, one in across(case.sources, ast.Call)):
        return []
    call = only_call(case.sources, place.file, place.line, "save") if place is not None else None
    if call is None or place is None or not isinstance(call.func, ast.Attribute) or call.keywords:
        return []
    edit = attribute_name(case.sources[place.file], place.file, call.func, "export")
    return [Change(title="For TensorFlow Serving, export it", kind="api-name", edits=[edit])]


def _no_config(case: Case, link: RaisedException, text: str) -> Finding | None:
    bare = next((found for pattern in _BY_PARENT if (found := pattern.search(text))), None)
    named = bare or _NO_CONFIG.search(text) or _NO_CONFIG_2.search(text)
    if named is None:
        return None
    name = named[1]
    seen = class_named(case, name)
    call = place_of(case)
    place = (method_place(case, seen, "__init__") if seen else None) or call
    # What its parent has no configuration for, its own has to tell in full.
    of_parent = () if bare else ("name", "dtype", "trainable")
    takes = [word for word in seen.parameters if word not in of_parent] if seen else []
    objects = _own_objects(case, name)
    wants = f" ({', '.join(takes)})" if takes else ""
    saved = f", and is saved at {prefix(call)[:-2]}" if call and call != place else ""
    return Finding(
        message=f"{prefix(place)}{name} has no get_config for its constructor arguments{wants}{saved}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="class", name=name),
        evidence=[said(link), *_class_evidence(seen)],
        advice=[_config(name, takes, bare is None), *map(_PLAIN.format, [one.name for one in objects.values()][:1])],
        changes=class_changes.configure(case, name, takes, objects, extends=bare is None),
    )


def _own_objects(case: Case, name: str) -> dict[str, ast.ClassDef]:
    """The arguments of a class that the program gives an object of its own, of a class that cannot be saved."""
    plain = {
        node.name: node
        for _, node in across(case.sources, ast.ClassDef)
        if definitions.method_in(node, "get_config") is None
    }
    begun = definitions.method_in(plain[name], "__init__") if name in plain else None
    found: dict[str, ast.ClassDef] = {}
    for file, call in across(case.sources, ast.Call):
        given = bound_arguments(call, begun) if callee(call) == name and begun is not None else {}
        for parameter, value in given.items():
            values = (
                [one.value for one in assigned(value.id, case.sources[file].tree)]
                if isinstance(value, ast.Name)
                else []
            )
            for one in values or [value]:
                if isinstance(one, ast.Call) and callee(one) in plain:
                    found[parameter] = plain[callee(one)]
    return found


def _config(name: str, takes: list[str], extends: bool) -> str:
    pairs = ", ".join(f'"{word}": self.{word}' for word in takes) or ("…" if extends else "")
    known = "**super().get_config(), " if extends else ""
    return f"Give {name} a method: `def get_config(self): return {{{known}{pairs}}}`."


def _class_evidence(seen: ClassSeen | None) -> list[Evidence]:
    if seen is None:
        return []
    where = f"{seen.file}:{seen.line}"
    return [Evidence(fact=f"definition of {seen.name}", value=where, source="ClassSeen")]


def _unwritable(case: Case, link: RaisedException, text: str) -> Finding | None:
    named = next((found for pattern in _UNWRITABLE if (found := pattern.search(text))), None)
    if named is None:
        return None
    place = place_of(case)
    return Finding(
        message=f"{prefix(place)}the model's configuration contains an object of type {named[1]}, which cannot be "
        "saved",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="class", name=named[1]),
        evidence=[said(link)],
        advice=[
            f"Put plain values into `get_config` (numbers, strings, lists) and recreate the {named[1]} from them in "
            "`from_config` or `__init__`; or give its class its own `get_config` and `from_config`.",
        ],
    )
