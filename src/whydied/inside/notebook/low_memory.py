"""A word in the running cell before the memory is gone, and on request MemoryError instead of death; runs in the user's
process, in the sampler's thread and, where it raises, in the main one.

Invariant: nothing is said or raised outside a cell, and only once a cell. The guard (`memory_stops`) is off unless it
was asked for.
"""

from __future__ import annotations

import os
from types import FrameType

from whydied import words
from whydied.inside import journal
from whydied.inside.guest.guard import guarded
from whydied.inside.memory_guard import memory_stops
from whydied.inside.memory_guard.held_words import described, largest
from whydied.inside.memory_guard.memory_stops import WARN_SHARE, GuardedMemoryError, Scope, Ward
from whydied.inside.notebook import cell_code, cell_notes, notebook_state
from whydied.inside.sampling import memory_watch
from whydied.records import CensusTaken, MemoryWarned

MORE = 0.01
"""A later cell says it again only where this part of the limit was taken since."""
FRESH = 0.9
"""A census at this part of the memory is good enough."""
OPTION = "memory-guard"
"""Among the words of `WHYDIED_OPTIONS`: the guard is on from the start."""


class State:
    """What was said so far. `warned` counts cells, see `notebook_state.started_count`."""

    quiet = False
    warned = 0
    told_bytes = 0


@guarded("low_memory.begin")
def begin() -> None:
    """The first cells are about to come."""
    memory_watch.notice = noticed
    memory_watch.loaded_with_census = ["whydied.inside.notebook.notebook_variables"]
    options = os.environ.get("WHYDIED_OPTIONS", "").split(",")
    State.quiet = "no-memory-warning" in options
    if OPTION in options:
        turn(True)


def turn(on: bool) -> None:
    """The guard on or off. In the main thread."""
    memory_stops.turn(on, Ward(_running, _owns, _message, GuardedMemoryError))


@guarded("low_memory.noticed")
def noticed(rss: int, limit: int) -> None:
    """At each look at the memory."""
    stops = memory_stops.look(rss, limit)
    if rss < WARN_SHARE * limit:
        State.told_bytes = 0
        return
    cell = notebook_state.running()
    if cell is None or stops:
        return
    if notebook_state.started_count in (State.warned, memory_stops.State.stopped):
        State.told_bytes = max(State.told_bytes, rss)
    elif rss > State.told_bytes + MORE * limit and not State.quiet:
        State.warned, State.told_bytes = notebook_state.started_count, rss
        journal.write(MemoryWarned(number=cell.number, how="warning", rss_bytes=rss, limit_bytes=limit))
        cell_notes.say(warning(rss, limit, _census(rss, limit)))


def _running() -> Scope | None:
    cell = notebook_state.running()
    return Scope(notebook_state.started_count, cell.number, cell.before_bytes) if cell is not None else None


def _owns(frame: FrameType) -> bool:
    owner = journal.current()
    return owner is not None and cell_code.of(owner.ownership.resolve(frame.f_code.co_filename)) is not None


def _message(rss: int, limit: int, kept: str, saved: str) -> str:
    used = f"{words.size(rss)} of {words.size(limit)}"
    return f"whydied's memory guard stopped this cell at {used}{kept}; the notebook's variables are kept"


def _census(rss: int, limit: int) -> CensusTaken | None:
    """What is held now: the last census, or where that is old another one, from the names alone."""
    known = memory_watch.last_census()
    if known is not None and known.rss_bytes >= FRESH * rss:
        return known
    from whydied.inside.census import census

    plan = census.Plan(trigger="low memory", rss_bytes=rss, seconds=census.WALK_S, room_bytes=limit - rss)
    try:
        taken = census.survey(plan)
    except MemoryError:
        return known
    memory_watch.current().last_census = taken
    journal.write(taken)
    return taken


def warning(rss: int, limit: int, census: CensusTaken | None) -> str:
    lines = [f"whydied: memory is almost exhausted: {words.size(rss)} of {words.size(limit)} used."]
    lines += [f"  {described(group)}" for group in largest(census)]
    lines.append("  Interrupt the cell, or free something: %whydied top shows what is large.")
    return "\n".join(lines) + "\n"
