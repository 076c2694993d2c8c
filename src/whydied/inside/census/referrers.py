"""What no name of the user's leads to: everything that the garbage collector knows, and the way up from it; runs in the
user's process, inside a census.

What always holds: the caller has switched collection off. Referrers are followed for a few samples of each large group,
all in one call a level, because a call goes over every object of the process.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from itertools import compress, filterfalse
from types import ModuleType
from typing import Any, NamedTuple

from whydied.inside.census import object_kinds
from whydied.inside.census.holder_node import Node
from whydied.inside.census.holder_paths import is_user_path
from whydied.inside.census.object_counts import Group, Key, ObjectCounts
from whydied.inside.census.object_kinds import type_facts
from whydied.inside.guest import tracked_objects
from whydied.inside.guest.ownership import Ownership

LEVELS = 6
SAMPLED = 3
WIDEST = 40
MANY = 3
TIMES = 6
"""The rest of the look takes about so many times as long as asking for all objects: better not begun than half done."""
LARGEST_LOOSE = 2000
LARGEST_LEVEL = 50_000
SMALLEST_BYTES = 8 << 20
_WANTED = (
    frozenset({object_kinds.TENSOR, object_kinds.VARIABLE, object_kinds.KERAS_VARIABLE, object_kinds.ARRAY})
    | object_kinds.ALWAYS_LISTED
)
_BARREN = frozenset(
    {
        object_kinds.OPAQUE,
        object_kinds.ATOM,
        object_kinds.TEXT,
        object_kinds.TENSOR,
        object_kinds.FUNCTION,
        object_kinds.CLASS,
        object_kinds.METHOD,
    }
)


# Long strings that only a library holds are rare, and looking at every string is not cheap.
# Types by their addresses: a metaclass of the user's may compare and hash its classes in its own way.
_TEXTS = frozenset(map(id, (bytes, bytearray)))
_PAIRS = frozenset(map(id, (dict, tuple)))
_TUPLE = frozenset({id(tuple)})


class Rest(NamedTuple):
    objects: int
    complete: bool


def look(counts: ObjectCounts, seen: set[int], ownership: Ownership, deadline: float) -> Rest:
    """Count what lives and was not seen, and name who holds the large groups of it. The deadline is one of this
    thread's own processor time, as that of the walk."""
    ours: set[int] = {id(seen), id(counts), id(counts.groups), id(counts.large), id(counts.models), id(counts.__dict__)}
    before = time.thread_time()
    everything = tracked_objects.objects()
    now = time.thread_time()
    ours.add(id(everything))
    count = len(everything)
    if now + TIMES * (now - before) > deadline:
        return Rest(count, False)
    kinds = _kinds(everything)
    found = _of_kinds(everything, kinds, _WANTED)
    fertile = frozenset(key for key, kind in kinds.items() if type_facts(kind).name not in _BARREN)
    holders = list(compress(everything, map(fertile.__contains__, map(id, map(type, everything)))))
    everything.clear()
    ours.add(id(holders))
    complete = time.thread_time() < deadline
    loose: list[Any] = []
    ours.add(id(loose))
    if complete:
        found += _untracked(holders, seen, loose)
    holders.clear()
    fresh = {id(one): one for one in found if id(one) not in seen}
    found.clear()
    ours |= {id(fresh), id(found)}
    unheld: dict[int, Group] = {}
    for one in fresh.values():
        counts.add_rest(one, type_facts(type(one)))
    for key, group in counts.groups.items():
        lost = group.places.get(None, 0)
        if lost and (group.size_bytes * lost >= SMALLEST_BYTES * group.count or _many(key, lost)):
            unheld[id(group)] = group
    fresh_ids = set(fresh)
    fresh.clear()
    if time.thread_time() < deadline:
        complete = _name(list(unheld.values()), fresh_ids, ours, loose, ownership, deadline) and complete
    return Rest(count, complete)


def _many(key: Key, count: float) -> bool:
    """Traced functions have graphs by the dozen: who holds those is no news."""
    return key[0] in object_kinds.ALWAYS_LISTED and count >= MANY and not key[1].endswith("FuncGraph")


def _kinds(things: list[Any]) -> dict[int, type]:
    return dict(zip(map(id, map(type, things)), map(type, things), strict=True))


def _of_kinds(things: list[Any], kinds: dict[int, type], wanted: frozenset[str]) -> list[Any]:
    chosen = frozenset(key for key, kind in kinds.items() if type_facts(kind).name in wanted)
    return list(compress(things, map(chosen.__contains__, map(id, map(type, things)))))


def _untracked(holders: list[Any], seen: set[int], loose: list[Any]) -> list[Any]:
    """Arrays and large texts: the collector does not know them, only what refers to them. Nor does it know dictionaries
    and tuples that hold nothing but such things: those go to `loose`. Tuples that it knows are met on the way."""
    found: list[Any] = []
    entered: set[int] = set()
    level = holders
    for _ in range(6):
        referred = gc.get_referents(*level)
        types = list(map(id, map(type, referred)))
        arrays = frozenset(key for key, kind in _kinds(referred).items() if type_facts(kind).name == object_kinds.ARRAY)
        found += compress(referred, map((arrays | _TEXTS).__contains__, types))
        unknown = list(filterfalse(gc.is_tracked, compress(referred, map(_PAIRS.__contains__, types))))
        unknown = list({id(one): one for one in unknown if id(one) not in seen}.values())
        unknown = unknown[:: -(-len(unknown) // LARGEST_LEVEL) or 1]
        loose += sorted(unknown, key=len, reverse=True)[:LARGEST_LOOSE]
        known = filter(gc.is_tracked, compress(referred, map(_TUPLE.__contains__, types)))
        level = unknown + [one for key, one in {id(one): one for one in known}.items() if key not in entered]
        entered.update(map(id, level))
        if not level:
            break
    return [one for one in found if id(type(one)) not in _TEXTS or len(one) > object_kinds.LARGE_TEXT_BYTES]


class _Trail:
    """A way upwards from one sample: what to look for next, and the labels met so far, innermost first."""

    __slots__ = ("container", "done", "group", "labels", "length", "sought")

    def __init__(self, group: Group, sample: Any) -> None:
        self.group = group
        self.sought = sample
        self.labels: list[str] = []
        self.container = ""
        self.length: int | None = None
        self.done: Node | None = None


def _name(
    groups: list[Group], fresh: set[int], ours: set[int], loose: list[Any], ownership: Ownership, deadline: float
) -> bool:
    trails: list[_Trail] = []
    samples: list[Any] = []
    for group in sorted(groups, key=lambda one: -one.size_bytes)[: WIDEST // SAMPLED]:
        samples = [sample for sample in group.samples if id(sample) in fresh]
        step = max(1, len(samples) // SAMPLED)
        trails += [_Trail(group, sample) for sample in samples[::step][:SAMPLED]]
        samples.clear()
    ours |= {id(trails), id(groups), id(fresh), id(ours)}
    complete = True
    for _ in range(LEVELS):
        open_ = [trail for trail in trails if trail.done is None and trail.sought is not None]
        if not open_:
            break
        if time.thread_time() > deadline:
            complete = False
            break
        _step(open_, ours, loose, ownership)
    _settle(trails)
    return complete


def _step(trails: list[_Trail], ours: set[int], loose: list[Any], ownership: Ownership) -> None:
    soughts = [trail.sought for trail in trails]
    ids = {id(one) for one in soughts}
    hidden = ours | {id(trails), id(soughts)} | {id(trail) for trail in trails}
    hidden |= {id(trail.group.samples) for trail in trails} | {id(trail.group) for trail in trails}
    by_sought: dict[int, list[Any]] = {}
    referring = tracked_objects.referrers(soughts)
    for one in [*referring, *loose]:
        if id(one) in hidden or one is by_sought or _is_ours(one):
            continue
        for target in gc.get_referents(one) if not isinstance(one, dict) else list(dict.values(one)):
            for key in _met(target, ids, tracked_objects.NESTED):
                by_sought.setdefault(key, []).append(one)
    del referring
    for trail in trails:
        candidates = by_sought.get(id(trail.sought), [])
        _ascend(trail, candidates, ownership)


def _met(thing: Any, ids: set[int], depth: int) -> Iterator[int]:
    """Which of these things this is, or has in it as a tuple."""
    if id(thing) in ids:
        yield id(thing)
    elif type(thing) is tuple and depth:
        for one in thing:
            yield from _met(one, ids, depth - 1)


def _leads(thing: Any, sought: Any) -> bool:
    return any(_met(thing, {id(sought)}, tracked_objects.NESTED))


def _is_ours(thing: Any) -> bool:
    module = type.__getattribute__(type(thing), "__module__")
    if isinstance(module, str) and module.startswith("whydied."):
        return True
    return type(thing).__name__ == "frame" and str(thing.f_globals.get("__name__")).startswith("whydied.")


def _ascend(trail: _Trail, candidates: list[Any], ownership: Ownership) -> None:
    """Go to the referrer that names best: a module, a class's attribute, a long container, then anything."""
    best = max(candidates, key=_worth, default=None)
    if best is None:
        trail.done = _node(trail, "", "unknown")
        return
    facts = type_facts(type(best))
    if facts.base is dict:
        key = next((key for key, value in list(dict.items(best)) if _leads(value, trail.sought)), None)
        module = _module_of(best)
        if module is not None:
            file = best.get("__file__")
            user = isinstance(file, str) and is_user_path(file, ownership)
            shown = "" if module == "__main__" else f"{module.rpartition('.')[2] if user else module}."
            trail.done = _node(trail, f"{shown}{key}", "global" if user else "library")
            trail.done.file = ownership.resolve(file) if isinstance(file, str) else ""
            trail.done.line, trail.done.function = 1, "<module>"
            return
        if isinstance(key, str):
            trail.labels.append(f"[{key[:60]!r}]")
        _contained(trail, best, facts)
    elif facts.name == object_kinds.SEQUENCE:
        _contained(trail, best, facts)
    elif facts.name in (
        object_kinds.INSTANCE,
        object_kinds.MODEL,
        object_kinds.OPTIMIZER,
        object_kinds.DATASET,
        object_kinds.SESSION,
        object_kinds.GRAPH,
    ):
        name = next((name for name, value in object_kinds.attributes(best, facts) if _leads(value, trail.sought)), None)
        if name is not None:
            trail.labels.append(f".{name}")
            if not trail.container:
                trail.container = facts.type
            trail.done = _node(trail, facts.type, "library")
            return
    trail.sought = best


def _contained(trail: _Trail, thing: Any, facts: object_kinds.TypeFacts) -> None:
    base: Any = facts.base
    length = int(base.__len__(thing))
    if trail.length is None or length > trail.length:
        trail.container, trail.length = facts.type, length


def _worth(thing: Any) -> tuple[int, int]:
    facts = type_facts(type(thing))
    if facts.base is dict:
        return (3, len(thing)) if _module_of(thing) else (2, len(thing))
    if facts.name == object_kinds.SEQUENCE:
        base: Any = facts.base
        return 2, int(base.__len__(thing))
    if facts.name in (object_kinds.INSTANCE, object_kinds.MODEL, object_kinds.OPTIMIZER):
        return 1, 0
    return 0, 0


def _module_of(space: dict[Any, Any]) -> str | None:
    name = dict.get(space, "__name__")
    if type(name) is not str:
        return None
    module = sys.modules.get(name)
    return name if type(module) is ModuleType and module.__dict__ is space else None


def _node(trail: _Trail, start: str, root: str) -> Node:
    node = Node(None, start + "".join(reversed(trail.labels)), root)
    node.container, node.length = trail.container, trail.length
    return node


def _settle(trails: list[_Trail]) -> None:
    """Give the objects that were found nowhere to the places that their samples led to."""
    by_group: dict[int, list[_Trail]] = {}
    for trail in trails:
        by_group.setdefault(id(trail.group), []).append(trail)
    for members in by_group.values():
        group = members[0].group
        lost = group.places.pop(None, 0)
        known: dict[str, Node] = {}
        for trail in members:
            node = trail.done or _node(trail, "", "unknown")
            node = known.setdefault(node.label, node)
            group.places[node] = group.places.get(node, 0) + lost / len(members)
