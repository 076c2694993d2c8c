"""The guesses about an exception, the best first. Pure.

Every family offers what it can write; the cost of a guess says how likely it is to be the reason, by what was recorded,
and each further one of a kind costs more, so that a trial sees several kinds. What leaves the source as it is, is no
Python, or stands among the candidates of the diagnosis already is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.engine import Diagnosis, surrounded
from whydied.diagnose.finding import Candidate, Finding, Location
from whydied.prove.guesses.additions import additions
from whydied.prove.guesses.apis import apis
from whydied.prove.guesses.arguments import arguments
from whydied.prove.guesses.conversions import conversions
from whydied.prove.guesses.definitions import definitions
from whydied.prove.guesses.derived_sizes import derived, halved
from whydied.prove.guesses.model_guesses import layers
from whydied.prove.guesses.modes import modes
from whydied.prove.guesses.names import names
from whydied.prove.guesses.odd_axes import odd_axes
from whydied.prove.guesses.relevance import added_cost, topic_of
from whydied.prove.guesses.scene import Guess, Scene, scene_of
from whydied.prove.guesses.siblings import siblings
from whydied.prove.guesses.tensor_forms import tensors
from whydied.prove.guesses.unused_parts import helpers, prepared
from whydied.prove.guesses.whole_statements import statements
from whydied.prove.guesses.written_sizes import sizes
from whydied.source.edits.edit import Change, Edit, Harm, edited
from whydied.source.trees import located

MOST = 120
"""A rehearsal runs that many in a minute or two; where there is none, the prover tries the first few."""
_MORE_OF_A_KIND = 0.35
_HARMLESS = frozenset({"definition", "parameters", "own-objects", "directory", "shapes"})
"""They let the program do what it meant, and change nothing of what it computes."""
_OF_USE = frozenset({"left-out", "order", "argument-dropped", "whole"})
"""They change what a statement does with a value that is None, and not that it is."""
Family = Callable[[Scene], Iterator[Guess]]
FAMILIES: tuple[Family, ...] = (
    names,
    conversions,
    arguments,
    tensors,
    layers,
    sizes,
    odd_axes,
    derived,
    statements,
    modes,
    additions,
    definitions,
    apis,
    siblings,
    helpers,
    prepared,
)


def of_unused(case: Case, diagnosis: Diagnosis) -> list[Candidate]:
    """What the program prepared and does not use: a stronger sign of what was meant than what a rule makes up."""
    return _guesses(case, diagnosis, (prepared,))


def of_halved(case: Case, diagnosis: Diagnosis) -> list[Candidate]:
    """Sizes that are halved and doubled again, where two that differ by little come of them."""
    return _guesses(case, diagnosis, (halved,))


def guesses(case: Case, diagnosis: Diagnosis) -> list[Candidate]:
    """Changes that may remove the exception that ended the program, those that the facts speak for first. A guess that
    removes it names its reason: its finding is the report's cause, moved to the edited statement."""
    return _guesses(case, diagnosis, FAMILIES)


def _guesses(case: Case, diagnosis: Diagnosis, families: tuple[Family, ...]) -> list[Candidate]:
    cause = diagnosis.cause or diagnosis.death
    scene = scene_of(case, cause) if cause is not None else None
    if scene is None or cause is None:
        return []
    tried = {_key(scene, one.change.edits) for one in diagnosis.candidates}
    found: list[Candidate] = []
    for guess in _in_order(scene, families, diagnosis.errors):
        key = _key(scene, guess.edits)
        if key is None or key in tried:
            continue
        tried.add(key)
        harm: Harm = "exact" if guess.kind in _HARMLESS else guess.harm
        change = Change(title=guess.title, kind=f"guess-{guess.kind}", edits=guess.edits, harm=harm)
        found.append(Candidate(finding=_finding(case, scene, cause, guess), change=change))
        if len(found) == MOST:
            break
    return found


def _in_order(scene: Scene, families: tuple[Family, ...], errors: list[str]) -> list[Guess]:
    """By cost; the second of a kind costs more than the first."""
    topic = topic_of(scene)
    every = [one for family in families for one in _offered(family, scene, errors) if one.edits]
    if scene.is_of_none:
        every = [one for one in every if one.kind not in _OF_USE]
    weighed = [one._replace(cost=one.cost + added_cost(topic, one)) for one in every]
    offered = sorted(weighed, key=lambda one: one.cost)
    seen: Counter[str] = Counter()
    ranked: list[tuple[float, int, Guess]] = []
    for number, one in enumerate(offered):
        ranked.append((one.cost + _MORE_OF_A_KIND * seen[one.kind], number, one))
        seen[one.kind] += 1
    return [one for _, _, one in sorted(ranked, key=lambda each: each[:2])]


def _offered(family: Family, scene: Scene, errors: list[str]) -> list[Guess]:
    """What a family offers; one that fails leaves a line in `errors`, and the others are asked all the same."""
    try:
        return list(family(scene))
    except Exception as error:
        errors.append(f"guesses at {family.__name__}: {error!r}")
        return []


def _key(scene: Scene, edits: list[Edit]) -> tuple[tuple[str, str], ...] | None:
    """The texts that come of edits; None where they give none."""
    texts: dict[str, str] = {}
    for file in sorted({one.file for one in edits}):
        source = scene.sources.get(file)
        text = edited(source, [one for one in edits if one.file == file]) if source is not None else None
        if text is None:
            return None
        texts[file] = text
    return tuple(texts.items()) or None


def _finding(case: Case, scene: Scene, cause: Finding, guess: Guess) -> Finding:
    place = _place(scene, guess.edits)
    message = f"{prefix(place)}{guess.wrong}"
    moved = msgspec.structs.replace(
        cause, message=message, location=place, advice=[guess.title], culprit=None, chain=[], changes=msgspec.UNSET
    )
    return surrounded(moved, case.recording)


def _place(scene: Scene, edits: list[Edit]) -> Location:
    """The statement that is edited: the last one, as imports come first."""
    last = max(edits, key=lambda one: one.start) if len({one.file for one in edits}) == 1 else edits[-1]
    return located(scene.sources, last.file, min(last.start[0], len(scene.sources[last.file].lines)))
