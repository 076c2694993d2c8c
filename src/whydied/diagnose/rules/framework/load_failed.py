"""A saved model could not be loaded.

## What it detects
A file that is not there, or is not what its name says; a SavedModel or a TensorFlow checkpoint given to Keras 3; a
class of the program's own whose constructor does not take what its `get_config` gave; a Lambda layer with a Python
lambda, which Keras does not load unasked; a variable that a Saver does not find, because it was made a second time in
the same graph and TensorFlow numbered its name.

## Why it happens
The path or the format of an older version, or a constructor and a `get_config` that do not belong together.

## Evidence
The exception; what the file is by its first bytes; the constructor's parameters, read from its code; the lines that
made the two variables of one name.

## How it is proved
Keras states the reason, and the file or the class shows it: certain.

## Fix
See the advice of the finding.

## Known problems
None known.

## References
https://keras.io/guides/serialization_and_saving/
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import class_named, file_at, links, method_place, place_of, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import FileLooked, NamesakeFound, RaisedException
from whydied.texts import python_errors, saving
from whydied.texts.entry import any_of

_FILE = any_of(saving.LOADED_FROM, saving.LOADED_FROM_2)
_PLAIN_EXPORT = saving.PLAIN_EXPORT_2.pattern
_MISSING = python_errors.CONSTRUCTOR_MISSES.pattern
_UNEXPECTED = python_errors.CONSTRUCTOR_REFUSES.pattern
_READING = any_of(saving.NOT_DESERIALIZED, saving.CLASS_NOT_DESERIALIZED, saving.NOT_REVIVED)
_KEY = saving.KEY_NOT_IN_CHECKPOINT.pattern
_LAMBDA = any_of(saving.LAMBDA, saving.LAMBDA_2)
_EXPORT_ADVICE = [
    "To predict, load it with `tf.saved_model.load` and call its signature.",
    "To continue training, save the model itself: `model.save`.",
]
_CONTENT = {
    "zip": "a Keras 3 file (.keras)",
    "hdf5": "an HDF5 file (.h5)",
    "saved_model": "a TensorFlow SavedModel directory",
    "checkpoint": "a TensorFlow checkpoint",
    "directory": "a directory",
    "empty": "an empty file",
    "other": "neither a .keras nor an HDF5 file",
}

ROLE = "explanation"
YIELDS_TO = ("custom-object-missing",)


def check(case: Case) -> Finding | None:
    all_links = links(case)
    reading = any(_READING.search(text_of(link)) for link in all_links)
    for link in reversed(all_links):
        text = text_of(link)
        found = _file(case, link, text) or _lambda(case, link, text) or _second_graph(case, link, text)
        if found is None and reading:
            found = _constructor(case, link, text)
        if found is not None:
            return found
    return None


def _file(case: Case, link: RaisedException, text: str) -> Finding | None:
    named = _FILE.search(text)
    if named is None:
        return None
    path, place = named[1] or named[2], place_of(case)
    seen = file_at(case, path)
    content = seen.content if seen is not None else ""
    words = f"{path} is {_CONTENT[content]}" if content else f"no such file: {path}"
    if _PLAIN_EXPORT.search(text):
        words += ", which was not saved by Keras and does not contain a Keras model"
    elif content in ("zip", "hdf5", "saved_model", "checkpoint", "directory"):
        words += ", which Keras does not load under that name"
    evidence = [said(link)]
    if seen is not None:
        fact = f"what {path} is"
        evidence.append(Evidence(fact=fact, value=_CONTENT.get(content, "missing"), source="FileLooked"))
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain" if seen is not None else "likely",
        location=place,
        culprit=Culprit(kind="file", name=path, near=seen.near if seen else []),
        evidence=evidence,
        advice=_EXPORT_ADVICE if _PLAIN_EXPORT.search(text) else _file_advice(path, seen),
    )


def _file_advice(path: str, seen: FileLooked | None) -> list[str]:
    content = seen.content if seen is not None else ""
    stem = re.sub(r"\.\w+$", "", path)
    if content == "saved_model":
        return [
            f'To predict, wrap it: `keras.layers.TFSMLayer("{path}", call_endpoint="serving_default")`.',
            "To continue training, load it with Keras 2 (`pip install tf_keras`, `TF_USE_LEGACY_KERAS=1`) and save "
            "it as "
            ".keras.",
        ]
    if content == "checkpoint":
        return [f'Read it with `tf.train.Checkpoint(model=model).restore("{path}")`.']
    if content == "hdf5":
        return [f'Rename it to "{stem}.h5".']
    if content == "zip":
        return [f'Rename it to "{stem}.keras".']
    if content == "" and seen is not None and seen.near:
        return [f"Did you mean {' or '.join(seen.near[:3])}?"]
    return []


def _second_graph(case: Case, link: RaisedException, text: str) -> Finding | None:
    """A variable that the program made a second time in one graph, so that its name got a number."""
    missing = _KEY.search(text)
    seen = (
        [one for one in case.principal.all(NamesakeFound) if missing and one.name == missing["key"]]
        if case.principal
        else []
    )
    if not seen:
        return None
    found = seen[-1]
    differing = next(
        (at for at, pair in enumerate(zip(found.frames[::-1], found.first[::-1], strict=False)) if pair[0] != pair[1]),
        0,
    )
    frame = found.frames[::-1][differing] if found.frames else None
    first = found.first[::-1][differing] if differing < len(found.first) else None
    place = case.locate(frame) if frame is not None else place_of(case)
    words = (
        f"the variable `{found.namesake}` is made a second time in the same graph and is called `{found.name}` there, "
    )
    words += f"which the checkpoint does not have{f'; first made on {line_words(first)}' if first else ''}"
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="variable", name=found.name, near=[found.namesake]),
        evidence=[said(link)],
        advice=[
            "Begin a new graph before this line, with `tf.compat.v1.reset_default_graph()` or `with "
            "tf.Graph().as_default():`, or use the variables that are there."
        ],
    )


def _lambda(case: Case, link: RaisedException, text: str) -> Finding | None:
    if not _LAMBDA.search(text):
        return None
    place = place_of(case)
    return Finding(
        message=f"{prefix(place)}the saved model has a Lambda layer made of a Python lambda, which Keras does not "
        "load by default, because it is code",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="layer", name="Lambda"),
        evidence=[said(link)],
        advice=[
            "If the file is your own, pass `safe_mode=False` to `load_model`.",
            "Better: replace the lambda by your own layer class, or by a function registered with "
            "`@keras.saving.register_keras_serializable()`.",
        ],
    )


def _constructor(case: Case, link: RaisedException, text: str) -> Finding | None:
    lacking, refused = _MISSING.search(text), _UNEXPECTED.search(text)
    named = lacking or refused
    if named is None:
        return None
    name = named[1]
    seen = class_named(case, name)
    call = place_of(case)
    if lacking:
        wanted = re.findall(r"'(\w+)'", lacking[2])
        method = "get_config" if seen and "get_config" in seen.methods else "__init__"
        words = f"get_config of {name} does not return {' and '.join(wanted)}, which its constructor needs"
        pairs = ", ".join(f'"{word}": self.{word}' for word in wanted)
        advice = f"Let it return them: `return {{**super().get_config(), {pairs}}}`."
    else:
        method = "__init__"
        words = f"the constructor of {name} does not take {named[2]}, which its saved configuration has"
        advice = "Let `__init__` accept `**kwargs` and pass them on: `super().__init__(**kwargs)`."
    place = (method_place(case, seen, method) if seen else None) or call
    loaded = f"; the model is loaded at {prefix(call)[:-2]}" if call and call != place else ""
    return Finding(
        message=f"{prefix(place)}{words}{loaded}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="class", name=name),
        evidence=[said(link)],
        advice=[advice],
    )
