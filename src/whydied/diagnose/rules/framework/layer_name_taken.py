"""Several layers of one model have the same name.

## What it detects
A Keras model that is refused because two or more of its layers have one name.

## Why it happens
A name is written in a function that is called for each branch, in a loop, or twice by hand. Keras numbers only the
names that it gives itself.

## Evidence
The layers of that name in the model, the line that made each, and the line that called the function which that is in,
all noted when the layers were made.

## How it is proved
Keras' own list of the layers has them: certain.

## Fix
A name that depends on the call, or no name. Where both branches are to share their weights: make the layers once, and
call them on both inputs.

## References
Keras documentation: the functional API, shared layers.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import LayerNameTaken, NamedLayer
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.layer_names import own_layer_name, prefixed_names, renamed, without_name
from whydied.source.statements import in_loop_body
from whydied.source.trees import located, nodes_on, tree_of

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    raised = case.uncaught
    found = [one for one in case.records.all(LayerNameTaken) if raised and one.link < len(raised.chain)]
    made = [case.locate(one.made) for one in found[-1].layers if one.made is not None] if found else []
    if raised is None or not found or len(made) < 2:
        return None
    taken, link = found[-1], raised.chain[found[-1].link]
    words, advice, place, changes = _told(case, taken, made)
    return Finding(
        message=f"{prefix(place)}{words}; expected a name of its own for each layer of a model",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="layer", name=taken.name),
        evidence=[*evidence_of(link, raised)[:1], *(_line(case, one) for one in taken.layers[:4])],
        advice=[advice],
        changes=changes,
    )


def _told(case: Case, taken: LayerNameTaken, made: list[Location]) -> tuple[str, str, Location, list[Change]]:
    """What is said, what to do, where, and the change that does it."""
    name, count, first = taken.name, len(taken.layers), made[0]
    lines = {(one.file, one.line) for one in made}
    callers = [case.locate(one.caller) for one in taken.layers if one.caller is not None]
    calls = {(one.file, one.line): one for one in callers}
    if len(lines) > 1:
        return (
            f"{count} layers of one model are named `{name}`: made on "
            f"{_listed(list({(one.file, one.line): one for one in made}.values()))}",
            f"Give the one of {line_words(made[-1])} another name{_where_named(taken, name)}.",
            made[-1],
            _other_name(case, made[-1], name),
        )
    looped = in_loop_body(tree_of(case.sources, first.file), first.line) or _is_comprehended(case, first)
    if len(callers) == len(made) and not (looped and len(calls) == 1):
        function = first.function
        return (
            f"`{function}` makes a layer named `{name}` in each call, and is called {count} times for one model, on "
            f"{_listed(list(calls.values()))}",
            f"Let the names depend on the call: an argument of `{function}` that is put before each, with another "
            "value in each call. If they are to share weights, make the layers once and call those on each input.",
            first,
            _prefixed(case, first, list(calls.values()), count),
        )
    if not looped:
        return (
            f"this line makes {count} layers named `{name}`",
            "Give each a name of its own, or leave `name=` out, so that Keras numbers them.",
            first,
            _other_name(case, first, name),
        )
    given = _given_by_class(case, taken)
    if given is not None:
        where, changes = given
        return (
            f"this line makes {count} layers named `{name}`, one in each turn of the loop: their class gives each that "
            f"name on {line_words(where)}",
            f"Let Keras number the layers: no name of its own on {line_words(where)}; or pass one that has the number "
            "of the turn in it.",
            first,
            changes,
        )
    return (
        f"this line makes {count} layers named `{name}`, one in each turn of the loop",
        "Leave `name=` out, so that Keras numbers them, or put the number of the turn into the name.",
        first,
        _unnamed(case, first),
    )


def _is_comprehended(case: Case, place: Location) -> bool:
    """Whether a line makes layers in a comprehension, which before Python 3.12 is a function of its own."""
    source = case.sources.get(place.file)
    kinds = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
    return source is not None and any(isinstance(one, kinds) for one in nodes_on(source, place.line))


def _given_by_class(case: Case, taken: LayerNameTaken) -> tuple[Location, list[Change]] | None:
    """The line of the layer's own class that names all of its layers alike, and that without the name."""
    kinds = {one.type for one in taken.layers}
    found = own_layer_name(case.project, next(iter(kinds)), taken.name) if len(kinds) == 1 else None
    if found is None:
        return None
    place = located(case.project, found.file, found.line)
    return place, [Change(title="Let Keras number the layers", kind="argument", edits=found.edits)]


def _where_named(taken: LayerNameTaken, name: str) -> str:
    """How a layer gets its name; a whole model may be built by a function that takes none."""
    if taken.layers[-1].type in ("Functional", "Sequential", "Model"):
        return " before they are joined (`name=` where it is built, or its `_name`)"
    return f": `name={name + '_2'!r}`"


def _listed(places: list[Location]) -> str:
    texts = [line_words(one) for one in places[:4]]
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else texts[0]


def _line(case: Case, layer: NamedLayer) -> Evidence:
    made = case.locate(layer.made) if layer.made is not None else None
    caller = case.locate(layer.caller) if layer.caller is not None else None
    at = f"{made.file}:{made.line}" if made is not None else "unknown"
    called = f", called by line {caller.line}" if caller is not None else ""
    return Evidence(fact=f"{layer.type} of that name made at", value=f"{at}{called}", source="LayerNameTaken")


def _other_name(case: Case, place: Location, name: str) -> list[Change]:
    source = case.sources.get(place.file)
    edit = renamed(source, place.file, place.line, name, f"{name}_2") if source is not None else None
    return [Change(title=f"Name it `{name}_2`", kind="argument", edits=[edit])] if edit is not None else []


def _unnamed(case: Case, place: Location) -> list[Change]:
    source = case.sources.get(place.file)
    edit = without_name(source, place.file, place.line) if source is not None else None
    return [Change(title="Let Keras number the layers", kind="argument", edits=[edit])] if edit is not None else []


def _prefixed(case: Case, made: Location, calls: list[Location], count: int) -> list[Change]:
    """A prefix for all names of the function, in the files that are known whole."""
    source = case.sources.get(made.file)
    if source is None or any(one.file != made.file for one in calls):
        return []
    edits = prefixed_names(source, made.file, made.line, [one.line for one in calls], count)
    return [Change(title="Give each call a prefix for its names", kind="argument", edits=edits)] if edits else []
