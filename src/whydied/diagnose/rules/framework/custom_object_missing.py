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

import ast

import msgspec

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors import class_changes
from whydied.diagnose.errors.usage import class_named, links, place_of, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import only_call, set_argument
from whydied.source.edits.edit import Change, Edit, end_of
from whydied.source.edits.import_edits import module_names
from whydied.source.edits.programs.definition_edits import decorate
from whydied.source.trees import across, walk, written
from whydied.texts import saving

_LOCATE = saving.NOT_LOCATED.pattern
_OF_TYPE = saving.NOT_LOCATED_2.pattern
_UNKNOWN = saving.UNKNOWN.pattern

_LOADERS = ("load_model", "model_from_json", "from_config", "model_from_config", "deserialize")
_TRAINING = ("fit", "evaluate", "train_on_batch", "test_on_batch")

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
        defined = class_changes.owner_of(case, name)
        line = defined[2].lineno if defined is not None else seen.line if seen is not None else 0
        here = f"; the program defines it at {seen.file.rsplit('/', 1)[-1]}:{line}" if seen else ""
        evidence = [said(link)]
        if seen is not None:
            where = f"{seen.file}:{line}"
            evidence.append(Evidence(fact=f"definition of {name}", value=where, source="ClassSeen"))
        return Finding(
            message=f"{prefix(place)}the saved model uses the {kind} {name}, which Keras does not know{here}",
            certainty="certain",
            location=place,
            culprit=Culprit(kind="class" if kind in ("class", "layer") else "function", name=name),
            evidence=evidence,
            advice=[*_advice(name, kind, seen is not None, _is_inner(case, name)), *_constructor(case, name)],
            changes=[
                *_with_constructor(case, name, [*_told(case, name, place), *_registered(case, name)]),
                *(_for_prediction(case, place) if _is_of_training(kind) else []),
            ],
        )
    return None


def _constructor(case: Case, name: str) -> list[str]:
    """What fails next: the constructor of a layer that does not take what Keras saves of every layer."""
    if not _is_closed(case, name):
        return []
    return [
        f"Let `__init__` of {name} take `**kwargs`, too, and pass them on, `super().__init__(**kwargs)`: loading gives "
        "it `name`, `trainable` and `dtype`."
    ]


def _is_closed(case: Case, name: str) -> bool:
    found = class_changes.owner_of(case, name)
    if found is None or not any(written(base).endswith("Layer") for base in found[2].bases):
        return False
    methods = {one.name: one for one in found[2].body if isinstance(one, ast.FunctionDef)}
    begun = methods.get("__init__")
    return begun is not None and begun.args.kwarg is None and not {"get_config", "from_config"} & set(methods)


def _with_constructor(case: Case, name: str, changes: list[Change]) -> list[Change]:
    more = class_changes.pass_keywords_on(case, name) if _is_closed(case, name) else []
    edits = more[0].edits if more else []
    return [msgspec.structs.replace(one, edits=[*one.edits, *edits]) for one in changes]


def _is_inner(case: Case, name: str) -> bool:
    """Whether the program defines it only within a function, where the loading call cannot name it."""
    every = [node for _, node in across(case.sources, (ast.ClassDef, ast.FunctionDef)) if _named(node) == name]
    return bool(every) and not any(name in module_names(source) for source in case.sources.values())


def _named(node: ast.AST) -> str:
    return node.name if isinstance(node, (ast.ClassDef, ast.FunctionDef)) else ""


def _is_of_training(kind: str) -> bool:
    return "loss" in kind or "metric" in kind or kind == "function"


def _told(case: Case, name: str, place: Location | None) -> list[Change]:
    """`custom_objects` of the loading call, where the name is one of the module's."""
    call = _loading(case, place)
    if call is None or place is None or name not in module_names(case.sources[place.file]):
        return []
    source, entry = case.sources[place.file], f'"{name}": {name}'
    given = passed_argument(call, "custom_objects")
    if isinstance(given, ast.Dict) and given.keys:
        end = end_of(source, given)
        edit: Edit | None = Edit(place.file, (end[0], end[1] - 1), (end[0], end[1] - 1), f", {entry}")
    else:
        edit = set_argument(source, place.file, call, "custom_objects", None, f"{{{entry}}}") if not given else None
    title = f"Pass `custom_objects={{{entry}}}`"
    return [Change(title=title, kind="argument", edits=[edit])] if edit is not None else []


def _loading(case: Case, place: Location | None) -> ast.Call | None:
    calls = [only_call(case.sources, place.file, place.line, name) for name in _LOADERS] if place is not None else []
    found = [call for call in calls if call is not None]
    return found[0] if len(found) == 1 else None


def _registered(case: Case, name: str) -> list[Change]:
    """The decorator, where the program saves the model itself: a file that is there has the plain name."""
    found = [
        (file, node)
        for file, node in across(case.sources, (ast.ClassDef, ast.FunctionDef))
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name
    ]
    if len(found) != 1 or not any(callee(call) == "save" for _, call in across(case.sources, ast.Call)):
        return []
    file, node = found[0]
    keras = next(
        (one for one in ("keras", "tf.keras") if one.partition(".")[0] in module_names(case.sources[file])), ""
    )
    if not keras:
        return []
    text = f"{keras}.saving.register_keras_serializable()"
    edit = decorate(case.sources[file], file, node, text)
    return [Change(title=f"Put `@{text}` above {name}", kind="definition", edits=[edit])]


def _for_prediction(case: Case, place: Location | None) -> list[Change]:
    """Without loss and metrics, where nothing is trained or evaluated below the loading call."""
    call = _loading(case, place)
    if call is None or place is None:
        return []
    source = case.sources[place.file]
    later = [one for one in walk(source.tree, ast.Call) if one.lineno > place.line and callee(one) in _TRAINING]
    edit = set_argument(source, place.file, call, "compile", None, "False") if not later else None
    title = "Load it for prediction only, with `compile=False`"
    return [Change(title=title, kind="argument", edits=[edit])] if edit is not None else []


def _advice(name: str, kind: str, known: bool, inner: bool) -> list[str]:
    register = f"put `@keras.saving.register_keras_serializable()` above {name}, before saving and loading."
    words = []
    if inner:
        words.append(f"P{register[1:]}")
        words.append(f'Or define {name} outside of functions, and pass `custom_objects={{"{name}": {name}}}`.')
    else:
        words += [] if known else [f"Import or define {name} first: the program that saved the model had it."]
        words.append(f'Pass `custom_objects={{"{name}": {name}}}` to the loading call.')
        words.append(f"Or {register}")
    if _is_of_training(kind):
        words.append("For prediction only, `compile=False` loads it without loss and metrics.")
    return words
