"""The census in this very process, without TensorFlow: what it finds, how it names it, and what it leaves alone."""

from __future__ import annotations

import functools
import gc
import sys
import threading
import time
import tracemalloc
from collections import defaultdict, deque
from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar

import pytest

from whydied.inside.census import census, holders, object_counts, object_kinds
from whydied.inside.census.object_counts import ObjectCounts
from whydied.inside.guest.ownership import Ownership
from whydied.records import CensusTaken, Holder, ObjectGroup

LARGE = 1 << 20


@pytest.fixture(autouse=True)
def _nothing_left_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    # A walk that has all the time it wants finds the same on a busy machine.
    monkeypatch.setattr(time, "thread_time", lambda: 0.0)
    gc.collect()


def _take() -> CensusTaken:
    taken = census.take("peek")
    assert taken is not None
    return taken


def _group(taken: CensusTaken, kind: str, type_name: str, least: int = LARGE) -> ObjectGroup:
    found = [g for g in taken.groups if (g.kind, g.type) == (kind, type_name) and g.size_bytes >= least]
    assert found, taken.groups
    return found[0]


def _holder(group: ObjectGroup) -> Holder:
    return max(group.holders, key=lambda holder: holder.share)


def _blobs(count: int = 40) -> list[bytearray]:
    return [bytearray(LARGE) for _ in range(count)]


def test_texts_in_a_local_list() -> None:
    blobs = _blobs()
    group = _group(_take(), "text", "bytearray")
    assert group.count == len(blobs)
    assert abs(group.size_bytes - 40 * LARGE) < 0.01 * 40 * LARGE
    holder = _holder(group)
    assert (holder.path, holder.root, holder.container, holder.length) == ("blobs", "local", "list", 40)
    assert holder.function == "test_texts_in_a_local_list"
    assert holder.file == __file__


def test_a_dictionary_that_the_collector_does_not_track() -> None:
    cache = {number: bytes(LARGE + number) for number in range(40)}
    assert not gc.is_tracked(cache) or sys.version_info >= (3, 14)
    holder = _holder(_group(_take(), "text", "bytes"))
    assert (holder.path, holder.container, holder.length) == ("cache", "dict", 40)


def test_plain_records_are_counted_with_what_is_in_them() -> None:
    records = [{"number": float(n), "name": f"record {n}"} for n in range(50_000)]
    taken = _take()
    # A group has all strings of the process, those of the test runner too; the holder's share are the records'.
    counts = {(g.type, _holder(g).path): g.count * _holder(g).share for g in taken.groups if g.holders}
    for type_name in ("dict", "float", "str"):
        assert abs(counts[type_name, "records"] - len(records)) <= 0.1 * len(records)


@pytest.mark.parametrize(("rows", "columns"), [(10_000, 200), (50, 40_000)], ids=["many rows", "long rows"])
def test_numbers_in_rows_are_counted_by_a_part_of_them(rows: int, columns: int) -> None:
    table = [[row + column / 8 for column in range(columns)] for row in range(rows)]
    group = _group(_take(), "object", "float")
    assert abs(group.count - rows * columns) < 0.02 * rows * columns
    holder = _holder(group)
    assert (holder.path, holder.length) == ("table", len(table))


def test_the_keys_of_a_large_dictionary_count() -> None:
    known = {f"user-{number}": number for number in range(600_000)}
    taken = _take()
    texts = _group(taken, "text", "str")
    assert abs(texts.count - len(known)) < 0.02 * len(known)
    # 11 letters and the 49 bytes around them lie in a block of 64.
    assert texts.size_bytes / texts.count == pytest.approx(64, rel=0.1)
    assert _holder(texts).path == "known"
    numbers = _group(taken, "object", "int")
    assert numbers.size_bytes / numbers.count == pytest.approx(32, rel=0.15)


def test_of_a_very_long_queue_a_part_is_listed() -> None:
    queue = deque(map(float, range(1_200_000)))
    assert len(object_kinds.items(queue, object_kinds.type_facts(deque))) == object_kinds.LARGEST_LISTED
    group = _group(_take(), "object", "float")
    assert abs(group.count - len(queue)) < 0.02 * len(queue)
    assert (_holder(group).path, _holder(group).length) == ("queue", len(queue))


def _numbers(count: int) -> list[float]:
    return list(map(float, range(count)))


@pytest.mark.parametrize(
    ("made", "rows", "columns"),
    [
        (list, 4000, 500),
        (tuple, 40, 30_000),
        (deque, 40, 30_000),
        (lambda values: dict(enumerate(values)), 40, 30_000),
    ],
    ids=["many lists", "long tuples", "long queues", "large dictionaries"],
)
def test_only_as_much_as_may_be_looked_at_is_touched(
    made: Callable[[list[float]], Any], rows: int, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = [made(_numbers(columns)) for _ in range(rows)]
    asked: list[int] = []

    def get_referents(*things: Any) -> list[Any]:
        found = referents(*things)
        asked.append(len(found))
        return found

    referents = gc.get_referents
    monkeypatch.setattr(holders.gc, "get_referents", get_referents)
    counts = ObjectCounts()
    holders.Walk(Ownership("/"), counts, 1.0).of(table, object_counts.Node(None, "table", "local"))
    assert max(asked, default=0) <= 1.1 * holders.LARGEST_REFERENTS
    floats = next(group for key, group in counts.groups.items() if key[1] == "float")
    assert abs(floats.count - rows * columns) < 0.02 * rows * columns


def _tree(count: int) -> list[Any]:
    """Ten branches at each level."""
    return [_tree(count // 10) for _ in range(10)] if count > 10 else [[] for _ in range(count)]


class Crowded:
    def __init__(self, count: int) -> None:
        self.__dict__.update({f"name_{number}": [number] for number in range(count)})


@functools.lru_cache(None)
def _remembered(number: int) -> list[int]:
    return [number]


def _cache(count: int) -> Any:
    for number in range(count):
        _remembered(number)
    return _remembered


@pytest.mark.parametrize(
    ("made", "lists"),
    [
        (lambda: [[] for _ in range(300_000)], 300_001),
        (lambda: [[[] for _ in range(9)] for _ in range(30_000)], 300_001),
        (lambda: [[[] for _ in range(50_000)] for _ in range(7)], 350_000),
        (lambda: {number: {"names": [number]} for number in range(150_000)}, 150_000),
        (lambda: deque([number] for number in range(300_000)), 300_000),
        (lambda: tuple([number] for number in range(300_000)), 300_000),
        (lambda: _tree(300_000), 411_000),
        (lambda: Crowded(150_000), 150_000),
        (lambda: _cache(holders.LARGEST_CACHE), holders.LARGEST_CACHE),
        (lambda: _cache(holders.LARGEST_CACHE + 1), 0),
    ],
    ids=["list", "rows", "long lists", "dictionary", "queue", "tuple", "tree", "attributes", "cache", "large cache"],
)
def test_memory_is_bounded_whatever_there_is(made: Callable[[], Any], lists: int) -> None:
    """The room that a walk takes does not depend on the number of objects, and what it counts is true nevertheless."""
    kept = made()
    gc.collect()
    counts = ObjectCounts()
    tracemalloc.start()
    try:
        walk = holders.Walk(Ownership("/"), counts, 1.0)
        walk.of(kept, object_counts.Node(None, "kept", "local"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        _remembered.cache_clear()
    assert peak < 16 << 20
    counted = [group for key, group in counts.groups.items() if key[1] == "list"]
    assert sum(group.count for group in counted) == pytest.approx(lists, rel=0.05)
    assert all(group.estimated for group in counted)


def test_what_all_of_them_share_counts_once() -> None:
    shared = bytearray(32 * LARGE)
    records = [{"number": float(number), "of": shared} for number in range(200_000)]
    taken = _take()
    assert _group(taken, "text", "bytearray").size_bytes == pytest.approx(32 * LARGE, rel=0.01)
    numbers = _group(taken, "object", "float")
    assert (numbers.count, numbers.estimated) == (pytest.approx(len(records), rel=0.05), True)


def test_neighbours_that_share_are_not_taken_for_all() -> None:
    numbers = list(map(float, range(300_000)))
    pairs = [[left, right] for left, right in pairwise(numbers)]
    floats = _walked(pairs, "float")
    assert floats.count == pytest.approx(len(numbers), rel=0.1)


def test_one_large_thing_among_many_does_not_stand_for_others() -> None:
    # In the first chunk of the sample.
    texts = [bytes(8 * LARGE), *(bytes(5) + b"%d" % number for number in range(400_000))]
    counts = ObjectCounts(most_bytes=100 << 20)
    holders.Walk(Ownership("/"), counts, 1.0).of(texts, object_counts.Node(None, "texts", "local"))
    assert counts.counted_bytes < 130 << 20


def _walked(thing: Any, type_name: str) -> Any:
    counts = ObjectCounts()
    holders.Walk(Ownership("/"), counts, 1.0).of(thing, object_counts.Node(None, "thing", "local"))
    return next(group for key, group in counts.groups.items() if key[1] == type_name)


def test_what_repeats_does_not_deceive_the_sample() -> None:
    # Each tuple has the same three types in the same order, so a plain stride would see one of them only.
    rows = [(float(n), f"row number {n}", n + 10**6) for n in range(60_000)]
    counts = {g.type: g.count * _holder(g).share for g in _take().groups if g.holders and _holder(g).path == "rows"}
    assert {"tuple", "float", "str", "int"} <= set(counts)
    for type_name in ("float", "str", "int"):
        assert abs(counts[type_name] - len(rows)) <= 0.1 * len(rows)


class Recorder:
    shared: ClassVar[list[bytearray]] = []

    def __init__(self) -> None:
        self.kept: list[bytearray] = []
        self.by_name: dict[str, list[bytearray]] = defaultdict(list)


def test_an_attribute_is_named_from_inside_its_class() -> None:
    recorder = Recorder()
    recorder.kept += _blobs()
    holder = _holder(_group(_take(), "text", "bytearray"))
    assert (holder.path, holder.reached, holder.root) == ("self.kept", "recorder.kept", "attribute")
    assert holder.function == "Recorder"
    assert holder.line > 0


def test_one_key_of_many() -> None:
    recorder = Recorder()
    recorder.by_name["big"] += _blobs()
    recorder.by_name["small"].append(bytearray(8))
    assert _holder(_group(_take(), "text", "bytearray")).path == "self.by_name['big']"


def test_many_keys_have_their_dictionary_in_common() -> None:
    parts = {f"part {n}": _blobs(4) for n in range(10)}
    holder = _holder(_group(_take(), "text", "bytearray"))
    assert (holder.path, holder.length) == ("parts", len(parts))


def test_two_holders_share() -> None:
    first, second = _blobs(30), _blobs(10)
    shares = {holder.path: holder.share for holder in _group(_take(), "text", "bytearray").holders}
    assert shares == {"first": 0.75, "second": 0.25}
    del first, second


def test_an_attribute_of_a_class() -> None:
    Recorder.shared += _blobs()
    try:
        assert _holder(_group(_take(), "text", "bytearray")).path in ("Recorder.shared", "alone_census.Recorder.shared")
    finally:
        Recorder.shared.clear()


def _remember(item: bytearray, memory: list[bytearray] = []) -> None:  # noqa: B006
    memory.append(item)


def test_a_default_argument() -> None:
    for blob in _blobs():
        _remember(blob)
    del blob
    holder = _holder(_group(_take(), "text", "bytearray"))
    (_remember.__defaults__ or ([],))[0].clear()
    assert (holder.path, holder.function) == ("memory", "_remember")


@functools.lru_cache(None)
def _cached(number: int) -> bytearray:
    return bytearray(LARGE)


def test_a_cache_of_functools() -> None:
    for number in range(40):
        _cached(number)
    try:
        assert _holder(_group(_take(), "text", "bytearray")).path.endswith("_cached")
    finally:
        _cached.cache_clear()


def test_the_variables_of_another_thread() -> None:
    ready, done = threading.Event(), threading.Event()

    def work() -> None:
        hoard = _blobs()
        ready.set()
        done.wait(60)
        del hoard

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert ready.wait(60)
        holder = _holder(_group(_take(), "text", "bytearray"))
    finally:
        done.set()
        thread.join()
    assert (holder.path, holder.function) == ("hoard", "work")


class Hostile(list[Any]):
    """Anything that runs code of this class would raise."""

    touched: ClassVar[list[str]] = []

    def _fail(self, *args: Any) -> Any:
        Hostile.touched.append("touched")
        raise RuntimeError("the census ran code of the user's")

    __len__ = __iter__ = __reversed__ = __getitem__ = _fail  # type: ignore[assignment]
    __repr__ = __eq__ = __sizeof__ = _fail  # type: ignore[assignment]
    __class__ = property(_fail)  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __getattribute__(self, name: str) -> Any:
        Hostile.touched.append(name)
        raise RuntimeError("the census ran code of the user's")


def test_no_code_of_the_users_runs() -> None:
    hostile = Hostile()
    for blob in _blobs():
        list.append(hostile, blob)
    del blob
    crowd = [Hostile() for _ in range(100)]
    for long in (crowd[0], Hostile()):
        list.extend(long, map(float, range(250_000)))
    holder = _holder(_group(_take(), "text", "bytearray"))
    assert Hostile.touched == []
    assert (holder.path, holder.length) == ("hostile", 40)
    del crowd


@pytest.mark.parametrize("collecting", [True, False])
def test_the_interpreter_is_left_as_it_was(collecting: bool) -> None:
    patience = sys.getswitchinterval()
    (gc.enable if collecting else gc.disable)()
    try:
        _take()
        assert gc.isenabled() is collecting
        assert sys.getswitchinterval() == patience
    finally:
        gc.enable()


def test_nothing_is_kept_alive() -> None:
    class Marked:
        pass

    import weakref

    marked = Marked()
    marked.blobs = _blobs(4)  # type: ignore[attr-defined]
    seen = weakref.ref(marked)
    _take()
    del marked
    gc.collect()
    assert seen() is None


def test_an_earlier_snapshot_of_the_users_stays_as_it_is() -> None:
    value = "first"
    snapshot = locals()
    value = "second"
    _take()
    assert snapshot["value"] == "first" or sys.version_info < (3, 13)
    assert "snapshot" not in snapshot
    assert value == "second"


def test_a_record_that_is_too_large_is_made_to_fit() -> None:
    names = {f"a rather long name of a variable, number {n:04}" * 5: bytearray(LARGE // 16 + n) for n in range(100)}
    taken = _take()
    assert len(taken.groups) <= census.LARGEST_GROUPS + census.LARGEST_ALWAYS
    del names


def test_the_frames_of_an_exception_count() -> None:
    def fail() -> None:
        wanted = _blobs()
        raise MemoryError(len(wanted))

    with pytest.raises(MemoryError) as raised:
        fail()
    taken = census.take("exception", raised.value)
    assert taken is not None
    assert _holder(_group(taken, "text", "bytearray")).path == "wanted"


def test_a_fault_of_ours_is_no_fault_of_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(census, "survey", lambda *args, **kwargs: 1 / 0)
    assert census.take("peek") is None
