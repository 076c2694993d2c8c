"""NumPy arrays in the census: views, mapped files, arrays of objects, copies."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pytest

from whydied.inside.census import census
from whydied.records import ObjectGroup

np = pytest.importorskip("numpy")


@pytest.fixture(autouse=True)
def _nothing_left_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    # A walk that has all the time it wants finds the same on a busy machine.
    monkeypatch.setattr(time, "thread_time", lambda: 0.0)
    gc.collect()


def _all_arrays() -> list[ObjectGroup]:
    taken = census.take("peek")
    assert taken is not None
    return [group for group in taken.groups if group.kind == "array"]


def _arrays() -> list[ObjectGroup]:
    return [group for group in _all_arrays() if group.size_bytes >= 1 << 20]


def test_views_are_counted_once_by_what_they_show() -> None:
    whole = np.ones([1024, 1024], np.float32)
    views = [whole[row:] for row in range(100)]
    (group,) = _arrays()
    assert (group.count, group.size_bytes, group.shape) == (1, 4 << 20, [1024, 1024])
    del whole, views


def test_a_view_alone_keeps_all_of_it() -> None:
    corner = np.ones([1024, 1024], np.float32)[:1, :1]
    (group,) = _arrays()
    assert group.size_bytes == 4 << 20
    assert [holder.path for holder in group.holders] == ["corner"]
    del corner


def test_a_mapped_file_is_told_apart(tmp_path: Path) -> None:
    mapped = np.memmap(tmp_path / "rows", np.float32, "w+", shape=(1024, 1024))
    taken = census.take("peek")
    assert taken is not None
    (group,) = [group for group in taken.groups if group.type == "numpy.memmap"]
    assert group.size_bytes == 4 << 20
    assert taken.python_bytes < 4 << 20
    del mapped


def test_arrays_inside_an_array_of_objects() -> None:
    ragged = np.empty(50, object)
    for row in range(50):
        ragged[row] = np.full(1 << 18, row, np.float32)
    groups = {tuple(group.shape or ()): group for group in _arrays()}
    assert groups[1 << 18,].count == 50
    assert groups[1 << 18,].holders[0].path == "ragged"


def test_many_arrays_of_many_shapes() -> None:
    batches = [np.ones([size, 1000], np.float32) for size in range(1, 400)]
    taken = census.take("peek")
    assert taken is not None
    assert abs(taken.python_bytes - sum(batch.nbytes for batch in batches)) < 0.1 * taken.python_bytes
    assert len(taken.groups) <= census.LARGEST_GROUPS + census.LARGEST_ALWAYS


def test_very_many_arrays_are_counted_by_their_forms() -> None:
    small = [np.ones([size % 7 + 1, 16], np.float32) for size in range(30_000)]
    views = [array[:1] for array in small[:100]]
    groups = {tuple(group.shape or ()): group for group in _all_arrays()}
    for rows in range(1, 8):
        assert groups[rows, 16].count == sum(len(array) == rows for array in small)
        assert not groups[rows, 16].estimated
    assert sum(group.size_bytes for group in groups.values()) == pytest.approx(
        sum(one.nbytes for one in small), rel=0.01
    )
    del views


def test_a_few_large_arrays_among_many_small_ones_of_all_shapes() -> None:
    mixed = [np.zeros(number % 9000 + 1, np.uint8) for number in range(20_000)]
    for place in (17, 9_001, 15_555):
        mixed[place] = np.ones(20 << 20, np.uint8)
    taken = census.take("peek")
    assert taken is not None
    assert taken.python_bytes == pytest.approx(sum(one.nbytes for one in mixed), rel=0.05)


def test_what_a_module_of_a_library_keeps() -> None:
    import decimal

    decimal.kept = {"rows": [np.full(1 << 18, row, np.float32) for row in range(50)]}  # type: ignore[attr-defined]
    try:
        (group,) = _arrays()
    finally:
        del decimal.kept  # type: ignore[attr-defined]
    assert group.count == 50
    (holder,) = group.holders
    assert (holder.path, holder.root, holder.length) == ("decimal.kept['rows']", "library", 50)
    assert holder.file == decimal.__file__


def test_what_the_program_and_a_library_keep_is_one_group_with_two_holders() -> None:
    import decimal

    own = [np.full(1 << 18, row, np.float32) for row in range(30)]
    decimal.kept = [np.full(1 << 18, row, np.float32) for row in range(10)]  # type: ignore[attr-defined]
    decimal.same = own  # type: ignore[attr-defined]
    try:
        (group,) = _arrays()
    finally:
        del decimal.kept, decimal.same  # type: ignore[attr-defined]
    assert (group.count, group.size_bytes) == (40, 40 << 20)
    assert {holder.path: holder.share for holder in group.holders} == {"own": 0.75, "decimal.kept": 0.25}


def test_copies_are_found() -> None:
    rows = np.random.default_rng(1).normal(size=[1000, 784])
    again = rows.copy()
    (group,) = _arrays()
    assert group.count == 2
    assert group.copies_of == "rows (float64 array [1000, 784])"
    del again


def test_the_wider_type_is_the_copy() -> None:
    narrow = np.random.default_rng(2).normal(size=[1000, 784]).astype(np.float32)
    wide = narrow.astype(np.float64)
    copies = {group.dtype: group.copies_of for group in _arrays()}
    assert copies == {"float64": "narrow (float32 array [1000, 784])", "float32": None}
    del wide


@pytest.mark.parametrize("fill", [0.0, 1.0])
def test_arrays_of_one_number_are_no_copies(fill: float) -> None:
    first, second = np.full([1000, 784], fill), np.full([1000, 784], fill)
    assert [group.copies_of for group in _arrays()] == [None]
    del first, second


def test_different_contents_are_no_copies() -> None:
    chance = np.random.default_rng(3)
    first, second = chance.normal(size=[1000, 784]), chance.normal(size=[1000, 784])
    assert [group.copies_of for group in _arrays()] == [None]
    del first, second


def test_copies_in_one_group_have_their_own_originals() -> None:
    chance = np.random.default_rng(4)
    one, other = (chance.normal(size=[1000, 784]).astype(np.float32) for _ in range(2))
    wide, broad = one.astype(np.float64), other.astype(np.float64)
    group = next(group for group in _arrays() if group.dtype == "float64")
    originals = {name: original.split(" ")[0] for name, original in zip(group.copies, group.originals, strict=True)}
    assert originals == {"wide": "one", "broad": "other"}
    del wide, broad


def test_texts_of_many_columns_are_counted_by_some_of_them() -> None:
    columns = [np.array([f"name {column} {row}" for row in range(1000)], object) for column in range(60)]
    taken = census.take("peek")
    assert taken is not None
    texts = next(group for group in taken.groups if group.type == "str")
    holder = max(texts.holders, key=lambda holder: holder.share)
    assert holder.path == "columns"
    assert holder.share * texts.count == pytest.approx(60_000, rel=0.02)
    del columns


def test_windows_of_one_array_are_told_by_what_a_copy_of_them_takes() -> None:
    series = np.ones([300_000, 4], np.float32)
    windows = [series[start : start + 5000] for start in range(2000)]
    rows = [series[start * 100 : (start + 1) * 100] for start in range(3000)]
    own = [np.ones([100, 4], np.float32) for _ in range(2000)]
    taken = census.take("peek")
    assert taken is not None
    (views,) = taken.views
    assert (views.path, views.number, views.shape, views.dtype) == ("windows", 2000, [5000, 4], "float32")
    assert (views.shown_bytes, views.of_bytes, views.of) == (2000 * 80_000, 4_800_000, "series")
    del series, windows, rows, own
