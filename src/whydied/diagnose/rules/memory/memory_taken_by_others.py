"""Other processes took the memory while the program ran.

## What it detects
A run that ended because memory was short (the kernel's OOM killer, a request that was refused, a kill while
the machine was nearly empty of memory), while the memory used by others grew by a lot and the program's own by
much less.

## Why it happens
The machine, or the control group with the limit, is shared. The kernel picks a victim by size, not by guilt: a
large program that behaves dies for a small one that grows.

## Evidence
The machine's available memory and the program's own over the run: what is neither available nor the program's is
used by others. The largest processes outside of the program, at its start and near its end, with their users, ages
and growth, and when that growth began.

## How it is proved
Others grew by at least 5 % of the memory (and 256 MiB) and by at least twice as much as the program: likely, because
it is an account of sums. Who grew is measured for each process.

## Fix
Bound the other process, run it at another time or place, or give the program a control group with memory of its own.

## Known problems
Others that were large from the start and stayed so are no finding: then the program's own need decides, and a note
names them. Memory that belongs to no process (page cache, tmpfs) is counted with others and has no name.

## References
Kernel documentation: the OOM killer's choice (oom_score_adj, proc(5)).
"""

from __future__ import annotations

import signal
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.rules.memory import allocation_refused, host_oom_kill
from whydied.read.recording import Sample
from whydied.records import Neighbour, NeighboursSampled

MUCH_BYTES = 256 << 20
MUCH_SHARE = 0.05
TIMES_OURS = 2.0
SHORT_SHARE = 0.10
"""Below this share of available memory the machine counts as short of it: where early killers act by default."""
_BEGAN_BYTES = 64 << 20


class MemoryShares(NamedTuple):
    """Memory of the program and of others, at the beginning and near the end."""

    total_bytes: int
    own_before: int
    own_after: int
    others_before: int
    others_after: int
    scope: str

    @property
    def own_growth(self) -> int:
        return max(0, self.own_after - self.own_before)

    @property
    def others_growth(self) -> int:
        return self.others_after - self.others_before


class Grower(NamedTuple):
    """A neighbour whose memory grew, by how much, and how long after the start of the run that began."""

    neighbour: Neighbour
    growth_bytes: int
    began_s: float


ROLE = "memory"


def check(case: Case) -> Finding | None:
    if not _ran_out(case):
        return None
    shares = _memory_shares(case)
    if shares is None or not _others_did_it(shares):
        return None
    growers = _growers(case, shares.scope)
    # Page cache and shared files are nobody's: without a process that did it there is nobody to name.
    if not growers or sum(grower.growth_bytes for grower in growers) < max(shares.own_growth, shares.others_growth / 2):
        return None
    first = growers[0]
    return Finding(
        message=f"{_who(first.neighbour)} grew by {words.size(first.growth_bytes)} to "
        f"{words.size(first.neighbour.rss_bytes)}, starting {words.duration(first.began_s)} after the start, and "
        f"took the memory of {shares.scope}; {case.program} grew by {words.size(shares.own_growth)}",
        certainty="likely",
        culprit=Culprit(
            kind="process",
            name=first.neighbour.name,
            bytes=first.neighbour.rss_bytes,
            value=f"pid {first.neighbour.pid}",
        ),
        evidence=[*_sums(shares), *_named(growers)],
        advice=["Limit the other process or run it elsewhere, or give this program its own cgroup."],
    )


def _ran_out(case: Case) -> bool:
    limit, sample = case.recording.limit, case.last_sample
    if limit is None or sample is None or limit.ours:
        # A limit of our own counts the program alone: nobody else can fill it.
        return False
    if host_oom_kill.check(case) is not None:
        return True
    short = _available_share(sample, limit.limit_bytes, limit.kind) < SHORT_SHARE
    return short and (case.signal == signal.SIGKILL or allocation_refused.check(case) is not None)


def _available_share(sample: Sample, limit_bytes: int, kind: str) -> float:
    machine = sample.machine
    if kind != "machine" and machine.cgroup_bytes is not None:
        return max(0.0, 1 - machine.cgroup_bytes / limit_bytes) if limit_bytes else 1.0
    if machine.available_bytes is None or not limit_bytes:
        return 1.0
    return machine.available_bytes / limit_bytes


def _memory_shares(case: Case) -> MemoryShares | None:
    limit = case.recording.limit
    samples = [sample for sample in case.recording.samples if sample.machine.processes]
    if limit is None or len(samples) < 2:
        return None
    # The moment when others held most beside the program: when one of them dies first, the last sample misses it.
    first = samples[0]
    shared = limit.kind != "machine"
    worst = max(samples[1:], key=lambda sample: _others_bytes(sample, limit.limit_bytes, shared) or 0)
    before, after = (_others_bytes(sample, limit.limit_bytes, shared) for sample in (first, worst))
    if before is None or after is None:
        return None
    return MemoryShares(
        total_bytes=limit.limit_bytes,
        own_before=first.rss_bytes,
        own_after=max(sample.rss_bytes for sample in samples),
        others_before=before,
        others_after=after,
        scope="the cgroup" if shared else "the machine",
    )


def _others_bytes(sample: Sample, total_bytes: int, shared: bool) -> int | None:
    """What is used and not the program's."""
    machine = sample.machine
    if shared:
        return None if machine.cgroup_bytes is None else max(0, machine.cgroup_bytes - sample.rss_bytes)
    return None if machine.available_bytes is None else max(0, total_bytes - machine.available_bytes - sample.rss_bytes)


def _others_did_it(shares: MemoryShares) -> bool:
    much = max(MUCH_BYTES, MUCH_SHARE * shares.total_bytes)
    return shares.others_growth >= much and shares.others_growth >= TIMES_OURS * shares.own_growth


def _growers(case: Case, scope: str) -> list[Grower]:
    """Neighbours that grew, by growth, each as it was when largest."""
    looks = list(case.recording.supervisor.timed(NeighboursSampled))
    if not looks:
        return []
    start_s = looks[0][0]
    before = {(n.pid, n.name): n.rss_bytes for n in looks[0][1].largest}
    # One that was not among the largest at the start was no larger than the smallest of them.
    unlisted = min(before.values(), default=0)
    seen: dict[tuple[int, str], list[tuple[float, Neighbour]]] = {}
    for at_s, look in looks:
        for neighbour in look.largest:
            if scope == "the machine" or neighbour.same_group:
                seen.setdefault((neighbour.pid, neighbour.name), []).append((at_s, neighbour))
    growers = []
    for key, states in seen.items():
        largest = max((state for _, state in states), key=lambda state: state.rss_bytes)
        base = before.get(key, 0 if _is_younger(states[0], start_s) else unlisted)
        growth = largest.rss_bytes - base
        if growth >= _BEGAN_BYTES:
            began = next(at_s for at_s, state in states if state.rss_bytes - base >= _BEGAN_BYTES)
            growers.append(Grower(largest, growth, began - start_s))
    return sorted(growers, key=lambda grower: grower.growth_bytes, reverse=True)[:5]


def _is_younger(state: tuple[float, Neighbour], start_s: float) -> bool:
    """Whether a process started after the run did, so that all its memory is new."""
    at_s, neighbour = state
    return neighbour.age_s is not None and at_s - neighbour.age_s >= start_s


def _who(neighbour: Neighbour) -> str:
    user = f", user {neighbour.user}" if neighbour.user else ""
    return f"{neighbour.name} (pid {neighbour.pid}{user})"


def _sums(shares: MemoryShares) -> list[Evidence]:
    return [
        Evidence(
            fact=f"memory of {shares.scope} used by other processes",
            value=f"{words.size(shares.others_before)} at the start, {words.size(shares.others_after)} at most, "
            f"of {words.size(shares.total_bytes)}",
            source="MachineSampled",
        ),
        Evidence(
            fact="memory of the program",
            value=f"{words.size(shares.own_before)} at the start, {words.size(shares.own_after)} at most",
            source="MachineSampled",
        ),
    ]


def _named(growers: list[Grower]) -> list[Evidence]:
    facts = []
    for grower in growers[:3]:
        neighbour = grower.neighbour
        age = f", then running for {words.duration(neighbour.age_s)}" if neighbour.age_s is not None else ""
        command = f": {neighbour.command}" if neighbour.command else ""
        facts.append(
            Evidence(
                fact=f"{_who(neighbour)} grew",
                value=f"by {words.size(grower.growth_bytes)} to {words.size(neighbour.rss_bytes)}{age}{command}",
                source="NeighboursSampled",
            )
        )
    return facts
