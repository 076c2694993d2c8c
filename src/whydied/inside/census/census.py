"""The census: what lives in the process, how large it is and who holds it; runs in the user's process.

Invariant: garbage collection is held off while it runs (see `garbage_collection`); other threads wait longer
for the interpreter, so that the picture is of one moment; nothing of the user's is called, changed or kept. A census
ends at its deadline with what it has.

First the walk from the user's names; then, where that does not explain the memory or where time allows, one from the
variables of libraries. Each is short, and the program runs between the two: nothing but numbers and names is kept from
the first. What a census takes, in time and in memory, does not depend on how many objects there are: see `holders`.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import ModuleType
from typing import Any, NamedTuple

import msgspec

from whydied import wire
from whydied.inside import journal
from whydied.inside.census import array_sizes, holder_paths, model_weights, object_kinds
from whydied.inside.census.holder_paths import is_user_path
from whydied.inside.census.holders import Walk
from whydied.inside.census.object_counts import Group, Key, Large, Node, ObjectCounts, root_node
from whydied.inside.census.object_kinds import TypeFacts, type_facts
from whydied.inside.census.view_counts import Views
from whydied.inside.guest import garbage_collection, guard, standstill
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.ownership import Ownership
from whydied.inside.process.process_memory import MemoryLimit
from whydied.records import CensusTaken, ObjectGroup, ViewsHeld
from whydied.stream import LARGEST_RECORD_BYTES

LARGEST_GROUPS = 20
LARGEST_ALWAYS = 8
SMALLEST_HELD_BYTES = 1 << 20
WALK_S = 0.11
LIBRARIES_S = 0.09
"""Of its own processor time, for each of the two walks. The main thread stands still meanwhile, and while we weigh and
name what was found: a program may be stopped for 0.2 s in all."""
BREATH_S = 0.05
PATIENCE_S = 0.1
"""How long other threads wait for the interpreter before they ask for it, while a census runs."""
NEEDED_BYTES = 24 << 20
_ROOM = LARGEST_RECORD_BYTES - 1024
COUNTED_OF_LIBRARIES = (
    frozenset({object_kinds.TENSOR, object_kinds.VARIABLE, object_kinds.KERAS_VARIABLE, object_kinds.ARRAY})
    | object_kinds.ALWAYS_LISTED
)
"""Libraries have hundreds of thousands of small objects for their own use."""
LARGEST_ROOTS = 4000
LARGEST_GLOBALS = 20_000
_ENTERED = frozenset({object_kinds.SEQUENCE, object_kinds.MAPPING, object_kinds.INSTANCE}) | COUNTED_OF_LIBRARIES
VALUES_COMPARED = 48
LARGEST_COMPARED = 64
LARGEST_COPIES_NAMED = 8
_NUMERIC = frozenset({"float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "uint16"})


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a census may do. `expected_bytes` is the memory that it should explain: where the walk finds most of it,
    the look into libraries is left out, unless `whole`. It is also left out where `room_bytes` is little."""

    trigger: str
    rss_bytes: int = 0
    allocator_bytes: int | None = None
    expected_bytes: int = 0
    seconds: float = 1.0
    whole: bool = False
    room_bytes: int | None = None


@guarded("census.take")
def take(trigger: str, error: BaseException | None = None) -> CensusTaken | None:
    """A whole census, now, in this thread. The caller writes it. None where it failed. The variables of the frames that
    an exception came through count as living."""
    from whydied.inside.process import cpu_allocator, process_memory

    rss = process_memory.rss_bytes() or 0
    plan = Plan(
        trigger=trigger,
        rss_bytes=rss,
        allocator_bytes=cpu_allocator.read(),
        whole=True,
        room_bytes=MemoryLimit().room_bytes(rss),
    )
    try:
        return survey(plan, error=error)
    except MemoryError:
        guard.limited("census", "there was not enough memory left for it")
        return None


def survey(
    plan: Plan, publish: Callable[[CensusTaken], None] | None = None, error: BaseException | None = None
) -> CensusTaken:
    """Carry out a plan. Where the look into libraries follows, `publish` gets what the walk found before it: the
    process may die in the middle of it."""
    owner = journal.current()
    ownership = owner.ownership if owner is not None else Ownership("/")
    before, begun = time.perf_counter(), time.thread_time()
    memory: set[int] = set()
    with standing_still():
        counts = ObjectCounts(memory, most_bytes=plan.rss_bytes or math.inf)
        walk = Walk(ownership, counts, begun + min(WALK_S, plan.seconds))
        walk.run(error)
        seen, complete = walk.seen, walk.complete
        walked = _taken(plan, counts, ownership, before, complete)
        explained = 2 * counts.counted_bytes >= plan.expected_bytes or plan.seconds <= WALK_S
        narrow = plan.room_bytes is not None and plan.room_bytes < NEEDED_BYTES
        del counts, walk
        if narrow or (explained and not plan.whole):
            return walked
        if publish is not None:
            publish(msgspec.structs.replace(walked, complete=False))
    time.sleep(BREATH_S)
    with standing_still():
        now = time.thread_time()
        counts = ObjectCounts(memory, only=COUNTED_OF_LIBRARIES, most_bytes=plan.rss_bytes or math.inf)
        walk = Walk(ownership, counts, min(now + LIBRARIES_S, max(now, begun + plan.seconds)), seen)
        walk.run_from(_library_roots(ownership))
        return _joined(walked, _taken(plan, counts, ownership, before, complete))


@contextmanager
def standing_still() -> Iterator[None]:
    """While objects of the program's are looked at."""
    with standstill.of_main_thread(), garbage_collection.undisturbed(PATIENCE_S):
        try:
            yield
        finally:
            object_kinds.forget()


def _taken(plan: Plan, counts: ObjectCounts, ownership: Ownership, before: float, complete: bool) -> CensusTaken:
    model_weights.weigh(counts)
    for one in counts.large if counts.aliases else ():
        if one.node is not None and id(one.thing) in counts.aliases:
            one.node.also = counts.aliases[id(one.thing)]
    groups = _records(counts, ownership)
    sessions, operations = _graphs(counts)
    return _fit(
        CensusTaken(
            trigger=plan.trigger,
            rss_bytes=plan.rss_bytes,
            groups=groups,
            complete=complete,
            wall_s=round(time.perf_counter() - before, 6),
            python_bytes=counts.counted_bytes,
            allocator_bytes=plan.allocator_bytes,
            objects=sys.getallocatedblocks(),
            graph_operations=operations,
            sessions=sessions,
            views=[_viewed(counts, views) for views in counts.views.found if views.node is not None],
        )
    )


def _viewed(counts: ObjectCounts, views: Views) -> ViewsHeld:
    named = next((one.node for one in counts.large if one.thing is views.owner and one.node is not None), None)
    return ViewsHeld(
        path=holder_paths.path(views.node) if views.node is not None else "",
        number=views.number,
        shape=list(views.shape),
        dtype=views.dtype,
        shown_bytes=views.shown_bytes,
        of_bytes=views.of_bytes,
        of=holder_paths.path(named) if named is not None else "",
    )


def _joined(walked: CensusTaken, rest: CensusTaken) -> CensusTaken:
    """One record of what two walks found, no object in both."""
    groups = {(group.kind, group.type, str(group.shape), group.dtype): group for group in walked.groups}
    for group in rest.groups:
        key = (group.kind, group.type, str(group.shape), group.dtype)
        groups[key] = _sum(groups[key], group) if key in groups else group
    ranked = sorted(groups.values(), key=lambda group: -group.size_bytes)
    always = [group for group in ranked if group.kind in object_kinds.ALWAYS_LISTED]
    sized = [group for group in ranked if group.kind not in object_kinds.ALWAYS_LISTED]
    return _fit(
        msgspec.structs.replace(
            rest,
            groups=[*sized[:LARGEST_GROUPS], *always[:LARGEST_ALWAYS]],
            python_bytes=walked.python_bytes + rest.python_bytes,
            views=walked.views,
            sessions=_added(walked.sessions, rest.sessions),
            graph_operations=_added(walked.graph_operations, rest.graph_operations),
        )
    )


def _sum(one: ObjectGroup, other: ObjectGroup) -> ObjectGroup:
    count = one.count + other.count
    holders = [
        msgspec.structs.replace(holder, share=round(holder.share * group.count / max(1, count), 3))
        for group in (one, other)
        for holder in group.holders
    ]
    return msgspec.structs.replace(
        one,
        count=count,
        size_bytes=one.size_bytes + other.size_bytes,
        holders=holders,
        estimated=one.estimated or other.estimated,
    )


def _added(one: int | None, other: int | None) -> int | None:
    return other if one is None else one + (other or 0)


def _records(counts: ObjectCounts, ownership: Ownership) -> list[ObjectGroup]:
    ranked = sorted(counts.groups.items(), key=lambda item: -item[1].size_bytes)
    always = [item for item in ranked if item[0][0] in object_kinds.ALWAYS_LISTED]
    always.sort(key=lambda item: -item[1].count)
    sized = [item for item in ranked if item[0][0] not in object_kinds.ALWAYS_LISTED and item[1].size_bytes > 0]
    same = _find_copies(counts.large)
    found: list[ObjectGroup] = []
    for key, group in [*sized[:LARGEST_GROUPS], *always[:LARGEST_ALWAYS]]:
        found.append(_record(key, group, ownership, same))
    return found


def _record(key: Key, group: Group, ownership: Ownership, same: dict[Key, list[Copy]]) -> ObjectGroup:
    kind, type_name, shape, dtype = key
    large = group.size_bytes >= SMALLEST_HELD_BYTES or kind in object_kinds.ALWAYS_LISTED
    members, originals = _named(same.get(key, []))
    return ObjectGroup(
        kind=kind,
        type="numpy.memmap" if group.mapped else type_name,
        count=round(group.count),
        size_bytes=round(group.size_bytes),
        shape=list(shape) if shape is not None else None,
        dtype=dtype,
        holders=holder_paths.holders(group, ownership) if large else [],
        copies_of=originals[0] if originals else None,
        copies=members,
        originals=originals,
        estimated=group.estimated,
    )


def _graphs(counts: ObjectCounts) -> tuple[int | None, int | None]:
    """Open sessions, and the operations of all graphs that are not functions."""
    sessions = operations = 0
    seen = False
    for key, group in counts.groups.items():
        if key[0] == object_kinds.SESSION:
            seen = True
            opened = sum(not _attribute(one, "_closed") for one in group.samples)
            sessions += round(opened * group.count / len(group.samples))
        elif key[0] == object_kinds.GRAPH and not key[1].endswith("FuncGraph"):
            seen = True
            operations += sum(_operations(one) for one in group.samples)
    return (sessions, operations) if seen else (None, None)


def _attribute(thing: Any, name: str) -> Any:
    return dict(object_kinds.attributes(thing, object_kinds.type_facts(type(thing)))).get(name)


@guard.otherwise(0)
def _operations(graph: Any) -> int:
    return int(graph.num_operations())


def _fit(record: CensusTaken) -> CensusTaken:
    """The record, made smaller until it fits into the stream."""
    while len(wire.frame(0, 0, record)) > _ROOM and record.groups:
        record = msgspec.structs.replace(record, groups=record.groups[: len(record.groups) * 2 // 3])
    return record


def _library_roots(ownership: Ownership) -> list[tuple[Any, Node]]:
    """Variables of modules that are not the program's, each value once, with the names that lead to them."""
    found: dict[int, tuple[int, Any, str, ModuleType]] = {}
    # More than a hundred thousand variables in a process with TensorFlow: what is done for each has to be little.
    entered: dict[int, TypeFacts | None] = {}
    for module_name, module in list(sys.modules.items()):
        if type(module) is not ModuleType or module_name == "__main__" or module_name.startswith("whydied"):
            continue
        file = module.__dict__.get("__file__")
        if isinstance(file, str) and is_user_path(file, ownership):
            continue
        for name, value in list(islice(module.__dict__.items(), LARGEST_GLOBALS)):
            kind = id(type(value))
            if kind not in entered:
                facts = type_facts(type(value))
                entered[kind] = facts if facts.name in _ENTERED else None
            known = entered[kind]
            if known is not None and id(value) not in found and type(name) is str and name[:2] != "__":
                sized = known.name in (object_kinds.SEQUENCE, object_kinds.MAPPING)
                length = known.base.__len__(value) if sized else 0  # type: ignore[attr-defined]
                found[id(value)] = (length, value, f"{module_name}.{name}", module)
    ranked = sorted(found.values(), key=lambda one: -one[0])[:LARGEST_ROOTS]
    return [(value, _library_node(name, module)) for _, value, name, module in ranked]


def _library_node(name: str, module: ModuleType) -> Node:
    # As it is: to resolve thousands of links would take longer than all the rest.
    file = module.__dict__.get("__file__")
    return root_node(name, "library", file if isinstance(file, str) else "", 1, "<module>")


class Copy(NamedTuple):
    """A member of a group that has the contents of `original`."""

    original: Large
    member: Large


def _find_copies(large: list[Large]) -> dict[Key, list[Copy]]:
    """For each group its members that have the contents of another object. The first stays the original: among equals
    the smaller element type, so that a float64 copy points at its float32."""
    ranked = sorted(large, key=lambda one: -one.size_bytes)[:LARGEST_COMPARED]
    ranked.sort(key=lambda one: one.size_bytes)
    originals: dict[tuple[int, bytes], Large] = {}
    found: dict[Key, list[Copy]] = {}
    for one in ranked:
        print_ = _fingerprint(one)
        if print_ is None:
            continue
        first = originals.setdefault(print_, one)
        if first is not one:
            found.setdefault(one.key, []).append(Copy(first, one))
    return found


def _named(found: list[Copy]) -> tuple[list[str], list[str]]:
    """The members as the source writes them, and for each its original; the same name may stand for several."""
    told = found[:LARGEST_COPIES_NAMED]
    return [holder_paths.path(copy.member.node) if copy.member.node is not None else "" for copy in told], [
        _described(copy.original) for copy in told
    ]


def _described(one: Large) -> str:
    kind, _, shape, dtype = one.key
    what = f"{dtype} {kind} {list(shape or ())}"
    return f"{holder_paths.path(one.node)} ({what})" if one.node is not None else what


@guard.otherwise(None)
def _fingerprint(one: Large) -> tuple[int, bytes] | None:
    values = array_sizes.contents(one.thing, one.facts) if one.key[3] in _NUMERIC else None
    return _sampled(values) if values is not None else None


def _sampled(values: Any) -> tuple[int, bytes] | None:
    numpy: Any = sys.modules["numpy"]
    plain = numpy.ndarray.view(values, numpy.ndarray)
    if not plain.flags.c_contiguous:
        return None
    size = plain.size
    flat = plain.reshape(-1)
    # A stride that is odd does not fall into step with rows of even width.
    with numpy.errstate(all="ignore"):
        # A value beyond float32 would be a warning in the user's output.
        taken = flat[:: max(1, size // VALUES_COMPARED) | 1][:VALUES_COMPARED].astype(numpy.float32)
    if not (taken != taken[0]).any():
        return None
    return size, taken.tobytes()
