"""Counts what a census found, by kind, type, shape and dtype, with the place each was found at; runs in the user's
process.

What always holds: memory is counted once, however many views, aliases and names it has. Objects are kept only as long
as the census that owns the tally runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from whydied.inside import guard, measures, sorts
from whydied.inside.sorts import Sort

if TYPE_CHECKING:
    from whydied.inside.paths import Node

LARGEST_BULK = 20_000
LARGEST_ALIKE = 500
"""Of objects whose sizes hardly differ, such as instances of one class, this many stand for all."""
LARGE_BYTES = 1 << 20
LARGEST_MODELS = 1000
SAMPLES = 50
_KINDS = {
    sorts.KERAS_VARIABLE: "variable",
    sorts.SEQUENCE: "container",
    sorts.MAPPING: "container",
    sorts.FRAME: "container",
    sorts.INSTANCE: "object",
    sorts.ATOM: "object",
    sorts.FUNCTION: "object",
    sorts.METHOD: "object",
    sorts.CELL: "object",
    sorts.CLASS: "object",
    sorts.OPAQUE: "object",
}
_DIFFERENT = frozenset({sorts.TENSOR, sorts.ARRAY, sorts.VARIABLE, sorts.KERAS_VARIABLE})

Key = tuple[str, str, "tuple[int | None, ...] | None", "str | None"]


class Large(NamedTuple):
    """A single array or tensor that is worth comparing with others."""

    key: Key
    thing: Any
    sort: Sort
    size_bytes: int
    node: Node | None


class Group:
    __slots__ = ("count", "mapped", "places", "samples", "size_bytes", "weighted")

    def __init__(self, mapped: bool = False) -> None:
        self.count: float = 0
        self.size_bytes: float = 0
        self.mapped = mapped
        self.weighted = False
        self.places: dict[Node | None, float] = {}
        self.samples: list[Any] = []

    def add(self, count: float, size_bytes: float, node: Node | None, sample: Any) -> None:
        self.count += count
        self.size_bytes += size_bytes
        self.places[node] = self.places.get(node, 0) + count
        if len(self.samples) < SAMPLES:
            self.samples.append(sample)
        elif int(self.count) % 97 == 0:
            self.samples[int(self.count) // 97 % SAMPLES] = sample


class Tally:
    """Several tallies that share a `memory` count what they have in common once, in the first."""

    def __init__(self, memory: set[int] | None = None) -> None:
        self.groups: dict[Key, Group] = {}
        self.large: list[Large] = []
        self.models: list[Any] = []
        self.model_keys: list[tuple[Key, float]] = []
        """For each model its group and the number that it stands for; what it weighs is found out at the end."""
        self.aliases: dict[int, list[str]] = {}
        """By the address of an object, other names under which a notebook keeps it."""
        self._memory: set[int] = set() if memory is None else memory

    @property
    def counted_bytes(self) -> int:
        return round(
            sum(
                group.size_bytes
                for key, group in self.groups.items()
                if not group.mapped and key[0] not in sorts.ALWAYS_LISTED
            )
        )

    def add_rest(self, thing: Any, sort: Sort) -> None:
        """Count an object that no name led to, unless samples already stand for all of its group."""
        self.add(thing, sort, None, 0)

    def add(self, thing: Any, sort: Sort, node: Node | None, weight: float = 1) -> None:
        """Count one object that stands for `weight` like it; 0 is one that counts only in a group without samples."""
        kind, mapped = _KINDS.get(sort.name, sort.name), False
        if sort.name == sorts.ARRAY:
            owner = measures.owner(thing, sort)
            if owner.key in self._memory:
                return
            self._memory.add(owner.key)
            thing, mapped = owner.array, owner.mapped
            sort = sorts.sort_of(type(thing))
        elif sort.name == sorts.KERAS_VARIABLE:
            inner = dict(sorts.attributes(thing, sort)).get("_value")
            if inner is not None:
                self._memory.add(id(inner))
        elif sort.name == sorts.VARIABLE and id(thing) in self._memory:
            return
        measure = self._measure(thing, sort)
        if measure.size_bytes >= LARGE_BYTES and sort.name in (sorts.TENSOR, sorts.ARRAY) and not mapped:
            if sort.name == sorts.TENSOR and self._alias(thing, sort):
                return
            if len(self.large) < 400:
                key = (kind, sort.type, measure.shape, measure.dtype)
                self.large.append(Large(key, thing, sort, measure.size_bytes, node))
        self._count((kind, sort.type, measure.shape, measure.dtype), measure.size_bytes, node, thing, weight, mapped)

    def add_bulk(self, things: list[Any], sort: Sort, node: Node | None, weight: float = 1) -> None:
        """Count many objects of one type; of very many, a spread sample stands for the rest. What is built in has its
        size taken exactly, in one C call."""
        if sorts.is_plain(sort):
            size = sorts.shallow_bytes_of_all(things, sort)
            key = (_KINDS.get(sort.name, sort.name), sort.type, None, None)
            self._count(key, size / len(things), node, things[0], weight * len(things), False)
            return
        most = LARGEST_BULK if sort.name in _DIFFERENT else LARGEST_ALIKE
        taken = things[:: -(-len(things) // most)] if len(things) > most else things
        for thing in taken:
            self.add(thing, sort, node, weight * len(things) / len(taken))

    def _measure(self, thing: Any, sort: Sort) -> measures.Measure:
        try:
            if sort.name in sorts.LEAVES or sort.name == sorts.KERAS_VARIABLE:
                return measures.measure(thing, sort)
            return measures.Measure(None, None, sorts.shallow_bytes(thing, sort))
        except Exception as error:
            if guard.is_the_users(error):
                raise
            # A half-built object, or a library that changed: it is counted, its size is not known.
            return measures.NOTHING

    def _alias(self, thing: Any, sort: Sort) -> bool:
        """Whether another tensor with the same memory was counted."""
        try:
            shared = measures.contents(thing, sort)
            address = shared.__array_interface__["data"][0] if shared is not None else 0
        except Exception as error:
            if guard.is_the_users(error):
                raise
            return False
        if not address:
            return False
        if -address in self._memory:
            return True
        self._memory.add(-address)
        return False

    def _count(self, key: Key, size_bytes: float, node: Node | None, sample: Any, weight: float, mapped: bool) -> None:
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = Group(mapped)
        if weight == 0:
            if group.weighted:
                return
            weight = 1
        group.weighted = group.weighted or weight > 1
        if key[0] == sorts.MODEL and len(self.models) < LARGEST_MODELS:
            self.models.append(sample)
            self.model_keys.append((key, weight))
        group.add(weight, size_bytes * weight, node, sample)
