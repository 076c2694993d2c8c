"""Worker processes together, or what they put into their queue, hold more than there is memory for.

## What it detects
A program whose memory lies mostly in several worker processes of its own, when the kernel's OOM killer ended it or
one of them; or mostly in batches that workers of Keras have made and that wait in their queue.

## Why it happens
Each worker has its own copy of what it reads or is given, and of what waits in its queue: one data set of 300 MB in
eight workers is 2.4 GB. Where workers are faster than the training, the queue fills up to `max_queue_size`. Memory that
a fork shares at first becomes its own when it is written to, and Python's reference counts write.

## Evidence
The memory of each process of the tree when last seen near the peak; `workers`, `max_queue_size` and
`use_multiprocessing` of the Keras call or its PyDataset where there is one. For a queue the last census: the arrays
that wait in it.

## How it is proved
Certain where at least two workers hold together at least 60 % of the memory of the tree, pages that they share not
counted twice where the system tells them; likely from 40 % on. The same parts hold for what waits in a queue, of what
the program held above its libraries; its bytes are those of `max_queue_size` batches, and it is certain as well where
so many are more than the limit leaves beside the libraries.

## Fix
Fewer workers, a smaller queue, data that is loaded once before the workers are forked, or that each opens itself
(`numpy.memmap`, files), or threads.

## Known problems
Resident bytes count shared pages for each process; where only those are known, the sum is too large.

## References
tensorflow/tensorflow issues 30801, 37026; keras-team/keras issue 11671.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from whydied import words
from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.crash.children import lost_unnoticed
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of, room_bytes
from whydied.diagnose.memory.memory_over_time import baseline_bytes, censuses, own_growth_by_line
from whydied.diagnose.rules.memory import memory_limit_reached
from whydied.read.recording import Sample
from whydied.records import CallBegan, Holder, ProcessSample
from whydied.source.calls import calls_of
from whydied.source.edits.call_edits import argument_beside
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.pool_edits import loaded_before_fork
from whydied.source.edits.runs.size_edits import fewer_rounds, fewer_workers, keyword_set
from whydied.source.training.batch_sizes import keyword_place

FEWEST = 2
_QUEUE = "/queue.py"
"""Python's own queue, by the frame that fills or empties it."""
_ITEMS = ".queue"
"""The attribute in which such a queue keeps its items, a deque."""
_MAKERS = frozenset({"Process", "Pool", "ProcessPoolExecutor", "DataLoader", "Parallel"})
SHARE = 0.4
CERTAIN_SHARE = 0.6
OUTWEIGHING = 2
FEWER = (2, 4, 8)
"""Parts of the workers that were there."""
SHORTEST = 4
"""Batches that a queue may keep without a number of workers."""
SMALL = 0.1
"""A child with less than this part of what children hold on average is not a worker: a resource tracker, a shell."""


class Workers(NamedTuple):
    processes: list[ProcessSample]
    held_bytes: int
    tree_bytes: int


ROLE = "cause"
OF_ALL_PROCESSES = True


def check(case: Case) -> Finding | None:
    if case.is_child or (not lost_unnoticed(case) and memory_limit_reached.check(case) is None):
        return None
    if waiting := _waiting(case):
        return _queue(case, waiting)
    workers = _largest(case)
    if workers is None or workers.held_bytes < SHARE * workers.tree_bytes:
        return None
    return _finding(case, workers)


def outweigh(case: Case, size_bytes: int) -> bool:
    """Whether workers held so much more than some objects of the program's own process that these are not the cause."""
    workers = _largest(case)
    return workers is not None and workers.held_bytes >= max(SHARE * workers.tree_bytes, OUTWEIGHING * size_bytes)


def waits_in(case: Case, holder: Holder) -> bool:
    """Whether a holder is the queue of a call of Keras, which the program bounds by a setting."""
    return holder.root == "library" and _is_queue(holder) and _waiting(case) is not None


def _largest(case: Case) -> Workers | None:
    """The workers when the whole tree held the most."""
    pid = case.recording.program.pid if case.recording.program else None
    samples = [sample for sample in case.recording.samples if len(sample.machine.processes) > FEWEST]
    if case.is_child or pid is None or not samples:
        return None
    limit = case.recording.limit
    workers = _workers(max(samples, key=_tree_bytes), pid, limit is not None and limit.ours)
    return workers if len(workers.processes) >= FEWEST else None


class Waiting(NamedTuple):
    """Batches that wait in a queue of Keras, when they were counted."""

    call: CallBegan
    most: int
    number: int
    held_bytes: int
    share: float

    @property
    def each_bytes(self) -> int:
        return self.held_bytes // self.number


def _waiting(case: Case) -> Waiting | None:
    """What an open call of Keras lets wait, where that is a large part of the memory."""
    taken = censuses(case)
    calls = case.records.open_calls
    limited = [(call, most) for call in calls if (most := _given(call).get("max_queue_size")) and call.frames]
    if not taken or not limited:
        return None
    census = taken[-1][1]
    queued = [
        (group.count * holder.share, group.size_bytes * holder.share)
        for group in census.groups
        for holder in group.holders
        if holder.root == "library" and _is_queue(holder)
    ]
    number, held = round(max((count for count, _ in queued), default=0)), round(sum(size for _, size in queued))
    share = held / max(1, census.rss_bytes - baseline_bytes(case))
    call, most = limited[-1]
    return Waiting(call, most, number, held, share) if number >= FEWEST and share >= SHARE else None


def _is_queue(holder: Holder) -> bool:
    inner = holder.container.endswith("deque") and holder.path.endswith(_ITEMS)
    return inner or holder.file.endswith(_QUEUE)


def _queue(case: Case, waiting: Waiting) -> Finding:
    called = case.locate(waiting.call.frames[-1])
    given = _given(waiting.call)
    settings = [(word, given[word]) for word in ("max_queue_size", "workers") if type(given.get(word)) is int]
    places = [found for word, value in settings if (found := keyword_place(case.sources, word, value))]
    place = places[0] if places else called
    most_bytes, limit = waiting.most * waiting.each_bytes, case.recording.limit
    of = f"; the limit is {words.size(limit.limit_bytes)}" if limit else ""
    # Full, it would not have fitted, whatever else there was.
    too_long = most_bytes > (room_bytes(case) or most_bytes)
    return Finding(
        message=f"{prefix(place)}{words.count(waiting.number, 'batch', 'batches')} of {words.size(waiting.each_bytes)} "
        f"waited in the queue of `{waiting.call.kind}`{_settings(case)}: a full queue would need "
        f"{words.size(most_bytes)}{of}",
        certainty="certain" if waiting.share >= CERTAIN_SHARE or too_long else "likely",
        location=place,
        culprit=Culprit(kind="queue", name="max_queue_size", bytes=most_bytes, value=str(waiting.most)),
        evidence=[
            Evidence(
                fact="batches in the queue at the last count",
                value=f"{waiting.number:,}, {words.size(waiting.held_bytes)}",
                source="CensusTaken",
            ),
            Evidence(fact="called at", value=f"{called.file}:{called.line}", source="CallBegan"),
        ],
        advice=["Use a smaller `max_queue_size`: one or two batches per worker keep the training busy."],
        changes=_shorter(case, waiting, place),
    )


def _shorter(case: Case, waiting: Waiting, place: Location) -> list[Change]:
    """A queue of two batches per worker."""
    wanted = max(SHORTEST, 2 * int(_given(waiting.call).get("workers") or 1))
    source = case.sources.get(place.file)
    if source is None or wanted >= waiting.number:
        return []
    edit = keyword_set(source, place.file, place.line, "max_queue_size", wanted)
    if edit is None:
        edit = argument_beside(source, place.file, place.line, "workers", f"max_queue_size={wanted}")
    return change_of(f"Use a queue of {wanted} batches", "queue-size", edit, value=wanted, harm="exact")


def _own_bytes(process: ProcessSample) -> int:
    return process.anon_bytes if process.anon_bytes is not None else process.rss_bytes


def _tree_bytes(sample: Sample) -> int:
    return sum(_own_bytes(process) for process in sample.machine.processes)


def _workers(sample: Sample, pid: int, limited: bool) -> Workers:
    children = [process for process in sample.machine.processes if process.pid != pid]
    all_of_them = sum(_own_bytes(process) for process in children)
    chosen = [process for process in children if _own_bytes(process) >= SMALL * all_of_them / max(1, len(children))]
    held, tree = sum(map(_own_bytes, chosen)), _tree_bytes(sample)
    counted = sample.machine.cgroup_bytes
    if limited and counted is not None and counted < tree:
        # Pages that a fork shares are counted for each process: the group's own account has them once.
        held, tree = max(0, held - (tree - counted)), counted
    return Workers(chosen, held, tree)


def _finding(case: Case, workers: Workers) -> Finding:
    number = len(workers.processes)
    each = workers.held_bytes // number
    place = _place(case)
    settings = _settings(case)
    return Finding(
        message=f"{prefix(place)}{number} worker processes hold {words.size(workers.held_bytes)} of "
        f"{words.size(workers.tree_bytes)}, {words.size(each)} each{settings}",
        certainty="certain" if workers.held_bytes >= CERTAIN_SHARE * workers.tree_bytes else "likely",
        location=place,
        culprit=Culprit(kind="workers", name="workers", bytes=workers.held_bytes, value=str(number)),
        evidence=[
            Evidence(
                fact=f"{process.name} ({process.pid})",
                value=words.size(_own_bytes(process)),
                source="MachineSampled",
            )
            for process in sorted(workers.processes, key=_own_bytes, reverse=True)[:4]
        ],
        advice=[
            f"Use fewer workers: each takes {words.size(each)}.",
            _made_once(case, workers)
            or "Let each worker open its data itself (files, `numpy.memmap`) instead of passing it a copy.",
        ],
        changes=_changes(case, place, number),
    )


def _made_once(case: Case, workers: Workers) -> str | None:
    """What to do where most workers took their memory at one and the same line of the program's: each makes what all
    could share."""
    pids = {process.pid for process in workers.processes}
    children = [child for child in case.recording.processes if child.pid in pids]
    lines = [own_growth_by_line(Case(case.recording, child)) for child in children]
    most = [
        line[0].location
        for line in lines
        if line and line[0].grown_bytes >= SHARE * sum(one.grown_bytes for one in line)
    ]
    counted = Counter((place.file, place.line) for place in most).most_common(1)
    if not counted or counted[0][1] < max(FEWEST, SHARE * len(workers.processes)):
        return None
    place = next(place for place in most if (place.file, place.line) == counted[0][0])
    return (
        f"Each worker makes its own at {line_words(place)}: make it once, before the workers start (forked processes "
        "share what is only read), or map it from a file (`numpy.load(…, mmap_mode='r')`)."
    )


def _changes(case: Case, place: Location | None, number: int) -> list[Change]:
    """What all workers read made once; a pool of fewer workers than filled the memory: the last of them were still
    being filled."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None or number < FEWEST:
        return []
    shared = loaded_before_fork(source, place.file, place.line)
    found = change_of("Load once what all workers read, before they are forked", "workers", shared, harm="exact")
    for wanted in dict.fromkeys(max(1, number // part) for part in FEWER):
        pool = fewer_workers(source, place.file, place.line, wanted)
        found += change_of(_title(wanted), "workers", pool, value=wanted, harm="same result")
    # Each round of a loop that starts a process gives it work of its own.
    rounds = fewer_rounds(source, place.file, place.line, number // 2) if not found else None
    return found + change_of(_title(number // 2), "workers", rounds, value=number // 2)


def _title(wanted: int) -> str:
    return f"Use {words.count(wanted, 'worker')}"


def _place(case: Case) -> Location | None:
    """The line of the Keras call that was open, else the one that makes the workers, else where the program's own
    process was."""
    calls = case.records.open_calls
    place = case.locate_user(calls[0].frames) if calls else None
    made = calls_of(case.sources, _MAKERS.__contains__)
    return place or (case.locate(made[0]) if made else case.locate_user(case.records.user_frames))


def _settings(case: Case) -> str:
    calls = case.records.all(CallBegan)
    for call in reversed(calls):
        given = _given(call)
        told = [f"{name}={given[name]}" for name in ("workers", "max_queue_size") if name in given]
        if told:
            return f" ({', '.join(told)})"
    return ""


def _given(call: CallBegan) -> dict[str, Any]:
    """What a call was told about its workers, by its arguments or by its data set."""
    data = call.arguments.get("x")
    return {**call.arguments, **(data if isinstance(data, dict) else {})}
