"""Variables are made in a loop, and each of them is kept.

## What it detects
One line of the program that creates `tf.Variable`s repeatedly, while they pile up and memory grows.

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
"""

from __future__ import annotations

from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.growth_with_events import FEWEST, Pace, pace_of
from whydied.diagnose.memory.kept_objects import Kept, held_changes, kept, without_loss
from whydied.diagnose.memory.memory_over_time import baseline_bytes, censuses
from whydied.records import CensusTaken, VariablesMade
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.graph_edits import set_instead
from whydied.source.statements import assigned_name

SHARE = 0.25
ALIVE = 0.5

ROLE = "memory"
YIELDS_TO = ("retracing",)


def check(case: Case) -> Finding | None:
    seen = _busiest(case)
    if not seen or seen[-1][1].count < FEWEST:
        return None
    pace = pace_of(case, [at_s for at_s, _ in seen], seen[-1][1].count)
    living = _living_variables(case, seen)
    if pace is None or living is None:
        return None
    return _finding(case, seen[-1][1], pace, living)


class LivingVariables(NamedTuple):
    """How many of the variables live at the end, and how large they are."""

    number: int
    size_bytes: int
    certainty: Certainty


def _busiest(case: Case) -> list[tuple[float, VariablesMade]]:
    """What was seen of the line that made the most bytes of variables."""
    by_line: dict[tuple[str, int], list[tuple[float, VariablesMade]]] = {}
    for at_s, made in case.principal.timed(VariablesMade) if case.principal else []:
        mine = [frame for frame in made.frames if frame.user]
        if mine:
            by_line.setdefault((mine[-1].file, mine[-1].line), []).append((at_s, made))
    return max(by_line.values(), key=lambda found: (found[-1][1].size_bytes, found[-1][1].count), default=[])


def _living_variables(case: Case, seen: list[tuple[float, VariablesMade]]) -> LivingVariables | None:
    """From the part that lived at the last census; None where it is not the variables that took the memory."""
    made, found = seen[-1][1], censuses(case)
    if not found:
        return LivingVariables(made.count, made.size_bytes, "likely") if made.size_bytes else None
    at_s, census = found[-1]
    count, size = _variables(census)
    by_then = max((one.count for at, one in seen if at <= at_s), default=0)
    share = min(1.0, count / by_then) if by_then else 0.0
    if share < ALIVE or size < SHARE * max(1, census.rss_bytes - baseline_bytes(case)):
        return None
    each = size / count
    return LivingVariables(round(share * made.count), round(each * share * made.count), "certain")


def _variables(census: CensusTaken) -> tuple[int, int]:
    """Of the largest group alone: variables of a loop are alike."""
    groups = [group for group in census.groups if group.kind == "variable" and "keras" not in group.type]
    largest = max(groups, key=lambda group: group.size_bytes, default=None)
    return (largest.count, largest.size_bytes) if largest and largest.count >= FEWEST else (0, 0)


def _finding(case: Case, made: VariablesMade, pace: Pace, living: LivingVariables) -> Finding:
    frame = next(frame for frame in reversed(made.frames) if frame.user)
    place = case.locate(frame)
    holder = kept(case, ("variable",))
    held = f", kept by `{holder.holder.path}`" if holder else ""
    end = max(living.size_bytes, holder.bytes_at_end if holder else 0)
    changes = _changes(case, place, holder)
    later = f", about {words.size(end)} at the end" if end > living.size_bytes else ""
    return Finding(
        message=f"{prefix(place)}this line created {words.count(made.count, 'variable')} in a loop{held}: "
        f"{words.count(living.number, 'variable')} with {words.size(living.size_bytes)} are alive{later}",
        certainty=living.certainty,
        location=place,
        culprit=Culprit(
            kind="variable",
            name=holder.holder.path if holder else assigned_name(place),
            bytes=end,
        ),
        evidence=[
            Evidence(fact="variables created by this line", value=made.count, source="VariablesMade"),
            Evidence(fact="memory grew meanwhile", value=words.size(pace.grown_bytes), source="MachineSampled"),
            *(
                [Evidence(fact="variables alive at the census", value=holder.number, source="CensusTaken")]
                if holder
                else []
            ),
        ],
        advice=[
            *without_loss(changes),
            "Create the variable once, before the loop, and set it with `variable.assign(…)` inside.",
        ],
        changes=changes,
    )


def _changes(case: Case, place: Location, holder: Kept | None) -> list[Change]:
    """Fewer variables where they are kept, or one for all turns."""
    source = case.sources.get(place.file)
    once = set_instead(source, place.file, place.line) if source is not None else []
    fewer = held_changes(case, holder) if holder is not None else []
    return [*fewer, *change_of("Create the variable once, and set it in the other turns", "statement", once)]
