from __future__ import annotations

import math

import pytest

from tests.unit.diagnose.case_of import GIB, PID, case_of, sample
from whydied.diagnose.case import Case
from whydied.records import (
    GpuFound,
    GpuSampled,
    LimitApplied,
    LineSampled,
    LossesSeen,
    MachineSampled,
    NormsSeen,
    ProcessSample,
    StepBegan,
)
from whydied.report.tensorboard.event_curves import MOST_POINTS, Curve, Point, curves_of, thinned


def curves(case: Case) -> dict[str, Curve]:
    return {curve.tag: curve for curve in curves_of(case)}


def step(count: int, unit: str = "train", call: int | None = 1) -> StepBegan:
    return StepBegan(unit=unit, count=count, call=call)


def test_memory_is_told_by_kind_over_time() -> None:
    both = MachineSampled(
        processes=[
            ProcessSample(pid=PID, ppid=1, name="python", state="R", rss_bytes=2 * GIB, file_bytes=GIB),
            ProcessSample(pid=7, ppid=PID, name="worker", state="R", rss_bytes=3 * GIB, file_bytes=GIB),
        ],
        cgroup_bytes=4 * GIB,
    )
    limit = LimitApplied(kind="cgroup v1", limit_bytes=8 * GIB, ours=True)
    found = curves(
        case_of(limit, sample(GIB), both, process=[LineSampled(frames=[], allocator_bytes=GIB // 2)], exit_code=0)
    )
    assert [point.value for point in found["memory_GiB/process"].points] == [1.0, 2.0]
    # The pages of libraries that both map are counted once.
    assert [point.value for point in found["memory_GiB/other_processes"].points] == [2.0]
    assert [point.value for point in found["memory_GiB/tensors"].points] == [0.5]
    assert [point.value for point in found["memory_GiB/counted"].points] == [4.0]
    assert [point.value for point in found["memory_GiB/limit"].points] == [8.0, 8.0]
    assert [point.step for point in found["memory_GiB/process"].points] == [300, 400]
    assert "milliseconds" in found["memory_GiB/process"].about


def test_each_gpu_has_its_curves() -> None:
    records = [
        GpuFound(index=1, name="L4", total_bytes=24 * GIB),
        GpuSampled(index=1, used_bytes=GIB, free_bytes=0),
        GpuSampled(index=1, used_bytes=3 * GIB, free_bytes=0),
    ]
    found = curves(case_of(*records, exit_code=0))
    assert [point.value for point in found["gpu_GiB/1_used"].points] == [1.0, 3.0]
    assert {point.value for point in found["gpu_GiB/1_total"].points} == {24.0}


def test_the_time_of_a_step_is_to_the_next_and_not_across_calls() -> None:
    process = [step(1), step(2), step(12), step(13, call=2), step(14, call=2), step(1, unit="test")]
    found = curves(case_of(process=process, exit_code=0))
    points = found["step_s/train"].points
    assert [(point.step, round(point.value, 4)) for point in points] == [(0, 0.1), (1, 0.01), (12, 0.1)]
    assert "step_s/test" not in found


def test_memory_by_step_is_the_highest_while_it_ran() -> None:
    # The streams count 0.1 s a record from the same moment, of which the first are the beginnings.
    samples = [sample(size * GIB) for size in (1, 5, 2, 3)]
    found = curves(case_of(*samples, process=[step(1), step(1), step(2), step(3)], exit_code=0))
    points = found["memory_by_step_GiB/process"].points
    assert [point.step for point in points] == sorted({point.step for point in points})
    assert max(point.value for point in points) == 5.0


def test_losses_of_the_first_steps_and_of_the_last_are_one_curve() -> None:
    process = [
        step(1),
        LossesSeen(function="train", number=0, losses=[4.0, 3.0], norms=[9.0, 8.0]),
        LossesSeen(function="train", number=0, losses=[4.0, 3.0, 2.0], norms=[9.0, 8.0, 7.0]),
        NormsSeen(
            function="train",
            names=["dense/kernel", "dense/bias"],
            steps=[2, 50],
            norms=[[1.0, 2.0], [3.0, math.nan]],
            moment="capture",
            losses=[99.0, math.inf],
        ),
    ]
    found = curves(case_of(process=process, exit_code=0))
    losses = found["loss/train"].points
    assert [(point.step, point.value) for point in losses] == [(0, 4.0), (1, 3.0), (2, 2.0), (50, math.inf)]
    assert [point.value for point in found["gradient_norm/all/train"].points] == [9.0, 8.0, 7.0]
    assert [point.value for point in found["gradient_norm/dense/kernel"].points] == [1.0, 3.0]
    assert math.isnan(found["gradient_norm/dense/bias"].points[-1].value)


def test_two_functions_of_one_name_are_two_curves() -> None:
    process = [
        LossesSeen(function="train", number=0, losses=[1.0]),
        LossesSeen(function="train", number=3, losses=[2.0]),
        NormsSeen(function="train", names=[], steps=[9], norms=[[]], moment="end", losses=[7.0]),
    ]
    found = curves(case_of(process=process, exit_code=0))
    assert {tag for tag in found if tag.startswith("loss/")} == {"loss/train_0", "loss/train_3"}


@pytest.mark.parametrize("count", [MOST_POINTS, MOST_POINTS + 1, 86_400 * 10])
def test_thinning_keeps_peaks_ends_and_order(count: int) -> None:
    points = [Point(float(at), at, float(at % 7)) for at in range(count)]
    points[count // 3] = Point(float(count // 3), count // 3, 1e6)
    points[count // 2] = Point(float(count // 2), count // 2, -1e6)
    points[count // 5] = Point(float(count // 5), count // 5, math.nan)
    kept = thinned(points)
    assert len(kept) <= MOST_POINTS
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    assert {1e6, -1e6} <= {point.value for point in kept}
    assert any(math.isnan(point.value) for point in kept)
    assert [point.step for point in kept] == sorted({point.step for point in kept})


def test_a_run_without_records_has_no_curves() -> None:
    assert curves_of(case_of(process=None, exit_code=0)) == []
