"""What a library's own frame tells of the thing that it refused: a name, a file, a data set; runs in the user's
process, at an uncaught exception.

Invariant: each looker reads frames and what hangs on them, calls nothing of the user's, and answers None where the
exception is not its own.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from whydied.inside import journal
from whydied.inside.errors.api import held_inputs
from whydied.inside.errors.framework import cache_files, checkpoint_files, taken_layer_names
from whydied.inside.errors.stack_steps import Step, steps_of
from whydied.inside.guest import guard
from whydied.inside.guest.guard import guarded
from whydied.records import Record

LARGEST_LINKS = 6
_LOOKERS: tuple[Callable[[int, BaseException, list[Step]], Record | None], ...] = (
    taken_layer_names.look,
    held_inputs.look,
    cache_files.look,
    checkpoint_files.look,
)


@guarded("scenes.gather")
def gather(chain: list[tuple[BaseException, TracebackType | None, str]]) -> list[Record]:
    """What was found for each exception of a chain; `chain` as the record has it."""
    owner = journal.current()
    found: list[Record] = []
    for number, (error, trace, _) in enumerate(chain[:LARGEST_LINKS] if owner is not None else ()):
        assert owner is not None
        steps = steps_of(trace, None, owner.ownership)
        for look in _LOOKERS:
            try:
                told = look(number, error, steps)
            except Exception as ours:
                if guard.is_the_users(ours):
                    raise
                guard.swallowed(f"scenes.{look.__module__.rpartition('.')[2]}", ours)
                continue
            if told is not None:
                found.append(told)
    return found
