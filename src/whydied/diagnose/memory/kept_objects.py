"""What the last census says of objects that are kept: how many, how large, by whom, and at which line. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of, keeping_changes
from whydied.diagnose.memory.last_statement import last_statement_growth
from whydied.diagnose.memory.memory_over_time import (
    baseline_bytes,
    censuses,
    own_growth_by_line,
    own_pages_since,
    own_peak_bytes,
)
from whydied.diagnose.memory.statement_shapes import made_by
from whydied.records import CensusTaken, Holder, ObjectGroup
from whydied.source.assignments import last_line_in
from whydied.source.calls import CallPlace, calls_of, passed_argument
from whydied.source.container_parts import holder_of
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.holding_edits import let_go, read_anew
from whydied.source.holder_fills import HolderFill, holder_fills
from whydied.source.holder_uses import is_used
from whydied.source.trees import across, enclosing, last_name, names_at, tree_of

FEWEST = 3
SMALLEST_BYTES = 48 << 20
SMALLEST_SHARE = 0.25
EXPLAINS = 0.6
"""Objects that make up this part of what the program took above its baseline are the certain cause; from
`SMALLEST_SHARE` on they are the likely one."""


MOSTLY = 0.5
COUNTS = 0.1
"""What a holder keeps besides is told from this part on."""
_PLAIN = ("container", "text", "object")
_OTHERS = {
    ("array",): (_PLAIN, "Python's own objects"),
    ("tensor",): (_PLAIN, "Python's own objects"),
    _PLAIN: (("array",), "arrays"),
}
"""What may lie in the same holder, by what a rule looks for: the columns of a table are numbers and texts."""
ALIKE = 0.9
"""The part of what a holder keeps that must have one shape for the shape to be told of all."""
BOUND = "Bound it with `deque(maxlen=…)`; for a queue that fills faster than it drains, `Queue(maxsize=…)`."
_CACHE = "_lru_cache_wrapper"
_BOUNDS = {
    "deque": [BOUND],
    "cache": ["Bound it with `lru_cache(maxsize=…)`, or remove the cache."],
    "cycle": ["`itertools.cycle` keeps all that it went through: make the items anew in each pass."],
}
_RUNNING = (
    "Let each call end, or limit how many run at a time: `ThreadPoolExecutor(max_workers=…)`. A call that waits can "
    "let go of what it no longer needs: `del`."
)
_POOL = "/multiprocessing/pool.py"
_POOLS = ("Pool", "ThreadPool", "ThreadPoolExecutor", "ProcessPoolExecutor")
_ASKING = frozenset({"imap", "imap_unordered", "map", "starmap", "map_async", "starmap_async", "apply_async", "submit"})
"""What gives work to a pool. What it takes waits there until a worker is free, and results until they are taken."""
_BACKLOG = (
    "`{call}` takes work as fast as it is given, whether the workers keep up or not, and keeps it: let what gives the "
    "work wait (`room = threading.Semaphore(16)`, `room.acquire()` before each item, `room.release()` after each "
    "result), or give it in parts."
)
KEPT_TEXTS = {
    "[evidence of what is kept]": """\
The census that the recorder took when memory reached a milestone (40, 60, 75, 85 and 92 % of the limit, or
strong growth): live objects by type, shape and dtype with their bytes, and for the large groups the path from
a variable, attribute or closure to them. The last census is used and its age is stated; if the last two
show that this holder caused the growth, its bytes are extrapolated to the end of the run. Of several holders the one
that was growing counts, because what was there all along had fitted. The line is the statement that fills the
holder.""",
    "[proof of what is kept]": """\
Certain if the holder makes up at least 60 % of what the program held beyond its libraries; likely from 25 %
on. Below 48 MiB, or with fewer than three objects, nothing is reported: every program has lists of a few small
tensors.""",
    "[known problems of what is kept]": """\
Objects that only native code holds are not seen. A holder that has several names is given the shortest.""",
}
"""What the documentation of all rules about kept objects has in common, by its mark in their docstrings."""

Key = tuple[str, str, str]
ByHolder = dict[Key, tuple[Holder, ObjectGroup, int, int]]
"""By path, file and function: the holder, its largest group, and the number and bytes of all that it holds."""


class Kept(NamedTuple):
    """Objects of some kinds under one holder. `besides_bytes` is what it keeps of other kinds, where that counts;
    `bytes_at_end` carries all of it on to the end of the run, where the last two censuses show that this holder took
    the growth."""

    holder: Holder
    group: ObjectGroup
    number: int
    size_bytes: int
    besides_bytes: int
    besides: str
    bytes_at_end: int
    census: CensusTaken
    age_s: float


def kept(case: Case, kinds: tuple[str, ...]) -> Kept | None:
    """Of the holders of these kinds that keep enough to matter the one that was growing, else the one that keeps the
    most: what was there all along had fitted."""
    found = censuses(case)
    if not found:
        return None
    taken_at, census = found[-1]
    least = max(SMALLEST_BYTES, SMALLEST_SHARE * own_bytes(case, census))
    held = {
        key: one
        for key, one in by_holder(census, kinds).items()
        if one[3] >= least and max(one[2], one[0].length or 0) >= FEWEST and not _is_passing(one[0])
        if not (case.exit_code == 0 and _is_meant(case, one[0]))
    }
    if not held:
        return None
    key = _growing(found, held, kinds) or max(held, key=lambda key: held[key][3])
    holder, group, count, size = held[key]
    others, noun = _OTHERS.get(kinds, ((), ""))
    besides = by_holder(census, others).get(key)
    more = besides[3] if besides and besides[3] > COUNTS * size else 0
    at_end = _at_end(case, key, (*kinds, *others) if more else kinds, size + more)
    end = case.recording.supervisor.last_at_s
    return Kept(holder, group, count, size, more, noun, at_end, census, max(0.0, end - taken_at))


def _is_passing(holder: Holder) -> bool:
    """A variable of a function of a library's, which is at work on what it is to give: it has no name in the program.
    What a pool of processes gave waits for the program, and so does what a library's object keeps."""
    return holder.root == "library" and "." not in holder.path and not holder.file.endswith(_POOL)


def _is_meant(case: Case, holder: Holder) -> bool:
    """Whether a program that had enough memory gathers what it needs: in a holder with a bound, or in one that it uses
    and does not only fill."""
    return _bound(case, holder) is not None or is_used(holder.path, case.recording.sources)


def _growing(found: list[tuple[float, CensusTaken]], held: ByHolder, kinds: tuple[str, ...]) -> Key | None:
    """The holder that took most of what memory grew by between the last two censuses."""
    if len(found) < 2:
        return None
    earlier, later = found[-2][1], found[-1][1]
    before = by_holder(earlier, kinds)
    grown = {key: one[3] - (before[key][3] if key in before else 0) for key, one in held.items()}
    most = max(grown, key=lambda key: grown[key])
    return most if grown[most] > MOSTLY * max(0, later.rss_bytes - earlier.rss_bytes) else None


def own_bytes(case: Case, census: CensusTaken) -> int:
    """What the program holds above its libraries."""
    return max(1, census.rss_bytes - baseline_bytes(case))


def of_own_bytes(case: Case, census: CensusTaken, size: int) -> str:
    """A part of that in words. Both are counted beyond the libraries, whose pages a limit need not count."""
    return f"{words.size(size)} of {words.size(max(size, own_bytes(case, census)))} beyond the libraries"


def by_holder(census: CensusTaken, kinds: tuple[str, ...]) -> ByHolder:
    held: ByHolder = {}
    for group in census.groups:
        # A Sequential has a model inside of it, which weighs nothing of its own.
        if group.kind not in kinds or group.size_bytes <= 0:
            continue
        for holder in group.holders:
            if not holder.path:
                continue
            key = (holder.path, holder.file, holder.function)
            count, size = round(group.count * holder.share), round(group.size_bytes * holder.share)
            known = held.get(key)
            largest = group if known is None or group.size_bytes > known[1].size_bytes else known[1]
            held[key] = (holder, largest, count + (known[2] if known else 0), size + (known[3] if known else 0))
    return held


def _at_end(case: Case, key: Key, kinds: tuple[str, ...], size: int) -> int:
    """The bytes with what came after the last census, where the holder took the growth before it: since the census
    before, or since the first that knows it, because from one to the next something else may come and go."""
    found = censuses(case)
    taken_at, later = found[-1]
    after = max(own_peak_bytes(case) - later.rss_bytes, own_pages_since(case, taken_at))
    if len(found) < 2 or after <= 0:
        return size
    sizes = [(census, by_holder(census, kinds).get(key)) for _, census in found[:-1]]
    known = [(census, held[3]) for census, held in sizes if held]
    last, before = sizes[-1]
    for earlier, had in [(last, before[3] if before else 0), *known[:1]]:
        grown, by = later.rss_bytes - earlier.rss_bytes, size - had
        if grown > 0 and 0.7 <= by / grown <= 1.3:
            return size + after
    return size


def finding_of(case: Case, found: Kept, noun: str, advice: list[str], *, collect: bool = False) -> Finding:
    """`collect` says that what is no longer kept waits for the garbage collector."""
    place, name = filling_place(case, found.holder), written_name(case, found.holder)
    explained = (found.size_bytes + found.besides_bytes) / own_bytes(case, found.census)
    where = f" in {found.holder.function}()" if found.holder.function not in ("", "<module>") else ""
    if found.holder.path.startswith("self."):
        # Its place is that of the class.
        where = f" of {found.holder.function}" if where else ""
    kind = (found.holder.container or found.holder.root).rpartition(".")[2]
    kind = "cache" if kind == _CACHE else kind
    running = kind == "local" and found.number >= FEWEST and not 1 < _threads(case) < found.number
    if running:
        # A variable has one thing: these are many calls that have not ended, each in a thread of its own.
        where = f" of {words.count(found.number, 'running call')} of {found.holder.function}()"
        kind = "variable"
    kind = "variable" if kind == "local" else kind
    asked = _asked_of_pool(case, found.holder)
    if asked is not None and kind in _POOLS:
        name = name.partition(".")[0]
    form = _form(found)
    changes = _let_go(case, found.holder) if running else held_changes(case, found, collect=collect)
    length = found.holder.length if found.holder.length is not None else found.number
    return Finding(
        message=f"{prefix(place)}the {kind} `{name}`{where} holds "
        f"{words.count(found.number, noun)}{form}, {_amount(found)}{case.limit_words}{_joined(case, found)}",
        certainty="certain" if explained >= EXPLAINS and place else "likely",
        location=place,
        culprit=Culprit(
            kind=kind,
            name=name,
            shape=found.group.shape,
            dtype=found.group.dtype,
            bytes=found.bytes_at_end,
        ),
        evidence=[
            Evidence(
                fact=f"census at {found.census.trigger}, {words.duration(found.age_s)} before the end",
                value=f"{words.count(found.number, noun)}, {of_own_bytes(case, found.census, found.size_bytes)}"
                + (", estimated from a sample" if found.group.estimated else ""),
                source="CensusTaken",
            ),
            *([] if running else [Evidence(fact=f"length of `{name}`", value=length, source="CensusTaken")]),
            *line_evidence(case),
        ],
        advice=[_BACKLOG.format(call=asked.name)]
        if asked is not None
        else [
            *without_loss(changes),
            *([_RUNNING] if running else _bounds(case, found, kind)),
            *_narrower(found.group),
            *advice,
        ],
        changes=changes,
    )


def without_loss(changes: list[Change]) -> list[str]:
    """What the gentlest change does, as advice, where the program computes the same with it."""
    return [f"{change.title}." for change in changes[:1] if change.harm == "exact"]


def _let_go(case: Case, holder: Holder) -> list[Change]:
    """A variable of calls that go on without it."""
    source = case.sources.get(holder.file)
    edits = let_go(source, holder.file, holder.function, holder.path) if source is not None else []
    return change_of(f"Let go of `{holder.path}` after its last use", "release", edits, "exact")


def held_changes(case: Case, found: Kept, *, collect: bool = False) -> list[Change]:
    """Less in the holder of what is kept."""
    if _is_cycle(found.holder):
        _, edits = read_anew(case.sources, found.holder.file, found.holder.path)
        return change_of("Make the items anew in each pass", "release", edits, "same result")
    name = written_name(case, found.holder)
    number = min(found.number, found.holder.length if found.holder.length is not None else found.number)
    alike = found.group.shape is not None and found.group.count >= ALIKE * found.number
    fill = filling(case, found.holder)
    dtype = found.group.dtype if found.group.kind == "array" else None
    return keeping_changes(case, found.holder, name, number, fill, alike=alike, collect=collect, dtype=dtype)


def _threads(case: Case) -> int:
    """The most threads that the process was seen with: so many calls can run at a time."""
    samples = [one for sample in case.recording.samples for one in sample.machine.processes if one.pid == case.pid]
    return max((one.threads for one in samples), default=1)


def _bounds(case: Case, found: Kept, kind: str) -> list[str]:
    """How to bound a holder. One that has a bound has one that is too large."""
    bound = _bound(case, found.holder)
    if kind != "deque" or bound is None:
        return _BOUNDS.get(kind, [])
    reached = (found.holder.length or found.number) * found.bytes_at_end / max(1, found.size_bytes)
    return [f"Lower `maxlen={ast.unparse(bound)}`: memory was full with about {float(f'{reached:.2g}'):,.0f} in it."]


def _bound(case: Case, holder: Holder) -> ast.expr | None:
    name = written_name(case, holder).rpartition(".")[2]
    chosen = [
        passed_argument(node.value, "maxlen")
        for _, node in across(case.sources, ast.Assign)
        if isinstance(node.value, ast.Call) and name in map(last_name, node.targets)
    ]
    return next((one for one in chosen if one is not None), None)


def _joined(case: Case, found: Kept) -> str:
    """Of a list whose parts the last statement was putting into one array: both are there until it is done."""
    growth = last_statement_growth(case)
    if growth is None or found.holder.path not in names_at(case.sources, growth.place):
        return ""
    made = made_by(case, growth.place, MOSTLY * found.size_bytes)
    if made is None:
        return ""
    return f", and {line_words(growth.place)} joins them: {words.size(made.size_bytes)} more"


def _narrower(group: ObjectGroup) -> list[str]:
    if group.dtype != "float64":
        return []
    return ["`float32` instead of float64 takes half (`.astype('float32')`), and `uint8`, for pictures, an eighth."]


def _amount(found: Kept) -> str:
    counted = words.size(found.size_bytes)
    if found.besides_bytes:
        counted += f" and {words.size(found.besides_bytes)} of {found.besides}"
    if found.bytes_at_end == found.size_bytes + found.besides_bytes:
        return counted
    return f"{counted} at the last count and about {words.size(found.bytes_at_end)} at the end"


def _form(found: Kept) -> str:
    group = found.group
    mixed = ", the largest" if group.shape is not None and group.count < ALIKE * found.number else ""
    shape = f"{mixed} of shape {group.shape}" if group.shape is not None else ""
    return f"{shape} {group.dtype}" if group.dtype else shape


def line_evidence(case: Case) -> list[Evidence]:
    """The statements during which the process grew the most."""
    return [
        Evidence(
            fact="memory grew most while running",
            value=f"{line.location.spelled}, {words.size(line.grown_bytes)}",
            source="LineSampled",
        )
        for line in own_growth_by_line(case)[:1]
        if line.grown_bytes > SMALLEST_BYTES
    ]


def filling_place(case: Case, holder: Holder) -> Location | None:
    """The statement that fills the holder, else the one during which memory grew most."""
    asked = _asked_of_pool(case, holder)
    if asked is not None:
        return case.locate(asked)
    best = _cycle(case, holder) or filling(case, holder) or _last_assignment(case, holder)
    if best is None:
        lines = own_growth_by_line(case)
        return lines[0].location if lines else None
    return case.locate(best)


def _cycle(case: Case, holder: Holder) -> HolderFill | None:
    """The statement that repeats something endlessly with `itertools.cycle`."""
    if not _is_cycle(holder):
        return None
    line, _ = read_anew(case.sources, holder.file, holder.path)
    return (
        HolderFill(holder.file, line, enclosing(tree_of(case.sources, holder.file), line), holder.path)
        if line
        else None
    )


def _is_cycle(holder: Holder) -> bool:
    return holder.container.rpartition(".")[2] == "cycle"


def _asked_of_pool(case: Case, holder: Holder) -> CallPlace | None:
    """The call that gave work to the pool that keeps it."""
    if holder.container.rpartition(".")[2] not in _POOLS and not holder.file.endswith(_POOL):
        return None
    return next(iter(calls_of(case.sources, _ASKING.__contains__)), None)


def filling(case: Case, holder: Holder) -> HolderFill | None:
    """Of several statements that fill a holder the one in the function that was growing."""
    candidates = holder_fills(holder.path, case.recording.sources)
    if not candidates and "." in holder.path:
        # What a library's object holds is filled by its methods: `waiting.put(…)` for `waiting.queue`.
        candidates = holder_fills(holder.path.rpartition(".")[0], case.recording.sources)
    lines = own_growth_by_line(case)
    rank = {(line.location.file, line.location.line): line.grown_bytes for line in lines}
    functions = {(line.location.file, line.location.function) for line in lines[:3]}

    def weight(fill: HolderFill) -> tuple[bool, bool, bool, int]:
        own = fill.file == holder.file and fill.function == holder.function
        grew = rank.get((fill.file, fill.line), 0)
        return _item(fill.name) == _item(holder.path), own, (fill.file, fill.function) in functions, grew

    return max(candidates, key=weight, default=None)


def _last_assignment(case: Case, holder: Holder) -> HolderFill | None:
    """The last statement that assigns a variable in the function that holds it."""
    if holder.root != "local" or holder.container:
        return None
    line = last_line_in(tree_of(case.sources, holder.file), holder.function, holder.path)
    return HolderFill(holder.file, line, holder.function, holder.path) if line is not None else None


def _item(path: str) -> str:
    """The last item of a path, `['loss']`: one list of a dictionary of lists is not the other."""
    return path[path.rfind("[") :] if path.endswith("]") else ""


def written_name(case: Case, holder: Holder) -> str:
    """The holder as the statement that fills it writes it: `self.debug` inside the class, `store.debug` outside. What
    `pages[day].append(…)` fills are parts of the holder `pages`."""
    best = filling(case, holder)
    if best is None:
        return holder.path
    inner = best.name.count("[") - holder.path.count("[")
    if inner <= 0:
        return best.name
    return holder_of(best.name, inner)
