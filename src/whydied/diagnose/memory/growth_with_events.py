"""Whether memory grew along with something that kept happening: traces, sessions, calls. Pure.

Invariant: a few early events, one single jump, and growth that went on long after the last event are no pace.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.memory.memory_over_time import LEAK_BYTES, baseline_bytes, censuses, memory_series, own_peak_bytes
from whydied.records import CensusTaken

FEWEST = 8
"""As many events are called repeated; TensorFlow itself warns of retracing at five."""
SHARE = 0.4
"""The part of what the program took above its libraries that must have come while the events went on."""
AFTERWARDS = 0.35
"""No more than this part of the growth came after the last event: else something else grew. Not a part of the time: the
kernel may look for memory for as long as the whole program ran, and nothing goes on meanwhile."""
LEAST_BYTES = 32 << 20
MOSTLY = 0.5
NAMED_ROOTS = frozenset({"local", "global", "attribute", "closure", "callback"})


class Pace(NamedTuple):
    """Growth from the first event to the peak, and what that is for each event."""

    grown_bytes: int
    events: int
    each_bytes: int


def pace_of(case: Case, times: Sequence[float], events: int | None = None, fewest: int = FEWEST) -> Pace | None:
    """The growth that came while something happened at these times; `events` is how often where not each was seen.
    Fewer of them will do where each is known to take memory."""
    series = memory_series(case)
    number = events if events is not None else len(times)
    if number < fewest or len(times) < 3 or len(series) < 3:
        return None
    first, last = times[0], times[-1]
    start, peak = rss_at(series, first), own_peak_bytes(case)
    grown, whole = peak - start, peak - baseline_bytes(case)
    if grown < LEAK_BYTES or grown < SHARE * whole or peak - rss_at(series, last) > AFTERWARDS * grown:
        return None
    halfway = rss_at(series, first + (last - first) / 2) - start
    if not 0.1 <= halfway / grown <= 0.9:
        return None
    return Pace(grown, number, grown // number)


def rss_at(series: Sequence[tuple[float, int]], at_s: float) -> int:
    """Resident bytes when last seen before a moment."""
    return series[max(0, bisect.bisect_right(series, at_s, key=lambda point: point[0]) - 1)][1]


def gathers_under_a_name(case: Case, since_s: float) -> bool:
    """Whether containers that the program names took most of what memory grew by between two censuses since a moment:
    then no single step took it."""
    taken = [census for at, census in censuses(case) if at >= since_s]
    if len(taken) < 2 or taken[-1].rss_bytes - taken[0].rss_bytes < LEAST_BYTES:
        return False
    return _in_containers(taken[-1]) - _in_containers(taken[0]) > MOSTLY * (taken[-1].rss_bytes - taken[0].rss_bytes)


def _in_containers(census: CensusTaken) -> float:
    return sum(
        group.size_bytes * holder.share
        for group in census.groups
        if group.kind != "model"
        for holder in group.holders
        if holder.root in NAMED_ROOTS and (holder.length or 0) >= FEWEST
    )


class Explained(NamedTuple):
    """What the last census can tell of the memory above the libraries: all that Python objects hold, and the part that
    a name of the program's own leads to."""

    census: CensusTaken
    age_s: float
    own_bytes: int
    python_share: float
    named_share: float


def explained(case: Case) -> Explained | None:
    found = censuses(case)
    if not found:
        return None
    at_s, census = found[-1]
    own = max(1, census.rss_bytes - baseline_bytes(case))
    named = sum(
        group.size_bytes * holder.share
        for group in census.groups
        if group.kind != "model"
        for holder in group.holders
        if holder.root in NAMED_ROOTS and holder.path
    )
    age_s = max(0.0, case.recording.supervisor.last_at_s - at_s)
    return Explained(census, age_s, own, census.python_bytes / own, named / own)


def named_explain(case: Case, share: float = 0.5) -> bool:
    """Whether objects that the program itself names take so much that they, and nothing else, are the cause."""
    found = explained(case)
    return found is not None and found.named_share >= share
