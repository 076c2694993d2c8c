"""A part of many objects that stands for all of them; runs in the user's process, inside a census."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from itertools import chain, count
from typing import Any

from whydied.inside.census import object_kinds
from whydied.inside.census.object_kinds import TypeFacts, type_facts


def spread(things: Sequence[Any], most: int, weight: float) -> tuple[Sequence[Any], float]:
    """At most so many, and for how many each stands."""
    if len(things) <= most:
        return things, weight
    taken = list(chain.from_iterable(things[part] for part in object_kinds.parts(len(things), most)))
    return taken, weight * len(things) / len(taken)


def apart(things: Sequence[Any], weight: float) -> tuple[dict[int, Any], list[Any]]:
    """By their addresses, and apart from these what all of a sample share: what is met again far from where it was met
    first does not stand for others like it."""
    addresses = list(map(id, things))
    unique = dict(zip(addresses, things, strict=True))
    if weight <= 1 or len(unique) == len(addresses):
        return unique, []
    last = dict(zip(addresses, count()))
    first = dict(zip(reversed(addresses), count(len(addresses) - 1, -1)))
    far = len(addresses) // object_kinds.CHUNKS
    return unique, [unique.pop(key) for key, place in first.items() if last[key] - place > far]


def held(containers: list[Any], facts: TypeFacts) -> float:
    """About how much lies in some containers."""
    if not containers:
        return 0
    if facts.name in (object_kinds.SEQUENCE, object_kinds.MAPPING):
        return sum(map(facts.base.__len__, containers)) * (2 if facts.name == object_kinds.MAPPING else 1)  # type: ignore[attr-defined]
    few, _ = spread(containers, object_kinds.CHUNKS, 1)
    return len(gc.get_referents(*few)) / len(few) * len(containers)


def items_of(facts: TypeFacts) -> Callable[[Any, int], list[Any]]:
    return lambda thing, most: object_kinds.some_items(thing, facts, most)


def all_alike(things: Sequence[Any], most: int) -> bool:
    """Whether a few of many say that these are containers and plain values, whose sizes hardly differ."""
    if len(things) <= most:
        return False
    few = things[:: len(things) // 100]
    return not any(
        type_facts(type(thing)).name in object_kinds.LEAVES - {object_kinds.ATOM, object_kinds.TEXT} for thing in few
    )
