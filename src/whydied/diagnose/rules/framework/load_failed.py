"""A saved model could not be loaded.

## What it detects
A file that is not there, or is not what its name says; a SavedModel or a TensorFlow checkpoint given to Keras 3; a
class of the program's own whose constructor does not take what its `get_config` gave; a Lambda layer with a Python
lambda, which Keras does not load unasked, or which misses the names of its file once it is loaded; a variable that a
Saver does not find, because it was made a second time in the same graph and TensorFlow numbered its name.

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

import ast
import os
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors import class_changes
from whydied.diagnose.errors.advice import Advice
from whydied.diagnose.errors.session_error import v1
from whydied.diagnose.errors.usage import class_named, file_at, links, method_place, place_of, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import FileLooked, Frame, NamesakeFound, RaisedException
from whydied.source.calls import callee
from whydied.source.edits.call_edits import only_call, set_argument
from whydied.source.edits.edit import Change, line_before, over, written_in
from whydied.source.edits.name_edits import replace_text
from whydied.source.edits.programs.lambda_edits import LayerLambda, as_function, layer_lambdas
from whydied.source.training.session_calls import in_graph_block
from whydied.source.trees import across, walk, written
from whydied.texts import python_errors, saving
from whydied.texts.entry import any_of

_FILE = any_of(saving.LOADED_FROM, saving.LOADED_FROM_2)
_PLAIN_EXPORT = saving.PLAIN_EXPORT_2.pattern
_MISSING = python_errors.CONSTRUCTOR_MISSES.pattern
_UNEXPECTED = python_errors.CONSTRUCTOR_REFUSES.pattern
_READING = any_of(saving.NOT_DESERIALIZED, saving.CLASS_NOT_DESERIALIZED, saving.NOT_REVIVED)
_KEY = saving.KEY_NOT_IN_CHECKPOINT.pattern
_LAMBDA = any_of(saving.LAMBDA, saving.LAMBDA_2)
_OF_EVERY_LAYER = ("name", "trainable", "dtype", "activity_regularizer", "batch_input_shape", "batch_shape", "autocast")
_OF_MODELS = ("fit", "evaluate", "predict", "summary", "compile", "save")
_EXPORT_ADVICE = [
    "To predict, load it with `tf.saved_model.load` and call its signature.",
    "To continue training, save the model itself: `model.save`.",
]
_AS_FUNCTION = (
    "Replace the lambda by your own layer class, or by a function registered with "
    "`@keras.saving.register_keras_serializable()`, and save the model again."
)
_LOADED_CODE = "code that was loaded from a file"
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
        found = (
            _file(case, link, text)
            or _lambda(case, link, text)
            or _loaded_code(case, link)
            or _second_graph(case, link, text)
        )
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
    by_ending = saving.FORMAT_REFUSED.pattern.search(text) is not None
    exports = _exports(case)
    exported = not content and _is_exported(case, place)
    if exported or (not content and by_ending and len(exports) == 1):
        # A temporary directory is gone by now.
        content = "saved_model"
    words = f"{path} is {_CONTENT[content]}" if content else f"no such file: {path}"
    if by_ending and not content:
        # Whether there was such a file, Keras did not ask: it looks at the ending first.
        words = f"{path} has no ending that Keras loads"
    if _PLAIN_EXPORT.search(text):
        words += ", which was not saved by Keras and does not contain a Keras model"
    elif content in ("zip", "hdf5", "saved_model", "checkpoint", "directory"):
        words += ", which Keras does not load under that name"
    evidence = [said(link)]
    if seen is not None:
        fact = f"what {path} is"
        source = "FileLooked" if seen.content else "the source"
        missing = "no longer there" if by_ending else "missing"
        evidence.append(Evidence(fact=fact, value=_CONTENT.get(content, missing), source=source))
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain" if seen is not None and (seen.content or exported or not by_ending) else "likely",
        location=place,
        culprit=Culprit(kind="file", name=path, near=seen.near if seen else []),
        evidence=evidence,
        advice=_EXPORT_ADVICE
        if _PLAIN_EXPORT.search(text)
        else [*_saved_instead(exports, content), *_file_advice(path, seen, content)],
        changes=_file_changes(case, path, seen, content, place),
    )


def _file_changes(case: Case, path: str, seen: FileLooked | None, content: str, place: Location | None) -> list[Change]:
    if content == "saved_model":
        return _as_layer(case, place)
    return _near_file(case, path, seen) if not content else []


def _exports(case: Case) -> list[tuple[str, ast.Call]]:
    """The calls of the program that write a SavedModel."""
    return [
        (file, call)
        for file, call in across(case.project, ast.Call)
        if callee(call) == "export" or written(call.func).endswith("saved_model.save")
    ]


def _saved_instead(exports: list[tuple[str, ast.Call]], content: str) -> list[str]:
    """What the program itself exports it can save as Keras loads it."""
    if content != "saved_model" or len(exports) != 1 or callee(exports[0][1]) != "export":
        return []
    file, call = exports[0]
    at = Frame(file=file, line=call.lineno, function="", user=True)
    model = written(call.func).rpartition(".")[0]
    return [
        f"To load it as a model again, save it with `{model}.save(…)` under a name that ends in .keras instead of "
        f"`{written(call)}` ({line_words(at)}), and load that."
    ]


def _is_exported(case: Case, place: Location | None) -> bool:
    """Whether the program writes a SavedModel to what it loads, by the same words."""
    call = only_call(case.sources, place.file, place.line, "load_model") if place is not None else None
    if call is None or place is None or not call.args:
        return False
    wanted = written(call.args[0])
    written_to = [
        one.args[-1]
        for one in walk(case.sources[place.file].tree, ast.Call)
        if one.args and (callee(one) == "export" or written(one.func).endswith("saved_model.save"))
    ]
    return any(written(one) == wanted for one in written_to)


def _as_layer(case: Case, place: Location | None) -> list[Change]:
    """The loading call as a layer that predicts, where the result is used as nothing more than that."""
    call = only_call(case.sources, place.file, place.line, "load_model") if place is not None else None
    keras = re.sub(r"\.?(models|saving)\.load_model$", "", written(call.func)) if call is not None else ""
    if call is None or place is None or not keras.endswith("keras") or len(call.args) != 1 or call.keywords:
        return []
    source = case.sources[place.file]
    if any(callee(one) in _OF_MODELS for one in walk(source.tree, ast.Call) if one.lineno > place.line):
        return []
    new = f'{keras}.layers.TFSMLayer({written_in(source, call.args[0])}, call_endpoint="serving_default")'
    edit = over(source, place.file, call, new)
    return [Change(title="Load it as a layer that predicts", kind="call", edits=[edit])]


def _near_file(case: Case, path: str, seen: FileLooked | None) -> list[Change]:
    """The nearest file that exists, where only its last name differs."""
    near = seen.near[0] if seen is not None and seen.near else ""
    old, new = os.path.basename(path), os.path.basename(near)
    edits = replace_text(case.sources, old, new) if near and old != new else []
    return [Change(title=f"Write `{new}` instead of `{old}`", kind="near-name", edits=edits)] if edits else []


def _file_advice(path: str, seen: FileLooked | None, content: str) -> list[str]:
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
        changes=_reset(case, place),
    )


def _reset(case: Case, place: Location | None) -> list[Change]:
    """A new default graph right before a line that is in no block of a session or graph."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None or in_graph_block(source, place.line):
        return []
    text = v1(case, "reset_default_graph()")
    return [
        Change(
            title=f"Call `{text}` first", kind="statement", edits=[line_before(source, place.file, place.line, text)]
        )
    ]


def _lambda(case: Case, link: RaisedException, text: str) -> Finding | None:
    """A lambda that is not loaded unasked. One that needs names of its file does not work once it is loaded, either."""
    if not _LAMBDA.search(text):
        return None
    place = place_of(case)
    written_ones = layer_lambdas(case.project)
    needed = sorted({name for one in written_ones for name in one.needed})
    functions = _as_functions(case, written_ones)
    words = (
        "the saved model has a Lambda layer made of a Python lambda, which Keras does not load by default, because it "
    )
    words += "is code"
    advice = ["If the file is your own, pass `safe_mode=False` to `load_model`."]
    changes = _unsafe(case, place)
    if needed:
        one = written_ones[0]
        place = case.locate(Frame(file=one.file, line=one.layer.lineno, function="", user=True))
        names = " and ".join(f"`{name}`" for name in needed[:3])
        words += f"; with `safe_mode=False` it would miss {names}, which code out of a saved model does not see"
        advice, changes = [], []
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="layer", name="Lambda"),
        evidence=[said(link)],
        advice=[*advice, *(functions.sentences or [_AS_FUNCTION])],
        changes=[*changes, *functions.changes],
    )


def _as_functions(case: Case, lambdas: list[LayerLambda]) -> Advice:
    edits = [as_function(case.project, one) for one in lambdas]
    if len(edits) != 1 or not edits[0]:
        return Advice([], [])
    text = next(edit.text for edit in edits[0] if "def " in edit.text)
    shown = text.strip().splitlines()[1].removeprefix("def ").rstrip(":")
    words = f"Make the lambda a function of its file, `{shown}`, registered with "
    words += f"`{text.splitlines()[0]}`, and save the model again."
    title = "Make the lambda a registered function"
    return Advice([words], [Change(title=title, kind="definition", edits=edits[0])])


def _loaded_code(case: Case, link: RaisedException) -> Finding | None:
    """A lambda that was saved with a model and misses a name of the file that it was written in."""
    if link.type != "NameError" or link.wanted_in != _LOADED_CODE or not link.wanted:
        return None
    frames = [frame for frame in link.frames if frame.user]
    lambdas = [one for one in layer_lambdas(case.project) if link.wanted in one.needed]
    place = case.locate(frames[-1]) if frames else place_of(case)
    functions = _as_functions(case, lambdas)
    return Finding(
        message=f"{prefix(place)}the lambda of this layer was saved with the model and loaded again as code, which "
        f"does not see what its file imported: `{link.wanted}`",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="name", name=link.wanted),
        evidence=[said(link)],
        advice=functions.sentences or [_AS_FUNCTION],
        changes=functions.changes,
    )


def _unsafe(case: Case, place: Location | None) -> list[Change]:
    call = only_call(case.sources, place.file, place.line, "load_model") if place is not None else None
    if call is None or place is None:
        return []
    edit = set_argument(case.sources[place.file], place.file, call, "safe_mode", None, "False")
    title = "If the file is your own, pass `safe_mode=False`"
    return [Change(title=title, kind="argument", edits=[edit])] if edit is not None else []


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
        changes = class_changes.configure(case, name, wanted)
    else:
        method = "__init__"
        words = f"the constructor of {name} does not take {named[2]}, which its saved configuration has"
        dropped = class_changes.leave_out_of_configuration(case, name, named[2])
        if dropped is not None and seen is not None and not seen.parent_takes_any:
            frame, changes = dropped
            words += f"; get_config puts it there on {line_words(frame)}"
            advice = f'Leave "{named[2]}" out of what `get_config` returns, or let `__init__` take it.'
        elif named[2] in _OF_EVERY_LAYER:
            advice = "Let `__init__` accept `**kwargs` and pass them on: `super().__init__(**kwargs)`."
            changes = class_changes.pass_keywords_on(case, name)
        else:
            advice = f"Let `__init__` take `{named[2]}`, or leave it out of what `get_config` returns."
            changes = []
    place = (method_place(case, seen, method) if seen else None) or call
    loaded = f"; the model is loaded at {prefix(call)[:-2]}" if call and call != place else ""
    return Finding(
        message=f"{prefix(place)}{words}{loaded}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="class", name=name),
        evidence=[said(link)],
        advice=[advice],
        changes=changes,
    )
