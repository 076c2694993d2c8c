"""A layer that is given another size than it was built for: what sets that size, and the layer itself. Pure.

A layer that gives what it is given (Dropout, an activation, a normalisation) sets nothing: the one before it, the Input
or the data do.
"""

from __future__ import annotations

from whydied.diagnose.case import line_words
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, changes_of
from whydied.diagnose.errors.framework_error import giver_of, layer_words, name_of, shape_words, sizing_of
from whydied.diagnose.errors.misfit import Misfit
from whydied.diagnose.errors.model_ends import is_own_array
from whydied.records import LayerFacts


def adjacent_layers(found: Misfit) -> Advice:
    """Either side of two layers that do not go together."""
    facts = found.error.facts
    assert facts.layer is not None
    _, _, wanted, given = found.axes[0]
    asked, shape = facts.wanted.shape if facts.wanted is not None else None, found.first.shape if found.first else None
    giver, passing = sizing_of(facts), giver_of(facts)
    whole = len(found.axes) > 1 and asked is not None and shape is not None
    gives, takes = (shape_words(asked), shape_words(shape)) if whole else (str(wanted), str(given))
    fed = giver is not None and giver.type != "InputLayer"
    made = f"{layer_words(giver)} give {gives}" if giver is not None and fed else f"its input {wanted} wide"
    data = found.first if found.first is not None and is_own_array(found.first) else None
    line = data.sources[0].frame if data is not None else None
    if data is not None and line is not None and not whole:
        made = f"{name_of(data, 'it')} {wanted} wide on {line_words(line)}"
    elif not fed and giver is not None and giver.made is not None:
        made = f"{layer_words(giver)} declare {gives}"
    elif not fed and passing is not None and passing.type != "InputLayer":
        made = f"what {layer_words(passing)} is given {wanted} wide"
    taken = f"make {layer_words(facts.layer)} take {takes}"
    ways = [
        Way(f"make {made}", _wider(found, giver, wanted) if giver is not None and fed and not whole else None),
        Way(taken, _taking(found, given) if not whole else None),
    ]
    return Advice([f"Either make {made}, or {taken}."], changes_of("layer", ways))


def _wider(found: Misfit, giver: LayerFacts, size: int | None) -> error_edits.Edits:
    """The layer before one with as many units as that takes."""
    last = found.axes[0][0] == len(found.first.shape or []) - 1 if found.first is not None else False
    word = next((each for each in ("units", "filters") if each in giver.settings), None)
    if not last or word is None or size is None:
        return None
    return error_edits.setting(found.error, giver, word, str(size))


def _taking(found: Misfit, size: int | None) -> error_edits.Edits:
    """The Input before a layer, where it is the only one and nothing else was made of it."""
    facts = found.error.facts
    entrances = [each for each in facts.layers if each.type == "InputLayer"]
    layer = facts.layer
    if layer is None or len(entrances) != 1 or layer.inputs != [entrances[0].name] or size is None:
        return None
    shape = entrances[0].output_shape or []
    at = found.axes[0][0]
    return error_edits.declared(found.error, entrances[0], [*shape[1:at], size, *shape[at + 1 :]])
