"""`tf.saved_model.load` gives the functions that were saved, and is used as a Keras model.

## What it detects
`predict`, `evaluate`, `summary` and the like asked of what `tf.saved_model.load` gave.

## Why it happens
A SavedModel holds graphs of functions. The methods of a Keras model are no part of it, also where one was saved.

## Evidence
The attribute that was missed, and the statement behind the value, which loads the model.

## How it is proved
The value came out of that call: certain.

## Fix
The saved function called with tensors (`serve`, as `Model.export` names it, or the object itself); a model that is to
be used as one is saved as a `.keras` file.

## Known problems
What else than `predict` does (batches, NumPy arrays as result) is left to the program.

## References
TensorFlow documentation: tf.saved_model.load. Keras documentation: Model.export.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.failing_data import failing
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.origins.contents import Contents
from whydied.source.trees import dotted_name, written
from whydied.texts import python_errors

ROLE = "explanation"
_OF_MODELS = frozenset({"predict", "predict_on_batch", "evaluate", "fit", "summary", "save", "layers", "get_weights"})
_PREDICTING = ("predict", "predict_on_batch")


def check(case: Case) -> Finding | None:
    found = failing(case, "AttributeError")
    told = python_errors.VALUE_WITHOUT_ATTRIBUTE.pattern.search(found.link.message) if found is not None else None
    if found is None or told is None or told[2] not in _OF_MODELS:
        return None
    asked = next((one for one in found.expressions if isinstance(one, ast.Attribute) and one.attr == told[2]), None)
    if asked is None:
        return None
    origins = Contents(found.sources, found.trails).of(found.place.file, asked.value)
    loads = [one for one in origins if isinstance(one.node, ast.Call) and _loads(one.node) and not one.is_held]
    if len({id(one.node) for one in loads}) != 1:
        return None
    made = found.located(loads[0].file, loads[0].node.lineno)
    source, owner = found.sources[found.place.file], written(asked.value)
    place, changes = found.place, list[Change]()
    call = next((one for one in found.expressions if isinstance(one, ast.Call) and one.func is asked), None)
    if call is not None and told[2] in _PREDICTING and found.is_editable(place.file):
        given = ", ".join(written_in(source, one) for one in call.args[:1])
        for right in (f"{owner}.serve({given})", f"{owner}({given})"):
            edit = over(source, place.file, call, right)
            changes.append(Change(title=f"Call what was saved: `{right}`", kind="call", edits=[edit]))
    return Finding(
        message=f"{prefix(place)}`{owner}` is what `tf.saved_model.load` gave on {line_words(made)}: the functions "
        f"that were saved, and no Keras model, so it has no `{told[2]}`",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="expression", name=owner),
        evidence=[said(found.link)],
        advice=[
            "Call the function that was saved, with tensors; or save the model as a `.keras` file and load that with "
            "`keras.models.load_model`."
        ],
        changes=changes,
    )


def _loads(call: ast.Call) -> bool:
    return (dotted_name(call.func) or "").endswith("saved_model.load")
