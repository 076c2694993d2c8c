"""Variables are made in a loop, and each of them is kept.

## What it detects
One line of the program that makes `tf.Variable`s again and again, while they pile up and memory grows.

## Why it happens
A `tf.Variable` owns its memory. Made at every step and kept in a list, an attribute or (v1) the graph's
collections, it is there until the end. Often an assignment was meant.

## Evidence
The variables that each line made, counted and summed; the census: how many variables live, and who holds them.

## How it is proved
Certain where the last census finds at least half of what the line made alive and that takes at least 25 % of what
the program held above its libraries; likely where the census says nothing but memory grew with the variables.

## Fix
Make the variable once, before the loop, and use `variable.assign(…)` inside.

## Known problems
Variables that Keras makes for its layers are not counted here: see models-kept.

## References
None.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.diagnose.footprint import baseline_bytes, censuses
from whydied.diagnose.held import kept
from whydied.diagnose.naming import assigned_name
from whydied.diagnose.pace import FEWEST, Pace, named_explain, pace_of
from whydied.records import CensusTaken, VariablesMade

SHARE = 0.25
ALIVE = 0.5


def check(case: Case) -> Finding | None:
    times, made = _busiest(case)
    if made is None or made.count < FEWEST:
        return None
    pace = pace_of(case, times, made.count)
    number, size, certainty = _alive(case, made)
    if pace is None or size == 0:
        return None
    return _finding(case, made, pace, number, size, certainty)


def _busiest(case: Case) -> tuple[list[float], VariablesMade | None]:
    """The line that made the most bytes of variables, with the times at which it was seen to."""
    by_line: dict[tuple[str, int], list[tuple[float, VariablesMade]]] = {}
    for at_s, made in case.principal.timed(VariablesMade) if case.principal else []:
        mine = [frame for frame in made.frames if frame.user]
        if mine:
            by_line.setdefault((mine[-1].file, mine[-1].line), []).append((at_s, made))
    if not by_line:
        return [], None
    most = max(by_line.values(), key=lambda found: (found[-1][1].size_bytes, found[-1][1].count))
    return [at_s for at_s, _ in most], most[-1][1]


def _alive(case: Case, made: VariablesMade) -> tuple[int, int, Certainty]:
    """How many variables live and how large they are, carried on to the end; nothing where it is not they."""
    found = censuses(case)
    census = found[-1][1] if found else None
    if census is None or made.size_bytes == 0:
        unnamed = not named_explain(case)
        return made.count, made.size_bytes or (1 if unnamed else 0), "likely"
    count, size = _variables(census)
    if size < SHARE * max(1, census.rss_bytes - baseline_bytes(case)):
        return 0, 0, "possible"
    each = size / max(1, count)
    return made.count, max(size, round(each * min(made.count, 2 * count))), "certain"


def _variables(census: CensusTaken) -> tuple[int, int]:
    """Of the largest group alone: variables of a loop are alike."""
    groups = [group for group in census.groups if group.kind == "variable" and "keras" not in group.type]
    largest = max(groups, key=lambda group: group.size_bytes, default=None)
    return (largest.count, largest.size_bytes) if largest and largest.count >= FEWEST else (0, 0)


def _finding(case: Case, made: VariablesMade, pace: Pace, number: int, size: int, certainty: Certainty) -> Finding:
    frame = next(frame for frame in reversed(made.frames) if frame.user)
    place = case.locate(frame)
    holder = kept(case, ("variable",))
    taken = size if size > 1 else pace.grown_bytes
    held = f", kept by `{holder.holder.path}`" if holder and holder.holder.path else ""
    name = (holder.holder.path if holder else None) or assigned_name(place)
    return Finding(
        message=f"{prefix(place)}this line made {words.count(number, 'variable')} in a loop{held}: {words.size(taken)}",
        certainty=certainty,
        location=place,
        culprit=Culprit(kind="variable", name=name, bytes=taken),
        evidence=[
            Evidence(fact="variables made by this line", value=made.count, source="VariablesMade"),
            Evidence(fact="memory grew meanwhile", value=words.size(pace.grown_bytes), source="MachineSampled"),
            *(
                [Evidence(fact="variables alive at the census", value=holder.number, source="CensusTaken")]
                if holder
                else []
            ),
        ],
        advice=["Make the variable once, before the loop, and set it with `variable.assign(…)` inside."],
    )
