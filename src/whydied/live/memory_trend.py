"""Where the memory of a running program is going: how fast it grows, and when it reaches the limit. Pure.

The slope is the median over all pairs of the last minute's seconds (Theil and Sen), of each second the highest sample:
a single jump, such as the first step of a training, does not count as growth that goes on, and the ups and downs within
a step do not count at all. Growth that has stopped is none, though the median still has it.
"""

from __future__ import annotations

import statistics
from collections import deque
from typing import NamedTuple

from whydied.records import LimitApplied, MachineSampled

WINDOW_S = 60.0
LEAST_S = 10.0
"""A shorter time says nothing about a trend."""
NOISE_SHARE = 0.002
NOISE_BYTES = 1 << 20
"""Growth over the window that is less than this, or this share of what is held, is the noise of a living process."""


GOES_ON_SHARE = 0.25
"""Of what the slope promises for the last third of the window, as much as this must have come."""


class Memory(NamedTuple):
    """What is held and what may be. `used_bytes` and `limit_bytes` count the same; `counted` says what that is."""

    rss_bytes: int = 0
    peak_bytes: int = 0
    used_bytes: int = 0
    limit_bytes: int | None = None
    counted: str = ""
    bytes_per_s: float | None = None
    to_limit_s: float | None = None

    @property
    def share(self) -> float | None:
        return self.used_bytes / self.limit_bytes if self.limit_bytes else None


class MemoryTrend:
    def __init__(self) -> None:
        self._seconds: deque[tuple[float, float]] = deque()
        self._last = Memory()

    def add(self, at_s: float, rss_bytes: int, sample: MachineSampled, limit: LimitApplied | None) -> int:
        """Take a sample in; what of it counts against the limit."""
        used, limit_bytes, counted = used_of(rss_bytes, sample, limit)
        self._last = Memory(rss_bytes, max(self._last.peak_bytes, rss_bytes), used, limit_bytes, counted)
        self._keep(at_s, used)
        return used

    def now(self) -> Memory:
        """As of the last sample. The slope is worked out here, and not for each of the samples of a day."""
        slope, last = self._slope(), self._last
        room = last.limit_bytes - last.used_bytes if last.limit_bytes is not None else None
        left_s = max(0.0, room / slope) if room is not None and slope is not None and slope > 0 else None
        return last._replace(bytes_per_s=slope, to_limit_s=left_s)

    @property
    def seen_s(self) -> float:
        """How much of the last minute is known."""
        return self._seconds[-1][0] - self._seconds[0][0] if self._seconds else 0.0

    def _keep(self, at_s: float, used: int) -> None:
        second = float(int(at_s))
        if self._seconds and self._seconds[-1][0] == second:
            self._seconds[-1] = (second, max(self._seconds[-1][1], float(used)))
        else:
            self._seconds.append((second, float(used)))
        while self._seconds[-1][0] - self._seconds[0][0] > WINDOW_S:
            self._seconds.popleft()

    def _slope(self) -> float | None:
        """Bytes a second; 0 where what changes is noise, None where too little was seen."""
        points = list(self._seconds)[:-1]
        if not points or points[-1][0] - points[0][0] < LEAST_S:
            return None
        slopes = [
            (later - earlier) / (end - begin)
            for at, (begin, earlier) in enumerate(points)
            for end, later in points[at + 1 :]
        ]
        slope = statistics.median(slopes)
        grown = abs(slope) * (points[-1][0] - points[0][0])
        is_noise = grown <= max(NOISE_BYTES, NOISE_SHARE * points[-1][1])
        return slope if not is_noise and _goes_on(points, slope) else 0.0


def _goes_on(points: list[tuple[float, float]], slope: float) -> bool:
    """Whether the last third of the time has at least a part of the change too: what was loaded at the start, and
    stands still since, grows no more."""
    last = points[-max(6, len(points) // 3) :]
    ends = [statistics.median(level for _, level in part) for part in (last[:3], last[-3:])]
    changed, expected = ends[1] - ends[0], slope * (last[-2][0] - last[1][0])
    return changed * slope > 0 and abs(changed) >= GOES_ON_SHARE * abs(expected)


def used_of(rss_bytes: int, sample: MachineSampled, limit: LimitApplied | None) -> tuple[int, int | None, str]:
    """What counts against the limit, the limit, and what that is."""
    if limit is None:
        return rss_bytes, None, "resident memory of the program"
    if limit.kind == "machine":
        # Others fill it too: what is left is what the kernel calls available.
        free = sample.available_bytes
        used = limit.limit_bytes - free if free is not None else rss_bytes
        return used, limit.limit_bytes, "memory of the machine, all programs"
    if limit.kind.startswith("cgroup") and not limit.ours and sample.cgroup_bytes is not None:
        return sample.cgroup_bytes, limit.limit_bytes, "memory of the container, caches included"
    if limit.kind.startswith("cgroup") and (own := _own_bytes(sample)) is not None:
        return own, limit.limit_bytes, "memory of the program without mapped files"
    return rss_bytes, limit.limit_bytes, "resident memory of the program"


def _own_bytes(sample: MachineSampled) -> int | None:
    """What a group of the program's own is charged with and cannot give back: pages of files it can, and those of
    libraries are mostly charged to whoever read them first. Shared memory, which several may map, counts once."""
    living = [one for one in sample.processes if one.rss_bytes]
    anonymous = [one.anon_bytes for one in living if one.anon_bytes is not None]
    if not living or len(anonymous) < len(living):
        return None
    return sum(anonymous) + max(one.shmem_bytes or 0 for one in living)
