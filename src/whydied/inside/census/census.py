"""The census: what lives in the process, how large it is and who holds it; runs in the user's process.

What always holds: garbage collection is held off while it runs (see `collection`); other threads wait longer for the
interpreter, so that the picture is of one moment; nothing of the user's is called, changed or kept. A census ends at
its deadline with what it has.

First the walk from the user's names, which costs little; then, where that does not explain the memory or where time
allows, everything that the garbage collector knows, with referrers followed upwards for what no name led to.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec

from whydied import wire
from whydied.inside import journal
from whydied.inside.census import copies, holder_paths, model_weights, object_kinds, referrers
from whydied.inside.census.holders import Walk
from whydied.inside.census.object_counts import Group, Key, ObjectCounts
from whydied.inside.guest import garbage_collection, guard, standstill
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.ownership import Ownership
from whydied.inside.process.memory_limit import MemoryLimit
from whydied.records import CensusTaken, ObjectGroup
from whydied.stream import LARGEST_RECORD_BYTES

LARGEST_GROUPS = 20
LARGEST_ALWAYS = 8
SMALLEST_HELD_BYTES = 1 << 20
WALK_S = 0.15
PATIENCE_S = 0.1
"""How long other threads wait for the interpreter before they ask for it, while a census runs."""
NEEDED_BYTES = 96 << 20
_ROOM = LARGEST_RECORD_BYTES - 1024


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a census may do. `expected_bytes` is the memory that it should explain: where the walk finds most of it,
    the look at everything else is left out, unless `whole`. It is also left out where `room_bytes` is little, because
    its lists would be the last straw."""

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

    current = cpu_allocator.read()
    rss = process_memory.rss_bytes() or 0
    plan = Plan(
        trigger=trigger,
        rss_bytes=rss,
        allocator_bytes=current[0] if current else None,
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
    """Carry out a plan. Where the look at everything follows, `publish` gets what the walk found before it: the process
    may die in the middle of it."""
    owner = journal.current()
    ownership = owner.ownership if owner is not None else Ownership("/")
    before = time.perf_counter()
    with standstill.of_main_thread(), garbage_collection.undisturbed(PATIENCE_S):
        try:
            return _survey(plan, ownership, before, publish, error)
        finally:
            object_kinds.forget()


def _survey(
    plan: Plan,
    ownership: Ownership,
    before: float,
    publish: Callable[[CensusTaken], None] | None,
    error: BaseException | None,
) -> CensusTaken:
    counts = ObjectCounts()
    # Its own processor time: on a busy machine the clock would cut the walk short before it got anywhere.
    begun = time.thread_time()
    walk = Walk(ownership, counts, begun + min(WALK_S, plan.seconds))
    walk.run(error)
    explained = 2 * counts.counted_bytes >= plan.expected_bytes or plan.seconds <= WALK_S
    narrow = plan.room_bytes is not None and plan.room_bytes < NEEDED_BYTES
    if narrow or (explained and not plan.whole):
        return _taken(plan, counts, ownership, before, walk.complete, 0)
    if publish is not None:
        publish(_taken(plan, counts, ownership, before, False, 0))
    rest = referrers.look(counts, walk.seen, ownership, begun + plan.seconds)
    return _taken(plan, counts, ownership, before, walk.complete and rest.complete, rest.objects)


def _taken(
    plan: Plan, counts: ObjectCounts, ownership: Ownership, before: float, complete: bool, objects: int
) -> CensusTaken:
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
            objects=objects,
            graph_operations=operations,
            sessions=sessions,
        )
    )


def _records(counts: ObjectCounts, ownership: Ownership) -> list[ObjectGroup]:
    ranked = sorted(counts.groups.items(), key=lambda item: -item[1].size_bytes)
    always = [item for item in ranked if item[0][0] in object_kinds.ALWAYS_LISTED]
    always.sort(key=lambda item: -item[1].count)
    sized = [item for item in ranked if item[0][0] not in object_kinds.ALWAYS_LISTED and item[1].size_bytes > 0]
    same = copies.find(counts.large)
    found: list[ObjectGroup] = []
    for key, group in [*sized[:LARGEST_GROUPS], *always[:LARGEST_ALWAYS]]:
        found.append(_record(key, group, ownership, same))
    return found


def _record(key: Key, group: Group, ownership: Ownership, same: dict[Key, list[copies.Copy]]) -> ObjectGroup:
    kind, type_name, shape, dtype = key
    large = group.size_bytes >= SMALLEST_HELD_BYTES or kind in object_kinds.ALWAYS_LISTED
    members, originals = copies.named(same.get(key, []))
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


def _operations(graph: Any) -> int:
    try:
        return int(graph.num_operations())
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return 0


def _fit(record: CensusTaken) -> CensusTaken:
    """The record, made smaller until it fits into the stream."""
    while len(wire.frame(0, 0, record)) > _ROOM and record.groups:
        record = msgspec.structs.replace(record, groups=record.groups[: len(record.groups) * 2 // 3])
    return record
