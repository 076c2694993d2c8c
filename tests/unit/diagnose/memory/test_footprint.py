from __future__ import annotations

import random

import pytest

from tests.unit.diagnose.case_of import PID, case_of, sample
from tests.unit.diagnose.growing import BASE_BYTES, MIB, Timed, frame, growing, lines, ramp
from whydied.diagnose.case import Case
from whydied.diagnose.memo import once
from whydied.diagnose.memory.call_at_death import own_bytes
from whydied.diagnose.memory.growth_with_events import pace_of
from whydied.diagnose.memory.memory_jumps import jumps_of
from whydied.diagnose.memory.memory_over_time import (
    anonymous_series,
    baseline_bytes,
    growth_by_line,
    leaks,
    own_pages_since,
    own_peak_bytes,
    own_series,
)
from whydied.records import (
    CellStarted,
    KernelLogged,
    LineSampled,
    MachineSampled,
    ModuleImported,
    ProcessSample,
    ProgramEnded,
    StepBegan,
)
from whydied.wire import Entry

GIB = 1 << 30


def _process(pid: int, mib: int, ppid: int = PID) -> ProcessSample:
    return ProcessSample(pid=pid, ppid=ppid, name="python", state="R", rss_bytes=mib * MIB)


# Libraries that are imported late


def _loads_then_imports(at_s: float) -> int:
    """3 GiB of data from the 2nd to the 4th second, Keras (200 MiB) in the 5th, nothing after."""
    data = 3 * GIB * min(1.0, max(0.0, (at_s - 2) / 2))
    keras = 200 * MIB * min(1.0, max(0.0, at_s - 5))
    return BASE_BYTES + int(data + keras)


LAZY_KERAS: list[Timed] = [(6.0, ModuleImported(name="keras", version="3", wall_s=1.0))]


def test_data_that_was_loaded_before_a_late_import_is_no_library() -> None:
    case = growing(LAZY_KERAS, _loads_then_imports)
    assert baseline_bytes(case) == pytest.approx(BASE_BYTES + 200 * MIB, abs=5 * MIB)
    assert own_bytes(case) == pytest.approx(3 * GIB, abs=5 * MIB)


def test_what_a_late_import_takes_is_no_growth_of_the_program() -> None:
    case = growing(LAZY_KERAS, lambda at_s: BASE_BYTES + int(600 * MIB * min(1.0, max(0.0, at_s - 5))))
    amounts = [rss for _, rss in own_series(case)]
    assert max(amounts) - min(amounts) <= 5 * MIB
    assert jumps_of(case) == []


def test_an_import_inside_of_another_counts_once() -> None:
    inner = ModuleImported(name="keras", version="3", wall_s=0.5)
    outer = ModuleImported(name="tf_keras", version="2", wall_s=1.0)
    case = growing([(5.8, inner), (6.0, outer)], _loads_then_imports)
    assert baseline_bytes(case) == pytest.approx(BASE_BYTES + 200 * MIB, abs=5 * MIB)


# Leaks


def _steps(*units: str) -> list[Timed]:
    counts = dict.fromkeys(units, 0)
    timed: list[Timed] = []
    for n in range(80):
        unit = units[n % len(units)] if n % 4 == 3 else units[0]
        counts[unit] += 1
        timed.append((1.1 + n / 10, StepBegan(unit=unit, count=counts[unit])))
    return timed


def test_steps_of_several_kinds_are_not_mixed() -> None:
    begun: Timed = (1.0, CellStarted(number=1, source="", name="", parent=""))
    assert leaks(growing([begun, *_steps("train", "test")], ramp(800), killed=False))


def test_growth_goes_by_seconds_where_the_steps_do_not_show_it() -> None:
    steps: list[Timed] = [(1.1 + n / 50, StepBegan(unit="train", count=n)) for n in range(30)]
    assert leaks(growing(steps, ramp(800), killed=False))
    # In a notebook time alone is no measure.
    begun: Timed = (1.0, CellStarted(number=1, source="", name="", parent=""))
    assert not leaks(growing([begun, *steps], ramp(800), killed=False))


# The process and its children


def test_children_are_not_counted_to_the_process() -> None:
    workers = [_process(5000 + n, 500) for n in range(4)]
    case = growing([], ramp(300), children=workers)
    assert own_peak_bytes(case) < BASE_BYTES + 300 * MIB
    assert own_bytes(case) < 300 * MIB
    assert (case.recording.peak_rss_bytes or 0) > BASE_BYTES + 2000 * MIB
    pace = pace_of(case, [1.0 + n for n in range(9)])
    assert pace is not None
    assert pace.grown_bytes < 300 * MIB


@pytest.mark.parametrize(
    ("child_mib", "wanted_mib"),
    [(50, 1000), (310, 1000), (900, 300)],
    ids=["a small child", "a copy of the process", "a child that may be the one"],
)
def test_the_peak_that_the_kernel_tells(child_mib: int, wanted_mib: int) -> None:
    looked = MachineSampled(processes=[_process(PID, 300, 1), _process(5000, child_mib)])
    case = case_of(looked, ended=ProgramEnded(pid=PID, signal=9, peak_rss_bytes=1000 * MIB))
    assert own_peak_bytes(case) == wanted_mib * MIB


def test_the_peak_of_the_program_is_not_that_of_a_child() -> None:
    looked = MachineSampled(processes=[_process(PID, 300, 1), _process(5000, 100)])
    ended = ProgramEnded(pid=PID, exit_code=1, peak_rss_bytes=1000 * MIB)
    recording = case_of(looked, others={5000: []}, ended=ended).recording
    child = next(process for process in recording.processes if process.pid == 5000)
    assert own_peak_bytes(Case(recording, child, ProgramEnded(pid=5000, signal=9))) == 100 * MIB


# Pages of the program's own


def _files(at_s: float) -> int:
    """300 MiB of libraries that the kernel throws out in the 8th second."""
    return int(300 * MIB * min(1.0, max(0.0, 8 - at_s)))


def test_what_the_kernel_counted_at_the_end_is_the_last_of_the_series() -> None:
    case = growing([], ramp(900), files=_files, kernel_anon_bytes=1700 * MIB)
    assert anonymous_series(case)[-1] == (10.0, 1700 * MIB)
    assert own_pages_since(case, 5.0) == pytest.approx(1700 * MIB - (BASE_BYTES + 400 * MIB - 300 * MIB), abs=MIB)


def test_a_line_of_the_kernel_about_another_process_does_not_count() -> None:
    case = growing([], ramp(900), files=_files)
    other = KernelLogged(line="Killed process 777 (python) total-vm:9kB, anon-rss:99999999kB, file-rss:8kB")
    case.recording.supervisor.entries.append(Entry(10_000_000_000, 9999, other))
    assert max(size for _, size in anonymous_series(case)) < BASE_BYTES + 900 * MIB


def test_without_pages_by_kind_nothing_is_told_of_them() -> None:
    assert own_pages_since(growing([], ramp(900), kernel_anon_bytes=1700 * MIB), 5.0) == 0


# Events that memory grows with


EVENTS = [1.0 + n / 4 for n in range(17)]
"""The last is in the 5th second."""


def test_a_long_time_in_which_nothing_goes_on_any_more_is_no_part_of_the_growth() -> None:
    case = growing([], lambda at_s: ramp(500, 5.0)(min(5.0, at_s)))
    assert pace_of(case, EVENTS) is not None


def test_what_grows_on_after_the_last_event_grew_by_something_else() -> None:
    assert pace_of(growing([], ramp(1000)), EVENTS) is None


# What is kept


def test_an_answer_is_worked_out_once_for_each_case() -> None:
    asked: list[Case] = []

    @once
    def number(case: Case) -> int | None:
        asked.append(case)
        return None

    one, other = case_of(sample(GIB)), case_of(sample(GIB))
    assert [number(one), number(one), number(other)] == [None, None, None]
    assert asked == [one, other]


def test_growth_by_line_is_shared() -> None:
    course = ramp(500)
    case = growing(lines(2, course), course, source="a = 1\nb = 2\n")
    assert growth_by_line(case) is growth_by_line(case)
    assert growth_by_line(case)[0].location.line == 2


def test_the_usual_rise_is_that_of_the_windows_outside_of_a_jump() -> None:
    chance = random.Random(1)
    for _ in range(50):
        noise = [chance.choice([0, 1, 1, 5]) * MIB for _ in range(100)]
        jump_at = chance.randrange(20, 80)
        case = growing(
            [],
            lambda at_s, noise=noise, jump_at=jump_at: (
                BASE_BYTES + noise[round(at_s * 10)] + 900 * MIB * (round(at_s * 10) >= jump_at)
            ),
        )
        (found,) = jumps_of(case)
        assert found.to_s == pytest.approx(jump_at / 10, abs=1.1)
        assert found.grown_bytes >= 890 * MIB


# Data that are loaded before the first library


def _early(source: str) -> Case:
    """600 MiB in the first half second, TensorFlow until the end of the first."""
    looks: list[Timed] = [
        (n / 10, LineSampled(frames=[frame(1)], rss_bytes=20 * MIB + 120 * MIB * n)) for n in range(6)
    ]
    imported = (1.0, ModuleImported(name="tensorflow", version="2.21", wall_s=0.4))
    return growing([*looks, imported], lambda at_s: 620 * MIB + int(400 * MIB * min(1.0, at_s)), source=source)


@pytest.mark.parametrize(("source", "library"), [("rows = load()\n", 420), ("import pandas\n", 1020)])
def test_data_that_was_loaded_first_is_no_library(source: str, library: int) -> None:
    assert baseline_bytes(_early(source)) == pytest.approx(library * MIB, abs=5 * MIB)
