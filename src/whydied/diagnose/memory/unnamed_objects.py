"""What is kept though no variable of the program leads to it: by a notebook, the last traceback, pyplot. Pure."""

from __future__ import annotations

import re

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.kept_objects import own_bytes
from whydied.diagnose.memory.memory_over_time import baseline_bytes, censuses, own_pages_since
from whydied.records import CensusTaken, Holder
from whydied.source.calls import calls_of

SMALLEST_BYTES = 48 << 20
SMALLEST_SHARE = 0.25
EXPLAINS = 0.6
MATTERS = 0.05
"""What came after the census is told where it is more than this part: less is within what sizes are rounded to."""
_NAMED = 3
_FIGURES = frozenset({"figure", "subplots", "subplot_mosaic"})
_OUTPUT = re.compile(r"Out\[(\d+)\]")
_KINDS = {
    "output": ("cell results that the notebook keeps", "result"),
    "traceback": ("variables kept by the last traceback", "traceback"),
    "figure": ("open pyplot figures", "figure"),
}
_ADVICE = {
    "output": [
        "Free the results of earlier cells that the notebook keeps: `%reset -f out`.",
        "A cell that ends with `;` keeps no result; nor does one whose value is assigned to a name that you reuse.",
    ],
    "traceback": [
        "Drop the last traceback: `import sys; sys.last_traceback = sys.last_value = sys.last_exc = None`.",
    ],
    "figure": ['Close figures when you are done with them: `plt.close("all")`, or `plt.close(figure)` after each.'],
}

BytesByPath = dict[str, tuple[Holder, int]]
"""By path: the holder and the bytes of all that it holds."""


def unnamed(case: Case, roots: frozenset[str]) -> Finding | None:
    """The largest of these sorts of holders, where it holds more than any variable does."""
    found = censuses(case)
    if not found:
        return None
    census = found[-1][1]
    held, others = _held_bytes(census)
    held = {root: by_path for root, by_path in held.items() if root in roots}
    totals = {root: sum(size for _, size in by_path.values()) for root, by_path in held.items()}
    root = max(totals, key=lambda root: totals[root], default=None)
    own = max(1, census.rss_bytes - baseline_bytes(case))
    if root is None or totals[root] < max(SMALLEST_BYTES, SMALLEST_SHARE * own, others):
        return None
    # What came after the census is taken to be of the same mixture.
    share = totals[root] / own
    after = round(min(1.0, share) * own_pages_since(case, found[-1][0]))
    return _finding(case, census, root, held[root], share, after)


def _held_bytes(census: CensusTaken) -> tuple[dict[str, BytesByPath], int]:
    """What the notebook holds, by sort and path, and the most that any one variable holds."""
    held: dict[str, BytesByPath] = {}
    others: dict[str, int] = {}
    for group in census.groups:
        for holder in group.holders:
            size = round(group.size_bytes * holder.share)
            if holder.root in _KINDS:
                by_path = held.setdefault(holder.root, {})
                by_path[holder.path] = (holder, size + (by_path[holder.path][1] if holder.path in by_path else 0))
            else:
                others[holder.path] = others.get(holder.path, 0) + size
    return held, max(others.values(), default=0)


def _finding(case: Case, census: CensusTaken, root: str, held: BytesByPath, share: float, after: int) -> Finding:
    ranked = sorted(held.values(), key=lambda one: (-one[1], -_number(one[0])))
    total = sum(size for _, size in ranked)
    names = [holder.path for holder, _ in ranked]
    shown = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    place = _place(case, ranked[0][0])
    words_for, kind = _KINDS[root]
    later = f" at the last count and about {words.size(total + after)} at the end" if after > MATTERS * total else ""
    many = ranked[0][0].length if len(ranked) == 1 else None
    what = f"{shown} that were never closed" if many else f"{words_for} ({shown})"
    return Finding(
        message=f"{prefix(place)}{what} hold {words.size(total)}{later}{case.limit_words}, and no variable refers to "
        "it",
        certainty="certain" if share >= EXPLAINS else "likely",
        location=place,
        culprit=Culprit(kind=kind, name=names[0], bytes=total + after),
        evidence=[
            Evidence(
                fact=f"census at {census.trigger}",
                value=", ".join(f"{holder.path}: {words.size(size)}" for holder, size in ranked[:5]),
                source="CensusTaken",
            ),
            Evidence(
                fact="memory beyond the libraries at that time",
                value=words.size(own_bytes(case, census)),
                source="CensusTaken",
            ),
        ],
        advice=_ADVICE[root],
    )


def _place(case: Case, holder: Holder) -> Location | None:
    """The last statement of the cell whose result it is; the line of the frame of a traceback."""
    found = _OUTPUT.search(holder.path)
    if found:
        ending = f"/cell [{found[1]}]"
        for file, source in case.recording.sources.items():
            statement = source.statement(_last_line(source.lines)) if file.endswith(ending) else None
            if statement is not None:
                return Location(file=file, line=statement.line, end_line=statement.end_line, source=statement.source)
    if holder.file and holder.line:
        return _located(case, holder)
    made = calls_of(case.sources, _FIGURES.__contains__) if holder.root == "figure" else []
    return case.locate(made[0]) if made else None


def _located(case: Case, holder: Holder) -> Location:
    source = case.recording.sources.get(holder.file)
    statement = source.statement(holder.line) if source else None
    return Location(
        file=holder.file,
        line=statement.line if statement else holder.line,
        end_line=statement.end_line if statement else None,
        function=holder.function or None,
        source=statement.source if statement else None,
    )


def _number(holder: Holder) -> int:
    found = _OUTPUT.search(holder.path)
    return int(found[1]) if found else 0


def _last_line(lines: list[str]) -> int:
    return max(
        (at for at, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")), default=1
    )
