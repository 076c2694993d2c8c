"""The calls into Keras that are open, by thread; runs in the user's process.

Invariant: no frame and no user object is kept, only addresses of frames, and those are believed only as long as
the frame is found on the running stack. The end of a call that raised is seen late: at the next call
or at the exception.
"""

from __future__ import annotations

import itertools
from _thread import get_ident
from types import FrameType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest.pacing import Paced
from whydied.records import CallBegan, CallEnded

FREE_CALLS = 100
"""Calls of one line that are all recorded; after them one in `PAUSE_NS`, while their numbers go on counting."""
PAUSE_NS = 200_000_000
_LARGEST_PLACES = 1000
_places: dict[tuple[str, int, str], Paced] = {}


class Call:
    """An open call."""

    __slots__ = ("address", "epoch", "kind", "number", "recorded", "step")

    def __init__(self, number: int, kind: str, address: int, recorded: bool) -> None:
        self.number = number
        self.kind = kind
        self.address = address
        self.recorded = recorded
        self.epoch: int | None = None
        self.step = -1


_open: dict[int, list[Call]] = {}
_numbers = itertools.count(1)


def running(frame: FrameType) -> Call | None:
    """The innermost call of this thread whose frame is still on the stack; those that are not have ended."""
    stack = _open.get(get_ident())
    if not stack:
        return None
    call = stack[-1]
    step: FrameType | None = frame
    while step is not None:
        if id(step) == call.address and step.f_code.co_name == call.kind:
            return call
        step = step.f_back
    _close_left(stack, frame)
    return stack[-1] if stack else None


def on_stack(frame: FrameType | None) -> Call | None:
    """The innermost open call, of any thread, whose frame is on a stack; nothing is closed."""
    addresses = {call.address: call for stack in list(_open.values()) for call in stack}
    while frame is not None:
        call = addresses.get(id(frame))
        if call is not None and frame.f_code.co_name == call.kind:
            return call
        frame = frame.f_back
    return None


def enter(kind: str, frame: FrameType, model: str, arguments: dict[str, Any]) -> Call:
    """A call begins; `frame` is that of Keras's own method."""
    stack = _open.setdefault(get_ident(), [])
    _close_left(stack, frame.f_back)
    outer = stack[-1] if stack else None
    user = journal.frames(frame.f_back)
    recorded = _worth((kind, user[-1].line if user else 0, user[-1].file if user else ""))
    call = Call(next(_numbers), kind, id(frame), recorded)
    stack.append(call)
    if recorded:
        journal.write(
            CallBegan(
                call=call.number,
                kind=kind,
                frames=user,
                model=model,
                arguments=arguments,
                parent_call=outer.number if outer is not None else None,
            )
        )
    return call


def leave(call: Call, raised: str | None = None) -> None:
    """A call ended, and with it those inside it."""
    for stack in list(_open.values()):
        if call in stack:
            while stack and call in stack:
                last = stack.pop()
                if last.recorded:
                    journal.write(CallEnded(call=last.number, raised=raised))


def leave_kind(kind: str, frame: FrameType) -> None:
    """The innermost call ended, if it is of that kind."""
    call = running(frame)
    if call is not None and call.kind == kind:
        leave(call)


def leave_all(raised: str) -> None:
    """An exception reached the end of this thread."""
    stack = _open.get(get_ident())
    if stack:
        leave(stack[0], raised)


def forget() -> None:
    """In a fork: the calls are the parent's."""
    _open.clear()


def _close_left(stack: list[Call], frame: FrameType | None) -> None:
    if not stack:
        return
    there: set[tuple[int, str]] = set()
    while frame is not None:
        there.add((id(frame), frame.f_code.co_name))
        frame = frame.f_back
    for call in list(stack):
        if call in stack and (call.address, call.kind) not in there:
            leave(call, None if call.kind in _WITHOUT_END else "an exception")


# Their orderly end is not seen, so that nothing is to be concluded from its absence.
_WITHOUT_END = frozenset({"predict", "train_on_batch", "test_on_batch", "predict_on_batch"})


def _worth(place: tuple[str, int, str]) -> bool:
    if len(_places) > _LARGEST_PLACES:
        _places.clear()
    if place not in _places:
        _places[place] = Paced(PAUSE_NS, FREE_CALLS)
    return _places[place].one_more() is not None
