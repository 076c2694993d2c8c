"""A list whose items have different shapes is made into one array.

## What it detects
NumPy refusing to make an array of a list, or to stack one, whose items differ in shape, length or type.

## Why it happens
Pictures of different sizes, with and without a colour channel, sentences of different lengths, an item that is None
because a file could not be read: an array has one size along each axis.

## Evidence
The shapes of the items, how many there are of each and where the first stands, recorded at the exception; the line that
makes an item, from the source.

## How it is proved
The items were seen and differ: certain.

## Fix
One size for all items where they are made: `resize`, padding, or leaving out what could not be read.

## Known problems
Where several statements fill the list, the line that makes the array is told.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import DataLooked, HeldKind
from whydied.source.edits.edit import Change, over
from whydied.source.trees import function_at, scope_at, tree_of, walk, written
from whydied.texts import estimators, session_errors, tensors
from whydied.texts.entry import any_of

ROLE = "explanation"
YIELDS_TO = ("feed-mismatch", "generator-mismatch")
_REFUSED = any_of(estimators.ITEMS_DIFFER, session_errors.FEED_IS_RAGGED, tensors.NOT_RECTANGULAR)
_CONSTANTS = ("constant", "convert_to_tensor")
_PICTURE_RANK = 2


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError", "TypeError")
    if found is None or not _REFUSED.search(found.link.message):
        return None
    uneven = next((one for one in found.data if one.type in ("list", "tuple") and len(one.held) > 1), None)
    if uneven is None or not (uneven.text.isidentifier() or "." in uneven.text):
        return None
    made = _maker(found, uneven)
    place = found.located(*made) if made is not None else found.place
    kinds = ", ".join(_counted(kind) for kind in uneven.held)
    at = f" made into one array on {words_at(found.place.file, found.place.line)}"
    ragged = _ragged(found, uneven)
    rare = min(uneven.held, key=lambda kind: kind.count)
    return Finding(
        message=f"{prefix(place)}the items of `{uneven.text}` differ: {kinds};"
        + (f" they are{at}" if place != found.place else " one array needs one shape"),
        certainty="certain",
        location=place,
        culprit=Culprit(kind="expression", name=uneven.text),
        evidence=[said(found.link), fact(f"first `{rare.words}`", f"{uneven.text}[{rare.first}]")],
        advice=[_advice(uneven, place != found.place), *(f"{one.title}, which keeps the lengths." for one in ragged)],
        changes=ragged,
    )


def _ragged(found: Failing, uneven: DataLooked) -> list[Change]:
    """A ragged tensor of lists of numbers, where the call makes a constant of them."""
    file = found.place.file
    plain = all(kind.words.split()[0] == "list" for kind in uneven.held)
    for call in found.expressions if plain and found.is_editable(file) else ():
        func = call.func if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or not isinstance(func, ast.Attribute) or func.attr not in _CONSTANTS:
            continue
        if isinstance(func.value, ast.Name) and call.args and written(call.args[0]) == uneven.text:
            right = f"{func.value.id}.ragged.constant"
            edit = over(found.sources[file], file, func, right)
            return [Change(title=f"Write `{right}({uneven.text})`", kind="expression", edits=[edit])]
    return []


def _counted(kind: HeldKind) -> str:
    return f"{kind.count:,} x {kind.words.rpartition(' of ')[2] if 'shape' in kind.words else kind.words}"


def _maker(found: Failing, uneven: DataLooked) -> tuple[str, int] | None:
    """The line that makes an item: what is appended, followed to its assignment; else the comprehension."""
    node = found.expression(uneven.text)
    if node is None:
        return None
    file, name = found.place.file, uneven.text
    line = found.place.line
    for step in found.trails.trail(file, line, node):
        if isinstance(step.value, ast.ListComp):
            return step.file, step.line
        file, line = step.file, step.line
        name = step.value.id if isinstance(step.value, ast.Name) else step.name
    tree = tree_of(found.sources, file)
    scope = scope_at(tree, line)
    filled = [
        call.args[0]
        for call in walk(scope, ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "insert") and call.args
        if written(call.func.value) == name
    ]
    if len(filled) != 1:
        return None
    item = filled[0]
    inner = [step for step in found.trails.trail(file, item.lineno, item) if step.file == file and not step.is_passed]
    here = [step for step in inner if function_at(tree, step.line) is function_at(tree, item.lineno)]
    return (file, here[0].line) if here and isinstance(here[0].value, ast.Call) else (file, item.lineno)


def _advice(uneven: DataLooked, is_maker: bool) -> str:
    where = "on that line" if is_maker else "where they are made"
    words = [kind.words for kind in uneven.held]
    if any(word in ("NoneType", "str", "float", "int") for word in words) and any("shape" in word for word in words):
        odd = next(kind for kind in uneven.held if "shape" not in kind.words)
        return f"Leave out what is not an array: `{uneven.text}[{odd.first}]` is {odd.words}, and {odd.count:,} in all."
    ranks = {word.count(",") + 1 for word in words if "shape" in word}
    if len(ranks) > 1:
        return f"Bring all items to the same axes {where}, such as one number of colour channels."
    if ranks and max(ranks) >= _PICTURE_RANK:
        return f"Bring all items to one size {where}, such as with `resize`."
    return f"Bring all items to one length {where}, such as with `keras.utils.pad_sequences(…, maxlen=…)`."
