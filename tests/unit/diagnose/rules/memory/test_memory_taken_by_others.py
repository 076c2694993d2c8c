"""Memory that others took: one case that is it, and near misses that are not."""

from __future__ import annotations

import signal

import pytest

from tests.unit.diagnose.case_of import GIB, PID, counted, line, raised, recording_of
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.records import LimitApplied, MachineSampled, Neighbour, NeighboursSampled, ProcessSample, Record

MACHINE = LimitApplied(kind="machine", limit_bytes=24 * GIB)
GROUP = LimitApplied(kind="cgroup v2", limit_bytes=8 * GIB, path="/sys/fs/cgroup/job")
OURS = LimitApplied(kind="cgroup v1", limit_bytes=8 * GIB, ours=True, path="/sys/fs/cgroup/whydied")
KILLED = counted(0, 1, scope="machine", path=None)


def state(own: float, available: float = 20, group: float | None = None) -> MachineSampled:
    """A look at the machine; sizes in GiB."""
    process = ProcessSample(pid=PID, ppid=1, name="python", state="R", rss_bytes=int(own * GIB))
    return MachineSampled(
        processes=[process],
        available_bytes=int(available * GIB),
        cgroup_bytes=None if group is None else int(group * GIB),
    )


def others(moment: str, *sizes: float, same_group: bool | None = None, age_s: float = 9000.0) -> NeighboursSampled:
    """Neighbours named a, b, c… of these sizes in GiB."""
    largest = [
        Neighbour(
            pid=100 + number,
            name="abc"[number],
            user="bob",
            command=f"./{'abc'[number]} --all",
            rss_bytes=int(size * GIB),
            age_s=age_s,
            same_group=same_group,
        )
        for number, size in enumerate(sizes)
    ]
    return NeighboursSampled(moment=moment, largest=largest)


def verdict(*supervisor: Record, **fields: object) -> Diagnosis:
    fields.setdefault("signal", signal.SIGKILL)
    fields.setdefault("process", [line()])
    return diagnose(recording_of(*supervisor, **fields))  # type: ignore[arg-type]


def names(found: Diagnosis) -> list[str]:
    """The death, and whether this rule found what is below it."""
    return [finding.name for finding in found.findings if finding.code == "MEM004" or finding == found.death]


def test_a_neighbour_that_grew_is_the_cause_of_an_oom_kill() -> None:
    found = verdict(
        MACHINE,
        state(own=1, available=20),
        others("start", 2, 1),
        others("change", 8, 1),
        state(own=2, available=0.1),
        others("end", 20, 1),
        *KILLED,
    )
    assert names(found) == ["memory-taken-by-others", "host-oom-kill"]
    assert found.cause is not None
    assert (found.cause.code, found.cause.certainty) == ("MEM004", "likely")
    assert found.cause.message == (
        "a (pid 100, user bob) grew by 18.0 GiB to 20.0 GiB, starting 0.1 s after the start, and took the memory of "
        "the "
        "machine; train.py grew by 1.00 GiB"
    )
    assert found.cause.culprit is not None
    assert (found.cause.culprit.name, found.cause.culprit.bytes) == ("a", 20 * GIB)
    facts = {item.fact: item.value for item in found.cause.evidence}
    assert (
        facts["memory of the machine used by other processes"] == "3.00 GiB at the start, 21.9 GiB at most, of 24.0 GiB"
    )
    assert "./a --all" in facts["a (pid 100, user bob) grew"]


def test_a_neighbour_that_started_later_counts_whole() -> None:
    young = others("change", 19, age_s=0.0)
    found = verdict(MACHINE, state(own=1), others("start"), young, state(own=1, available=0.1), *KILLED)
    assert found.cause is not None
    assert "a (pid 100, user bob) grew by 19.0 GiB" in found.cause.message


def test_an_old_neighbour_that_was_not_listed_grew_by_what_is_above_the_smallest_listed() -> None:
    listed = Neighbour(pid=9, name="large", rss_bytes=18 * GIB)
    small = Neighbour(pid=8, name="small", rss_bytes=4 * GIB)
    end = [others("change", 19), state(own=1, available=0.1), *KILLED]

    def run(*at_start: Neighbour) -> Diagnosis:
        return verdict(MACHINE, state(own=1), NeighboursSampled(moment="start", largest=list(at_start)), *end)

    assert names(run(listed)) == ["host-oom-kill"]
    grew = run(listed, small).cause
    assert grew is not None
    assert "a (pid 100, user bob) grew by 15.0 GiB to 19.0 GiB" in grew.message


def test_a_refused_request_on_an_empty_machine_is_the_same() -> None:
    looks = [MACHINE, state(own=1), others("start", 2), others("change", 20), state(own=1, available=0.5)]
    found = verdict(*looks, signal=None, exit_code=1, process=[line(), raised("MemoryError")])
    assert names(found) == ["memory-taken-by-others", "allocation-refused"]


def test_a_shared_control_group_counts_its_own_members_only() -> None:
    def run(same_group: bool) -> list[str]:
        return names(
            verdict(
                GROUP,
                state(own=1, group=2),
                others("start", 1, same_group=same_group),
                others("change", 6, same_group=same_group),
                state(own=1.5, group=7.9),
                *counted(0, 1),
            )
        )

    assert run(True) == ["memory-taken-by-others", "host-oom-kill"]
    assert run(False) == ["host-oom-kill"]


@pytest.mark.parametrize(
    ("own", "available", "sizes"),
    [
        ((1, 3), (4, 0.1), ((18,), (18,))),
        ((1, 18), (20, 0.1), ((2,), (5,))),
        ((1, 9), (20, 0.1), ((2,), (12,))),
        ((1, 1.2), (20, 0.1), ((2,), (2,))),
        ((1, 1.2), (20, 15), ((2,), (8,))),
    ],
    ids=["large and constant", "our own growth", "as much ours", "nobody to name", "memory was not short"],
)
def test_near_misses(
    own: tuple[float, float], available: tuple[float, float], sizes: tuple[tuple[float, ...], tuple[float, ...]]
) -> None:
    killed = KILLED if available[1] < 1 else counted(0, 0, scope="machine", path=None)
    found = verdict(
        MACHINE,
        state(own=own[0], available=available[0]),
        others("start", *sizes[0]),
        others("change", *sizes[1]),
        state(own=own[1], available=available[1]),
        *killed,
    )
    assert "memory-taken-by-others" not in names(found)


def test_our_own_limit_counts_nobody_else() -> None:
    looks = [OURS, state(own=1, group=1), others("start", 2), others("change", 20), state(own=1, group=7.9)]
    assert names(verdict(*looks, *counted(0, 1))) == ["host-oom-kill"]


def test_a_finished_program_has_no_such_finding() -> None:
    looks = [MACHINE, state(own=1), others("start", 2), others("change", 20), state(own=1, available=0.1)]
    assert verdict(*looks, signal=None, exit_code=0).findings == []


def test_a_recording_without_looks_at_neighbours_says_nothing() -> None:
    assert names(verdict(MACHINE, state(own=1), state(own=1, available=0.1), *KILLED)) == ["host-oom-kill"]
