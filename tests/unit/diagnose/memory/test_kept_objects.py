"""Which holder is named, of several; and what all rules about kept objects say in the same words."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.growing import census, group, growing, lines, ramp
from whydied.diagnose.memory.kept_objects import finding_of, kept
from whydied.diagnose.registry import find_rule
from whydied.records import Holder

ROWS = group("array", 60, 450, "rows")


@pytest.mark.parametrize(("before", "named"), [(100, "kept"), (390, "rows")])
def test_the_one_that_grows_counts_before_the_one_that_was_there(before: int, named: str) -> None:
    earlier = census(600, ROWS, group("array", 20, before, "kept"))
    later = census(900, ROWS, group("array", 80, 400, "kept"))
    found = kept(growing([(5.0, earlier), (9.0, later)], ramp(1000)), ("array",))
    assert found is not None
    assert found.holder.path == named


def test_with_one_census_the_largest_counts() -> None:
    found = kept(growing([(9.0, census(900, ROWS, group("array", 80, 400, "kept")))], ramp(1000)), ("array",))
    assert found is not None
    assert found.holder.path == "rows"


def test_a_variable_of_a_library_that_is_at_work_is_no_holder() -> None:
    def held(path: str, file: str) -> Holder:
        return Holder(path=path, root="library", container="list", file=file, function="_worker", length=60)

    for path, file, told in (
        ("work_queue", "/lib/pandas/io/parsers.py", False),
        ("self._items", "/lib/multiprocessing/pool.py", True),
        ("cache.arrays", "/lib/library/cache.py", True),
    ):
        many = msgspec.structs.replace(group("array", 60, 600), holders=[held(path, file)])
        assert (kept(growing([(9.0, census(900, many))], ramp(1000)), ("array",)) is not None) is told


@pytest.mark.parametrize(("last", "told"), [("x = np.array(rows)", True), ("x = np.array(other)", False)])
def test_a_list_that_is_being_joined_is_there_twice(last: str, told: bool) -> None:
    parts = group("array", 100, 500, "rows", shape=[1024, 1280], dtype="float32")
    source = f"rows = []\nfor path in paths:\n    rows.append(load(path))\n{last}\n"
    case = growing([*lines(4, ramp(1000)), (9.0, census(900, parts))], ramp(1000), source=source)
    found = kept(case, ("array",))
    assert found is not None
    message = finding_of(case, found, "array", []).message
    assert message.endswith("and line 4 of train.py joins them: 500 MiB more") is told


THREADS = "def serve(stop):\n    rows = load()\n    stop.wait()\nwhile True:\n    start(serve)\n"


def test_a_variable_of_many_running_calls_is_told_as_such() -> None:
    holder = Holder(path="rows", root="local", file=FILE, function="serve")
    many = msgspec.structs.replace(group("array", 30, 600), holders=[holder])
    case = growing([(9.0, census(900, many))], ramp(1000), source=THREADS)
    found = kept(case, ("array",))
    assert found is not None
    told = finding_of(case, found, "array", [])
    assert "the variable `rows` of 30 running calls of serve() holds 30 arrays" in told.message
    assert told.location is not None
    assert told.location.line == 2
    assert told.advice[0] == "Let go of `rows` after its last use."
    assert "max_workers" in told.advice[1]


def test_more_objects_than_threads_are_not_so_many_calls() -> None:
    holder = Holder(path="rows", root="local", file=FILE, function="serve")
    many = msgspec.structs.replace(group("array", 3000, 600), holders=[holder])
    case = growing([(9.0, census(900, many))], ramp(1000), source=THREADS)
    for sample in case.recording.samples:
        processes = [msgspec.structs.replace(one, threads=20) for one in sample.machine.processes]
        sample.machine.processes[:] = processes
    found = kept(case, ("array",))
    assert found is not None
    told = finding_of(case, found, "array", [])
    assert "running call" not in told.message
    assert "the variable `rows` in serve() holds 3,000 arrays" in told.message


@pytest.mark.parametrize(
    ("made", "advice"),
    [
        ("deque()", "Bound it with `deque(maxlen=…)`"),
        ("deque(maxlen=SIZE)", "Lower `maxlen=SIZE`: memory was full with about 60"),
    ],
)
def test_a_bounded_holder_has_too_large_a_bound(made: str, advice: str) -> None:
    source = f"memory = {made}\nwhile True:\n    memory.append(screen())\n"
    holder = Holder(
        path="memory", root="global", container="collections.deque", file=FILE, function="<module>", length=60
    )
    many = msgspec.structs.replace(group("array", 60, 600), holders=[holder], dtype="float64")
    case = growing([(9.0, census(900, many))], ramp(1000), source=source)
    found = kept(case, ("array",))
    assert found is not None
    told = finding_of(case, found, "array", [])
    assert any(one.startswith(advice) for one in told.advice)
    assert any("`float32`" in one for one in told.advice)


LISTS = "history = defaultdict(list)\nwhile True:\n    history['loss'].append(loss)\n    history['fake'].append(fake)\n"


def test_of_a_dictionary_of_lists_the_line_that_fills_the_one() -> None:
    case = growing([(9.0, census(900, group("tensor", 60, 600, "history['fake']")))], ramp(1000), source=LISTS)
    found = kept(case, ("tensor",))
    assert found is not None
    told = finding_of(case, found, "tensor", [])
    assert told.location is not None
    assert told.culprit is not None
    assert (told.location.line, told.culprit.name) == (4, "history['fake']")


@pytest.mark.parametrize(("others", "words"), [(60, "65 arrays, the largest of shape"), (0, "5 arrays of shape")])
def test_a_shape_is_told_of_all_only_where_all_have_it(others: int, words: str) -> None:
    groups = [group("array", 5, 500, shape=[9, 9]), group("array", others, 100 if others else 0, shape=[3])]
    case = growing([(9.0, census(900, *groups))], ramp(1000))
    found = kept(case, ("array",))
    assert found is not None
    assert f"holds {words} [9, 9]" in finding_of(case, found, "array", []).message


def test_bytes_are_carried_on_where_growth_since_the_first_census_was_the_holders() -> None:
    """From the last census but one something else came, too."""
    taken = [(at, census(mib, group("model", 9, kept_mib))) for at, mib, kept_mib in ((3, 400, 300), (6, 600, 500))]
    last = (9.0, census(800, group("model", 12, 620)))
    found = kept(growing([*taken, last], ramp(1000)), ("model",))
    assert found is not None
    assert found.bytes_at_end > found.size_bytes


@pytest.mark.parametrize(
    "name", ["tensors-kept-in-container", "arrays-kept-in-container", "memory-growth", "models-kept"]
)
def test_shared_texts_are_put_in(name: str) -> None:
    rule = find_rule(name)
    assert rule is not None
    assert "The census that the recorder took" in rule.documentation
    assert "Certain if the holder makes up at least 60 %" in rule.documentation
    assert "what is kept]" not in rule.documentation


def test_what_lies_beside_arrays_in_their_holder_is_counted_to_it() -> None:
    columns = (group("array", 60, 200, "parts"), group("text", 90_000, 300, "parts"), group("object", 9, 90, "other"))
    case = growing([(9.0, census(600, *columns))], ramp(700), source="parts = []\nparts.append(read())\n")
    found = kept(case, ("array",))
    assert found is not None
    told = finding_of(case, found, "array", [])
    assert "holds 60 arrays, 200 MiB and 300 MiB of Python's own objects (limit 2.00 GiB)" in told.message
    assert told.certainty == "certain"
    assert told.culprit is not None
    assert told.culprit.bytes == 500 << 20


def test_the_list_around_them_is_not_told() -> None:
    case = growing(
        [(9.0, census(600, group("array", 60, 500, "parts"), group("container", 60, 1, "parts")))], ramp(700)
    )
    found = kept(case, ("array",))
    assert found is not None
    assert (found.besides_bytes, found.bytes_at_end) == (0, found.size_bytes)


PAGES = "pages = defaultdict(lambda: defaultdict(list))\nwhile True:\n    pages[day][unit].extend(values)\n"


def test_parts_that_a_statement_fills_are_told_as_their_holder() -> None:
    case = growing([(9.0, census(900, group("object", 90_000, 800, "pages")))], ramp(1000), source=PAGES)
    found = kept(case, ("container", "text", "object"))
    assert found is not None
    told = finding_of(case, found, "object", [])
    assert told.location is not None
    assert told.culprit is not None
    assert (told.location.line, told.culprit.name) == (3, "pages")
