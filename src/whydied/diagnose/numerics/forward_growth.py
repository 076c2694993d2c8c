"""Values that grow from layer to layer within one forward pass, and the layer at which that begins. Pure.

The op that overflows last is the symptom: with initial weights that are too large each layer multiplies what it gets.
"""

from __future__ import annotations

import ast
import itertools
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.numerics.bad_steps import Story
from whydied.diagnose.numerics.bad_value_place import op_place
from whydied.diagnose.numerics.symptom import number_in_words
from whydied.source.edits.call_edits import keyword_values
from whydied.source.edits.edit import Change, over

LEAST_FACTOR = 1e9
"""From the batch to the last layer: no network that trains has outputs like that."""
LEAST_LAYER = 10.0
"""What a layer multiplies by, at least, where the growth begins."""
FEWEST_LAYERS = 2
_INITIALIZER = "kernel_initializer"


class ForwardGrowth(NamedTuple):
    location: Location | None
    layer: str
    words: str
    changes: list[Change]


def forward_growth(case: Case, story: Story) -> ForwardGrowth | None:
    """Of the first step of a training: later it is the updates that made the weights large."""
    levels = story.again.levels if story.again is not None else []
    layers = [level for level in levels if level.layer]
    if story.step.captured.step or len(layers) < FEWEST_LAYERS or levels[0].largest <= 0 or levels[0].layer:
        return None
    if layers[-1].largest < LEAST_FACTOR * levels[0].largest:
        return None
    begins = next(
        (after for before, after in itertools.pairwise(levels) if after.largest >= LEAST_LAYER * before.largest), None
    )
    if begins is None:
        return None
    place = op_place(case, story.step, begins.line)
    low, high = number_in_words(levels[0].largest), number_in_words(layers[-1].largest)
    words = (
        f"the values grow from {low} in the batch to {high} after {len(layers)} layers, from layer {begins.layer} on"
    )
    return ForwardGrowth(place, begins.layer, words, _changes(case, place))


def _changes(case: Case, place: Location | None) -> list[Change]:
    """The initializer of the line as Keras' own."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None:
        return []
    edits = [
        over(source, place.file, value, '"glorot_uniform"')
        for value in keyword_values(source, place.line, _INITIALIZER)
        if not (isinstance(value, ast.Constant) and value.value == "glorot_uniform")
    ]
    return [Change(title="Start with weights of the usual size", kind="initializer", edits=edits)] if edits else []
