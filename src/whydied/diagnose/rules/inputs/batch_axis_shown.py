"""A plot is given a picture that still has the axis of its batch.

## What it detects
Matplotlib refusing an image of four axes whose first one has the length 1, or of three with the channel first.

## Why it happens
A model takes batches, so one picture gets an axis more (`expand_dims`) before `predict`; a plot shows one picture.

## Evidence
The shape, recorded at the exception; the line that passes the picture, where a function of the program shows it.

## How it is proved
The shape was seen: certain.

## Fix
`picture[0]`.

## Known problems
None known.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.edits.edit import Change, over
from whydied.source.trees import written
from whydied.texts import estimators

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    found = failing(case, "TypeError")
    told = estimators.NO_PICTURE_SHAPE.search(found.link.message) if found is not None else None
    shape = [int(one) for one in told["shape"].split(",")] if told is not None else []
    if found is None or told is None or shape[:1] != [1]:
        return None
    for call in [one for one in found.expressions if isinstance(one, ast.Call) and one.args]:
        one = found.looked(written(call.args[0])) or found.operand(written(call.args[0]))
        if one is None or one.shape != shape:
            continue
        file, line, node = found.place.file, found.place.line, call.args[0]
        steps = found.trails.trail(file, line, node)
        if steps and steps[0].is_passed:
            file, line, node = steps[0].file, steps[0].line, steps[0].value
        place = found.located(file, line)
        right = f"{written(node)}[0]"
        at = f" on {words_at(found.place.file, found.place.line)}" if place != found.place else ""
        edit = over(found.sources[file], file, node, right)
        return Finding(
            message=f"{prefix(place)}`{written(node)}` is a batch of one picture ({', '.join(map(str, shape))}), and "
            f"the plot{at} shows a picture",
            certainty="certain",
            location=place,
            culprit=Culprit(kind="expression", name=written(node), shape=list(shape)),
            evidence=[said(found.link)],
            advice=[f"Pass `{right}`."],
            changes=[Change(title=f"Pass `{right}`", kind="expression", edits=[edit])]
            if found.is_editable(file)
            else [],
        )
    return None
