"""Layers that number words or values and were never adapted: told where they are made, with the data that the failing
statement is computed from. Pure."""

from __future__ import annotations

import re

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.advice import Advice, Way, advised, changes_of
from whydied.diagnose.errors.demands.demand import Entry, Scene, Told
from whydied.records import CallBegan, Local
from whydied.source.calls import passed_argument
from whydied.source.edits.edit import written_in
from whydied.source.edits.programs.adapted_layers import Unadapted, adapting, late_adapt, names_used, unadapted
from whydied.source.edits.statement_edits import move_above
from whydied.source.trees import located
from whydied.texts import demands, session_errors

_TEXTS = ("str", "object", "string", "<U", "|S")
_NUMBERS = ("float", "int", "uint")
_DATA = ("list", "tuple", "ndarray", "Series", "DataFrame", "EagerTensor")
_MOST = 4


def _never_adapted(scene: Scene) -> Told | None:
    place = scene.said.place
    found, is_elsewhere = unadapted(scene.case.project)
    every = [one for one in found if _may_say(scene, one)]
    named = [one for one in every if _is_named(one, scene.said.link.message)] or every
    if place is None or not named:
        return _too_late(scene)
    one = named[0]
    made = located(scene.case.project, one.file, one.call.lineno)
    what = "bin boundaries" if one.kind == "Discretization" else "vocabulary"
    word = "bin_boundaries" if one.kind == "Discretization" else "vocabulary"
    name = f"`{one.name}`" if one.name else f"the {one.kind}"
    at = f", and {line_words(place)} needs it" if place.line != made.line else ""
    ways = _ways(scene, one)
    sentence = f"Call `{one.name or 'layer'}.adapt(…)` with the training data before it is used, or pass `{word}=…`."
    return Told(
        f"{name} has no {what}: it is neither adapted nor given one{at}",
        Advice([sentence], changes_of("statement", ways)) if ways else advised(sentence, "call"),
        place=made,
        culprit=one.name or one.kind,
        certainty="certain" if len(named) == 1 and not is_elsewhere else "likely",
    )


def _too_late(scene: Scene) -> Told | None:
    """Adapted below the line that needs it."""
    place = scene.said.place
    source = scene.case.project.get(place.file) if place is not None else None
    late = late_adapt(source, place.line) if source is not None and place is not None else None
    if source is None or place is None or late is None:
        return None
    text = written_in(source, late)
    return Told(
        f"`{text}` comes after {line_words(place)}, which needs what it learns",
        advised(f"Move `{text}` above that line.", "statement", move_above(source, place.file, late, place.line)),
        place=located(scene.case.project, place.file, late.lineno),
        culprit=text,
        certainty="likely",
    )


def _may_say(scene: Scene, one: Unadapted) -> bool:
    return (one.kind == "Discretization") == (scene.said.match.re is demands.NO_BOUNDARIES.pattern)


def _is_named(one: Unadapted, message: str) -> bool:
    """Whether the node, or Keras, names the layer."""
    own = passed_argument(one.call, "name")
    name = own.value if own is not None and hasattr(own, "value") else ""
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", one.kind).lower()
    return bool(re.search(rf"\b{re.escape(str(name) or kind)}(?:_\d+)*/|\b{one.kind}\.call", message))


def _ways(scene: Scene, one: Unadapted) -> list[Way]:
    """A call of `adapt` for each of the data that the failing lines read, those of the outermost function first, and
    arrays before data sets."""
    found: list[Way] = []
    for frame in scene.said.link.frames:
        source = scene.case.project.get(frame.file) if frame.user else None
        known = {local.name: local for local in frame.locals}
        names = names_used(source, frame.line) if source is not None else []
        names.sort(key=lambda one: one in known and known[one].type.endswith("Dataset"))
        for name in names:
            for data in _data(scene, one, known[name]) if name in known else ():
                edits = adapting(scene.case.project, one, frame.file, frame.line, name, data)
                if edits:
                    text = next(each.text.strip() for each in edits if ".adapt(" in each.text)
                    found.append(Way(f"Call `{text}`", edits))
    return found[:_MOST]


def _data(scene: Scene, one: Unadapted, local: Local) -> list[str]:
    """What a layer can be adapted on, of a variable: the inputs of a data set."""
    if local.type.endswith("Dataset"):
        began = (
            [each.arguments.get("x") for each in scene.case.principal.all(CallBegan)] if scene.case.principal else []
        )
        spec = next((str(each.get("element_spec", "")) for each in reversed(began) if isinstance(each, dict)), "")
        inputs = f"{local.name}.map(lambda x, y: x)"
        return [inputs] if spec.startswith("(") else [local.name] if spec else [inputs, local.name]
    if not local.type.endswith(_DATA):
        return []
    wanted = _TEXTS if one.kind in ("TextVectorization", "StringLookup") else _NUMBERS
    fits = local.dtype is None or local.dtype.startswith(wanted)
    return [local.name] if fits else []


ENTRIES = (
    Entry(session_errors.TABLE_UNINITIALISED.pattern, _never_adapted),
    Entry(demands.NO_VOCABULARY.pattern, _never_adapted),
    Entry(demands.NO_BOUNDARIES.pattern, _never_adapted),
)
