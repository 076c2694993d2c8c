"""Errors of Python functions that TensorFlow calls itself: generators, `py_function`, `numpy_function`; runs in the
user's process.

TensorFlow turns such an error into text, and what the program gets is an error of the runtime with that text in it.
It asks `traceback.format_exception` for the text, in whichever thread the function ran: there the error is looked at
while its frames are still alive. Invariant: callers other than TensorFlow get the original function; nothing is
kept but plain facts, of the last few errors; the end of a generator is not an error.
"""

from __future__ import annotations

import sys
from types import GeneratorType, ModuleType, TracebackType
from typing import Any

import msgspec

from whydied.inside import journal
from whydied.inside.errors import exception_chain, quoted_traceback
from whydied.inside.errors.stack_steps import frame_of
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.records import Frame

LARGEST_LOOKS = 40


_looks: list[int] = [0]


class _CallDescriptor:
    """What `__call__` of the stand-in is. In a thread of TensorFlow's there is no Python frame below."""

    def __get__(self, hook: Any, owner: Any = None) -> Any:
        if hook is None:
            return self
        try:
            return hook.telling if _is_of_tensorflow() else hook.__wrapped__
        except Exception as error:
            if guard.is_the_users(error):
                raise
            return hook.__wrapped__


class _Formatter(frameless.Stand):
    """Stands for `traceback.format_exception`."""

    __call__ = _CallDescriptor()

    def telling(self, *args: Any, **words: Any) -> Any:
        _look(args)
        return self.__wrapped__(*args, **words)


def hook_scripts(module: ModuleType) -> None:
    """TensorFlow's module for functions of Python is there: from now on it may ask."""
    import traceback

    if not isinstance(traceback.format_exception, _Formatter):
        traceback.format_exception = _Formatter(traceback.format_exception)


def _is_of_tensorflow() -> bool:
    try:
        caller = sys._getframe(2)
    except ValueError:
        return True
    name = caller.f_globals.get("__name__")
    return isinstance(name, str) and name.partition(".")[0] == "tensorflow"


@guarded("called_back.look")
def _look(args: tuple[Any, ...]) -> None:
    owner = journal.current()
    error = args[1] if len(args) == 3 else None
    if owner is None or not isinstance(error, Exception) or isinstance(error, StopIteration):
        return
    if _looks[0] >= LARGEST_LOOKS:
        return
    _looks[0] += 1
    trace = args[2] if isinstance(args[2], TracebackType) else error.__traceback__
    links = exception_chain.exception_raised("called back", error, trace, "", owner.ownership).chain
    if not any(frame.user for link in links for frame in link.frames) and (waiting := _waiting(trace, owner)):
        # TensorFlow refused what the generator gave: what that ran into on the way says less.
        links = [msgspec.structs.replace(links[0], frames=[*links[0].frames, *waiting], operands=[], link="")]
    quoted_traceback.remember(type(error).__name__, exception_chain.text_of(error), links)


def _waiting(trace: TracebackType | None, owner: journal.Journal) -> list[Frame]:
    """The `yield` at which the generator of a data set stands, for an element that TensorFlow refused."""
    while trace is not None:
        state = trace.tb_frame.f_locals.get("generator_state")
        iterators = instance_dict(state).get("_iterators") if state is not None else None
        running = list(iterators.values()) if type(iterators) is dict else []
        frames = [one.gi_frame for one in running if type(one) is GeneratorType and one.gi_frame is not None]
        if len(frames) == 1 and (file := owner.ownership.user_file(frames[0])) is not None:
            return [frame_of(file, frames[0].f_lineno, frames[0].f_code.co_name)]
        trace = trace.tb_next
    return []
