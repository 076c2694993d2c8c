"""What the last statement took, and of which pages."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.growing import BASE_BYTES, MIB, Timed, census, frame, group, growing
from whydied.diagnose.memory.last_statement import last_statement_growth
from whydied.records import Frame, LineSampled, ProcessSample

SOURCE = "raw = read()\nrows = convert(raw)\n"


def _course(at_s: float) -> int:
    """600 MiB more from the 7th to the 9th second, while 200 MiB of libraries go."""
    return BASE_BYTES + int(400 * MIB * min(1.0, max(0.0, (at_s - 7) / 2)))


def _files(at_s: float) -> int:
    return int(300 * MIB - 200 * MIB * min(1.0, max(0.0, (at_s - 7) / 2)))


LINES: list[Timed] = [
    (n / 10, LineSampled(frames=[frame(1 if n <= 70 else 2)], rss_bytes=_course(n / 10))) for n in range(10, 95)
]


def test_pages_of_libraries_that_the_kernel_takes_back_do_not_hide_what_was_taken() -> None:
    found = last_statement_growth(growing(LINES, _course, source=SOURCE, files=_files))
    assert found is not None
    assert found.place.line == 2
    assert found.grown_bytes == pytest.approx(600 * MIB, abs=35 * MIB)


def test_what_the_kernel_counted_last_counts() -> None:
    found = last_statement_growth(
        growing(LINES, _course, source=SOURCE, files=_files, kernel_anon_bytes=BASE_BYTES + 500 * MIB)
    )
    assert found is not None
    assert found.from_bytes + found.grown_bytes == BASE_BYTES + 500 * MIB


def test_without_pages_by_kind_all_count() -> None:
    found = last_statement_growth(growing(LINES, _course, source=SOURCE))
    assert found is not None
    assert found.grown_bytes == pytest.approx(400 * MIB, abs=25 * MIB)


def test_where_the_look_before_was_in_the_middle_of_another_statement_the_census_tells() -> None:
    """The other one took 200 MiB more until it ended, between the two looks."""

    def course(at_s: float) -> int:
        return BASE_BYTES + int(200 * MIB * (at_s > 6.97)) + int(400 * MIB * min(1.0, max(0.0, (at_s - 7) / 2)))

    looks: list[Timed] = [
        (at_s, LineSampled(frames=[frame(1 if at_s < 7 else 2)], rss_bytes=course(at_s)))
        for at_s in (n / 10 + 0.05 for n in range(10, 95))
    ]
    taken: list[Timed] = [(7.2, census(250, group("array", 2, 200, "raw"), python_mib=200))]
    found = last_statement_growth(growing([*looks, *taken], course, source=SOURCE, files=lambda _: 100 * MIB))
    assert found is not None
    assert found.grown_bytes == pytest.approx(400 * MIB, abs=25 * MIB)


@pytest.mark.parametrize(("kind", "grown_mib"), [("array", 400), ("object", 600)])
def test_arrays_that_had_a_name_while_it_ran_were_made_before_it(kind: str, grown_mib: int) -> None:
    """Another statement took the first 200 MiB and was never seen; a container could have been filled by this one."""
    taken: list[Timed] = [(8.0, census(400, group(kind, 2, 200, "raw")))]
    found = last_statement_growth(growing([*LINES, *taken], _course, source=SOURCE, files=_files))
    assert found is not None
    assert found.grown_bytes == pytest.approx(grown_mib * MIB, abs=35 * MIB)


def test_a_library_that_waits_for_threads_of_its_own_works_for_the_statement() -> None:
    waiting = Frame(file="/usr/lib/python3.11/threading.py", line=327, function="wait")
    looks: list[Timed] = [
        (at_s, LineSampled(frames=one.frames, rss_bytes=one.rss_bytes, innermost=waiting))
        for at_s, one in LINES
        if isinstance(one, LineSampled)
    ]
    thread = (2.0, LineSampled(frames=[frame(1, "load")], thread="77", rss_bytes=_course(2.0)))
    child = ProcessSample(pid=7, ppid=4242, name="python", state="R", rss_bytes=MIB)
    assert last_statement_growth(growing(looks, _course, source=SOURCE)) is not None
    assert last_statement_growth(growing([*looks, thread], _course, source=SOURCE)) is None
    assert last_statement_growth(growing(looks, _course, source=SOURCE, children=[child])) is None
