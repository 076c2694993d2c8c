"""Counts what a census found, by kind, type, shape and dtype, with the place each was found at; runs in the user's
process.

Invariant: memory is counted once, however many views, aliases and names it has. Objects are kept only as long
as the census that owns the counts runs.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, NamedTuple

from whydied.inside.census import array_sizes, object_kinds, other_tensors
from whydied.inside.census.object_kinds import TypeFacts
from whydied.inside.census.view_counts import ViewCounts
from whydied.inside.guest import guard

LARGEST_BULK = 1000
LARGEST_ALIKE = 500
"""Of objects whose sizes hardly differ, such as instances of one class, this many stand for all."""
LARGEST_FORMS = 500
"""Arrays and tensors of so many shapes and element types are counted by these; of more, a sample stands for all."""
LARGE_BYTES = 1 << 20
LARGEST_MODELS = 1000
LARGEST_GROUPS = 2000
"""What is of one more shape is counted by its type alone."""
SAMPLES = 50
_KINDS = {
    object_kinds.KERAS_VARIABLE: "variable",
    object_kinds.SEQUENCE: "container",
    object_kinds.MAPPING: "container",
    object_kinds.FRAME: "container",
    object_kinds.INSTANCE: "object",
    object_kinds.ATOM: "object",
    object_kinds.FUNCTION: "object",
    object_kinds.METHOD: "object",
    object_kinds.CELL: "object",
    object_kinds.CLASS: "object",
    object_kinds.OPAQUE: "object",
}
_DIFFERENT = frozenset({object_kinds.TENSOR, object_kinds.ARRAY, object_kinds.VARIABLE, object_kinds.KERAS_VARIABLE})

Key = tuple[str, str, "tuple[int | None, ...] | None", "str | None"]


FEWEST_IN_CHAIN = 16


class Node:
    """One step of a way: the label as the source writes it, and what stands there."""

    __slots__ = (
        "also",
        "attribute",
        "container",
        "file",
        "function",
        "label",
        "length",
        "line",
        "owner",
        "parent",
        "root",
    )

    def __init__(self, parent: Node | None, label: str, root: str = "") -> None:
        self.parent = parent
        self.label = label
        self.root: str = root or (parent.root if parent is not None else "unknown")
        self.file = ""
        self.function = ""
        self.line = 0
        self.container = ""
        self.length: int | None = None
        self.owner: type | None = None
        self.attribute = ""
        self.also: list[str] = []
        """Other names under which a notebook keeps the same."""

    def holds(self, thing: Any, facts: object_kinds.TypeFacts) -> None:
        """Remember the container that stands at this place."""
        self.container = facts.type
        if facts.name in (object_kinds.SEQUENCE, object_kinds.MAPPING):
            base: Any = facts.base
            self.length = int(base.__len__(thing))


def root_node(label: str, root: str, file: str, line: int, function: str) -> Node:
    """A way begins at a name that stands there."""
    node = Node(None, label, root)
    node.file, node.line, node.function = file, line, function
    return node


class Large(NamedTuple):
    """A single array or tensor that is worth comparing with others."""

    key: Key
    thing: Any
    facts: TypeFacts
    size_bytes: int
    node: Node | None


class Group:
    __slots__ = ("count", "estimated", "mapped", "places", "samples", "size_bytes")

    def __init__(self, mapped: bool = False) -> None:
        self.count: float = 0
        self.size_bytes: float = 0
        self.mapped = mapped
        self.estimated = False
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


class ObjectCounts:
    """Several counts that share a `memory` count what they have in common once, in the first. `only` are the kinds that
    count, where not all do; `most_bytes` is what the whole process has."""

    def __init__(
        self, memory: set[int] | None = None, only: frozenset[str] | None = None, most_bytes: float = math.inf
    ) -> None:
        self._only = only
        self._most_bytes = most_bytes
        self.groups: dict[Key, Group] = {}
        self.large: list[Large] = []
        self.models: list[Any] = []
        self.model_keys: list[tuple[Key, float]] = []
        """For each model its group and the number that it stands for; what it weighs is found out at the end."""
        self.aliases: dict[int, list[str]] = {}
        """By the address of an object, other names under which a notebook keeps it."""
        self.views = ViewCounts()
        self._memory: set[int] = set() if memory is None else memory
        self._chains_left = other_tensors.LONGEST_CHAIN

    @property
    def counted_bytes(self) -> int:
        return round(
            sum(
                group.size_bytes
                for key, group in self.groups.items()
                if not group.mapped and key[0] not in object_kinds.ALWAYS_LISTED
            )
        )

    def add(self, thing: Any, facts: TypeFacts, node: Node | None, weight: float = 1) -> None:
        """Count one object that stands for `weight` like it."""
        if self._only is not None and facts.name not in self._only:
            return
        kind, mapped = _KINDS.get(facts.name, facts.name), False
        if facts.name == object_kinds.ARRAY:
            owner = array_sizes.owner(thing, facts)
            if owner.key in self._memory:
                return
            self._memory.add(owner.key)
            thing, mapped = owner.array, owner.mapped
            facts = object_kinds.type_facts(type(thing))
        elif facts.name == object_kinds.KERAS_VARIABLE:
            inner = dict(object_kinds.attributes(thing, facts)).get("_value")
            if inner is not None:
                self._memory.add(id(inner))
        elif facts.name == object_kinds.VARIABLE and id(thing) in self._memory:
            return
        elif facts.name == object_kinds.TENSOR and other_tensors.is_other(facts.base):
            # The value of a variable of Keras, or what an array of NumPy shows, is such a tensor too.
            if id(thing) in self._memory:
                return
            self._memory.add(id(thing))
            if _keeps_graph(thing, facts):
                self._count((object_kinds.TAPE, facts.type, None, None), 0, node, thing, weight)
                self._count_chain(thing, facts, node)
        measure = _measure(thing, facts)
        if measure.size_bytes >= LARGE_BYTES and facts.name in (object_kinds.TENSOR, object_kinds.ARRAY) and not mapped:
            if facts.name == object_kinds.TENSOR and self._alias(thing, facts):
                return
            if len(self.large) < 400:
                key = (kind, facts.type, measure.shape, measure.dtype)
                self.large.append(Large(key, thing, facts, measure.size_bytes, node))
        self._count((kind, facts.type, measure.shape, measure.dtype), measure.size_bytes, node, thing, weight, mapped)

    def _count_chain(self, thing: Any, facts: TypeFacts, node: Node | None) -> None:
        """Count the ops of a graph that grows by one with each step, of as many tensors as there is time for."""
        if self._chains_left > 0:
            name, length = _chain(thing, facts)
            self._chains_left -= length
            if length >= FEWEST_IN_CHAIN:
                self._count((object_kinds.TAPE, f"torch.autograd.{name}", None, None), 0, node, thing, length)

    def add_bulk(self, things: list[Any], facts: TypeFacts, node: Node | None, weight: float = 1) -> None:
        """Count many objects of one type; of very many, a spread sample stands for the rest. What is built in has its
        size taken exactly, in one C call."""
        if self._only is not None and facts.name not in self._only:
            return
        if object_kinds.is_plain(facts):
            size = object_kinds.shallow_bytes_of_all(things, facts)
            key = (_KINDS.get(facts.name, facts.name), facts.type, None, None)
            self._count(key, size / len(things), node, things[0], weight * len(things), many=len(things))
            return
        most = LARGEST_BULK if facts.name in _DIFFERENT else LARGEST_ALIKE
        if facts.name == object_kinds.ARRAY:
            self.views.add(things, facts, node, weight)
        # Of tensors of PyTorch each may keep a graph, whatever its form.
        by_form = facts.name in (object_kinds.ARRAY, object_kinds.TENSOR) and not other_tensors.is_torch(facts.base)
        if by_form and len(things) > LARGEST_ALIKE:
            things = self._not_alike(things, facts, node, weight)
        if len(things) > most:
            # A few large ones among many small ones are met by chance, and count by their size.
            large, things = _largest(things, facts, most // 4)
            for thing in large:
                self.add(thing, facts, node, weight)
        taken = things[:: -(-len(things) // most)] if len(things) > most else things
        for thing in taken:
            self.add(thing, facts, node, weight * len(things) / len(taken))

    def _not_alike(self, things: list[Any], facts: TypeFacts, node: Node | None, weight: float) -> list[Any]:
        """Count small arrays or tensors by their form, and return those that have to be looked at one by one."""
        known = self._memory.intersection(map(id, things))
        things = [thing for thing in things if id(thing) not in known] if known else things
        try:
            forms = array_sizes.forms(things, facts)
        except Exception as error:
            if guard.is_the_users(error):
                raise
            return things
        counts = Counter(forms)
        if len(counts) > LARGEST_FORMS:
            return things
        for form, thing in dict(zip(forms, things, strict=True)).items():
            measure = _measure(thing, facts)
            if form[2] and measure.size_bytes < LARGE_BYTES:
                key = (_KINDS.get(facts.name, facts.name), facts.type, measure.shape, measure.dtype)
                self._count(key, measure.size_bytes, node, thing, weight * counts[form], many=counts.pop(form))
        if facts.name == object_kinds.ARRAY:
            self._memory.update(id(thing) for thing, form in zip(things, forms, strict=True) if form not in counts)
        return [thing for thing, form in zip(things, forms, strict=True) if form in counts]

    def _alias(self, thing: Any, facts: TypeFacts) -> bool:
        """Whether another tensor with the same memory was counted."""
        address = _address(thing, facts)
        if not address:
            return False
        if -address in self._memory:
            return True
        self._memory.add(-address)
        return False

    def _count(
        self,
        key: Key,
        size_bytes: float,
        node: Node | None,
        sample: Any,
        weight: float,
        mapped: bool = False,
        many: int = 1,
    ) -> None:
        """Count `many` things of one size that stand for `weight`."""
        group = self.groups.get(key)
        if group is None and len(self.groups) >= LARGEST_GROUPS:
            key = (*key[:2], None, None)
            group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = Group(mapped)
        # What is one of many has so many like it as fit into the process.
        weight = min(weight, max(many, self._most_bytes / size_bytes)) if size_bytes else weight
        group.estimated = group.estimated or weight > many
        if key[0] == object_kinds.MODEL and len(self.models) < LARGEST_MODELS:
            self.models.append(sample)
            self.model_keys.append((key, weight))
        group.add(weight, size_bytes * weight, node, sample)


@guard.otherwise(array_sizes.NOTHING)
def _measure(thing: Any, facts: TypeFacts) -> array_sizes.Measure:
    """Something that cannot be measured is counted, its size is not known."""
    if facts.name in object_kinds.LEAVES or facts.name == object_kinds.KERAS_VARIABLE:
        return array_sizes.measure(thing, facts)
    return array_sizes.Measure(None, None, object_kinds.shallow_bytes(thing, facts))


@guard.otherwise(False)
def _keeps_graph(thing: Any, facts: TypeFacts) -> bool:
    return other_tensors.keeps_graph(thing, facts.base)


@guard.otherwise(("", 0))
def _chain(thing: Any, facts: TypeFacts) -> tuple[str, int]:
    return other_tensors.chain(thing, facts.base)


@guard.otherwise(0)
def _address(thing: Any, facts: TypeFacts) -> int:
    """Where the values of a tensor lie."""
    if other_tensors.is_other(facts.base):
        return other_tensors.address(thing, facts.base)
    shared = array_sizes.contents(thing, facts)
    return int(shared.__array_interface__["data"][0]) if shared is not None else 0


def _largest(things: list[Any], facts: TypeFacts, most: int) -> tuple[list[Any], list[Any]]:
    """Those that are far larger than the mean, and the others."""
    try:
        sizes = array_sizes.sizes(things, facts)
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return [], things
    far = 8 * sum(sizes) / len(things)
    if not sizes or max(sizes) <= far:
        return [], things
    order = sorted(range(len(things)), key=sizes.__getitem__, reverse=True)
    large = [number for number in order[:most] if sizes[number] > far]
    return [things[number] for number in large], [things[number] for number in order[len(large) :]]
