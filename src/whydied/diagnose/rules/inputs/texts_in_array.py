"""A model that begins with a layer for texts is given an array, a column or a list of texts, which Keras does not take.

## What it detects
`fit`, `evaluate` or `predict` refusing texts in a NumPy array, a pandas column or a list, of a model whose first layer
takes texts (TextVectorization, StringLookup, Hashing) or whose Input declares them.

## Why it happens
Keras 3 has no dtype for the texts of NumPy (`<U28`) and pandas, and takes a list for several inputs. Keras 2 converted
them.

## Evidence
The data as they were passed, with the line that made them, and the first layer of the model.

## How it is proved
What was refused, where, and what the model takes were seen: certain.

## Fix
A tensor of texts: `tf.constant(texts)`, where the array is made or where it is passed.

## Known problems
Texts that a generator yields are not told.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import source_at
from whydied.diagnose.errors.framework_error import (
    FrameworkError,
    culprit_of,
    evidence_of,
    framework_error,
    layer_words,
    name_of,
)
from whydied.diagnose.errors.model_ends import is_text, takes_text
from whydied.diagnose.finding import Finding
from whydied.records import DataLooked, Frame, Party
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit, over, written_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.trees import nodes_on

ROLE = "explanation"
_REFUSING = frozenset({"standardize_dtype", "get_data_adapter"})
"""The functions of Keras that look at the type of what they are given."""
_MAKERS = frozenset({"array", "asarray", "Series"})


def check(case: Case) -> Finding | None:
    error = framework_error(case)
    if error is None or not error.facts.call or error.facts.raiser not in _REFUSING or not takes_text(error):
        return None
    refused = [one for one in error.of_role("x") if is_text(one) or _is_list_of_texts(case, one)]
    if len({one.text for one in refused}) != 1 or refused[0].type.endswith("Tensor"):
        return None
    party = refused[0]
    made = _made(error, party)
    frame = made[0] if made is not None else error.facts.place
    place = case.locate(frame) if frame is not None else case.locate_exception([error.link])
    taker = next((one for one in error.facts.layers if one.type != "InputLayer"), None)
    kind = party.type.rpartition(".")[2].replace("ndarray", "NumPy array")
    return Finding(
        message=(
            f"{prefix(place)}{name_of(party, 'the input')} is a {kind} of texts, which `{error.facts.call}` of Keras 3 "
            f"does not take; {layer_words(taker) if taker is not None else 'the model'} takes a tensor of texts"
        ),
        certainty="certain",
        location=place,
        culprit=culprit_of(party, "data"),
        evidence=evidence_of(error),
        advice=[f"Write `{_told(error, party, made)}`{error_edits.beside(error, party)}."],
        changes=_changes(error, party, made),
    )


def _is_list_of_texts(case: Case, party: Party) -> bool:
    looked = [one for one in case.records.all(DataLooked) if one.text == party.text and one.type in ("list", "tuple")]
    return bool(looked) and {held.words for held in looked[0].held} == {"str"}


def _made(error: FrameworkError, party: Party) -> tuple[Frame, ast.Call] | None:
    """The call that makes the array of one argument."""
    near = party.sources[0] if party.sources else None
    source = source_at(error.sources, near.frame) if near is not None else None
    if near is None or near.frame is None or source is None:
        return None
    calls = [one for one in nodes_on(source, near.frame.line) if isinstance(one, ast.Call)]
    for call in calls:
        # A second argument is a dtype.
        if callee(call) in _MAKERS and ast.unparse(call) == near.text and len(call.args) in (1, 2):
            return near.frame, call
    return None


def _told(error: FrameworkError, party: Party, made: tuple[Frame, ast.Call] | None) -> str:
    text = written_in(error.sources[made[0].file], made[1].args[0]) if made is not None else party.text or "x"
    return f"tf.constant({text})"


def _changes(error: FrameworkError, party: Party, made: tuple[Frame, ast.Call] | None) -> list[Change]:
    ways: list[tuple[str, list[Edit] | None]] = []
    if made is not None:
        frame, call = made
        source = error.sources[frame.file]
        constant, given = library_name(source, frame.file, "tensorflow.constant"), written_in(source, call.args[0])
        edits = [*constant.needed, over(source, frame.file, call, f"{constant.text}({given})")]
        ways.append((f"{constant.text}({given})", edits))
    codes = ["tf.constant({x})"]
    if party.shape and len(party.shape) == 2 and party.shape[1] == 1:
        # Layers for texts that were built for rows of one text take no axis more.
        codes.append("tf.constant(np.ravel({x}))")
    ways += [(code.format(x=party.text), error_edits.passed(error, party, code)) for code in codes]
    return [Change(title=f"Write `{text}`", kind="data", edits=edits) for text, edits in ways if edits]
