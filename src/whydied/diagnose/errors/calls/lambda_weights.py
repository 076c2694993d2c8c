"""Layers with weights that the function of a Lambda layer makes: it keeps none, and each call makes new ones. Pure."""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Location
from whydied.records import Frame
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.lambda_edits import maker
from whydied.source.trees import located


class LambdaWeights(NamedTuple):
    place: Location
    words: str
    name: str
    advice: list[str]
    changes: list[Change]


def lambda_weights(case: Case, frames: list[Frame]) -> LambdaWeights | None:
    """The Lambda layer in whose function the innermost of these lines stands."""
    for frame in reversed(frames):
        found = maker(case.project, frame.file, frame.line)
        if found is None:
            continue
        place = located(case.project, found.file, found.layer.lineno)
        place = (
            place
            if place.line == found.layer.lineno
            else Location(file=found.file, line=found.layer.lineno, function=place.function, source=place.source)
        )
        made = located(case.project, frame.file, frame.line)
        at = f" ({line_words(made)})" if found.function else ""
        what = f"`{found.function}`" if found.function else "its function"
        title = f"Write `{found.instead}` instead of the Lambda"
        return LambdaWeights(
            place,
            f"this Lambda keeps no weights, and {what}{at} makes layers anew in each call: they are no part of the "
            "model, and are never trained",
            found.function or "Lambda",
            [f"{title}: its layers are then made once, and belong to the model."]
            if found.edits
            else ["Make the layers once, outside of the function, and put them into the model without a Lambda."],
            [Change(title=title, kind="call", edits=found.edits)] if found.edits else [],
        )
    return None
