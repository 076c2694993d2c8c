"""The stack at an exception as steps, outermost first: the frames that still run and those of the traceback; runs in
the user's process.

Invariant: frames are only read. A frame of code that AutoGraph generated counts as the user's, at the line that
it stands for.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

import msgspec

from whydied.inside.guest import live_source
from whydied.inside.guest.frame_variables import variables
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.records import Frame

LARGEST_STEPS = 400
_GENERATED = "__autograph_generated_file"


class Step(msgspec.Struct):
    """One frame. `file` and `line` are the user's, `file` is None in a library. `trace` is set for a frame that the
    exception went through and whose position in the source is exact."""

    frame: FrameType
    line: int
    file: str | None
    trace: TracebackType | None = None
    known: dict[str, Any] | None = None
    called: str = ""

    @property
    def function(self) -> str:
        if self.called:
            return self.called
        name = self.frame.f_code.co_name
        return name.removeprefix("tf__") if self.is_generated else name

    @property
    def is_generated(self) -> bool:
        return is_generated(self.frame)

    @property
    def code_file(self) -> str:
        return self.frame.f_code.co_filename

    @property
    def names(self) -> dict[str, Any]:
        if self.known is None:
            self.known = dict(variables(self.frame))
        return self.known

    def get(self, name: str) -> Any:
        return self.names.get(name) if name in self.frame.f_code.co_varnames or self.is_module else None

    @property
    def is_module(self) -> bool:
        return self.frame.f_code.co_name == "<module>"


def is_generated(frame: FrameType) -> bool:
    """Whether it runs a copy that AutoGraph made of a function."""
    return _GENERATED in frame.f_code.co_filename


def steps_of(trace: TracebackType | None, running: FrameType | None, ownership: Ownership) -> list[Step]:
    """`running` is the frame that called the innermost frame of the traceback's head, or None after the end."""
    above: list[Step] = []
    frame = running
    while frame is not None and len(above) < LARGEST_STEPS:
        above.append(Step(frame, frame.f_lineno or 0, ownership.user_file(frame)))
        frame = frame.f_back
    found = above[::-1]
    while trace is not None and len(found) < 2 * LARGEST_STEPS:
        found.append(Step(trace.tb_frame, trace.tb_lineno or 0, ownership.user_file(trace.tb_frame), trace))
        trace = trace.tb_next
    _give_origin(found, ownership)
    return found


def _give_origin(steps: list[Step], ownership: Ownership) -> None:
    """The user's lines for generated code, from the map that AutoGraph leaves with the function that it made."""
    maps: list[Any] = []
    for step in steps:
        if step.is_generated:
            for known in reversed(maps):
                found = known.get(_place(step))
                if found is not None and ownership.is_user_path(found.loc.filename):
                    step.file, step.line = ownership.resolve(found.loc.filename), found.loc.lineno
                    break
        elif step.frame.f_code.co_name == "converted_call":
            function = step.get("converted_f")
            known = instance_dict(function).get("ag_source_map") or instance_dict(
                getattr(function, "__func__", None)
            ).get("ag_source_map")
            if type(known) is dict:
                maps.append({(at.filename, at.lineno): origin for at, origin in known.items()})


def _place(step: Step) -> tuple[str, int]:
    return step.code_file, step.line


def frame_of(file: str, line: int, function: str) -> Frame:
    first, last, text = live_source.statement(file, line)
    return Frame(file=file, line=first, function=function, user=True, end_line=last, source=text[:300])


def is_of(step: Step, *parts: str) -> bool:
    """Whether a step's code lies in a file whose path ends like one of these, written with slashes."""
    path = step.code_file.replace(os.sep, "/")
    return any(path.endswith(part) for part in parts)


def last(steps: list[Step], wanted: Callable[[Step], bool]) -> Step | None:
    return next((step for step in reversed(steps) if wanted(step)), None)
