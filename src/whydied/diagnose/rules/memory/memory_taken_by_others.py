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
from whydied.records import LimitApplied, Neighbour, NeighboursSampled

MUCH_BYTES = 256 << 20
MUCH_SHARE = 0.05
TIMES_OURS = 2.0
SHORT_SHARE = 0.10
"""Below this share of available memory the machine counts as short of it: where early killers act by default."""
_BEGAN_BYTES = 64 << 20


class Shares(NamedTuple):
    """Memory of the program and of others, each at the start and at most."""

    scope: str
    own: tuple[int, int]
    others: tuple[int, int]

    @property
    def own_growth(self) -> int:
        return max(0, self.own[1] - self.own[0])

    @property
    def others_growth(self) -> int:
        return self.others[1] - self.others[0]


class Grower(NamedTuple):
    """A neighbour whose memory grew, by how much, and how long after the start of the run that began."""

    neighbour: Neighbour
    growth_bytes: int
    began_s: float


ROLE = "memory"


def check(case: Case) -> Finding | None:
    limit = case.recording.limit
    # A limit of our own counts the program alone: nobody else can fill it.
    if limit is None or limit.ours or not _ran_out(case, limit):
        return None
    shares = _shares(case, limit)
    much = max(MUCH_BYTES, MUCH_SHARE * limit.limit_bytes)
    if shares is None or shares.others_growth < max(much, TIMES_OURS * shares.own_growth):
        return None
    growers = _growers(case, shares.scope)
    # Page cache and shared files are nobody's: without a process that did it there is nobody to name.
    if not growers or sum(grower.growth_bytes for grower in growers) < max(shares.own_growth, shares.others_growth / 2):
        return None
    first = growers[0]
    of = words.size(limit.limit_bytes)
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
        evidence=[
            Evidence(
                fact=f"memory of {shares.scope} used by other processes",
                value=f"{_course(shares.others)}, of {of}",
                source="MachineSampled",
            ),
            Evidence(fact="memory of the program", value=_course(shares.own), source="MachineSampled"),
            *map(_named, growers[:3]),
        ],
        advice=["Limit the other process or run it elsewhere, or give this program its own cgroup."],
    )


def _ran_out(case: Case, limit: LimitApplied) -> bool:
    if case.last_sample is None:
        return False
    if host_oom_kill.check(case) is not None:
        return True
    machine = case.last_sample.machine
    available = machine.available_bytes
    if limit.kind != "machine" and machine.cgroup_bytes is not None:
        available = max(0, limit.limit_bytes - machine.cgroup_bytes)
    short = available is not None and available < SHORT_SHARE * limit.limit_bytes
    return short and (case.signal == signal.SIGKILL or allocation_refused.check(case) is not None)


def _shares(case: Case, limit: LimitApplied) -> Shares | None:
    samples = [sample for sample in case.recording.samples if sample.machine.processes]
    others = [_others_bytes(sample, limit) for sample in samples]
    # At most, not at the end: when one of the others dies first, the last sample misses it.
    known = [size for size in others[1:] if size is not None]
    if not known or others[0] is None:
        return None
    return Shares(
        scope="the cgroup" if limit.kind != "machine" else "the machine",
        own=(samples[0].rss_bytes, max(sample.rss_bytes for sample in samples)),
        others=(others[0], max(known)),
    )


def _others_bytes(sample: Sample, limit: LimitApplied) -> int | None:
    """What is used and not the program's."""
    used = sample.machine.cgroup_bytes
    if limit.kind == "machine":
        available = sample.machine.available_bytes
        used = limit.limit_bytes - available if available is not None else None
    return max(0, used - sample.rss_bytes) if used is not None else None


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


def _course(sizes: tuple[int, int]) -> str:
    return f"{words.size(sizes[0])} at the start, {words.size(sizes[1])} at most"


def _named(grower: Grower) -> Evidence:
    neighbour = grower.neighbour
    age = f", then running for {words.duration(neighbour.age_s)}" if neighbour.age_s is not None else ""
    command = f": {neighbour.command}" if neighbour.command else ""
    return Evidence(
        fact=f"{_who(neighbour)} grew",
        value=f"by {words.size(grower.growth_bytes)} to {words.size(neighbour.rss_bytes)}{age}{command}",
        source="NeighboursSampled",
    )
