"""Where an assertion stands, what it calls its tensor, and where that came from; runs in the user's process, with or
without a recording.

Invariant: sources are only read. Where a line is not known the answer is empty and nothing is guessed.
"""

from __future__ import annotations

import ast
import os
import sys
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest import live_source
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.user_frames import LARGEST_USER_FRAMES, statement_frame
from whydied.inside.model import layer_lines
from whydied.inside.model.layer_lines import LineMaker
from whydied.records import Frame
from whydied.source.calls import callee, passed_argument
from whydied.source.trees import nodes_between, scope_at, within

_LONGEST_NAME = 60
_own: Ownership | None = None


class Source(NamedTuple):
    """Where a tensor came from, in words, with the user's lines, innermost last, and the layer."""

    words: str = ""
    frames: tuple[Frame, ...] = ()
    layer: str = ""


def here(frame: FrameType | None) -> list[Frame]:
    """The user's lines of a stack, innermost last; also those of code that AutoGraph has rewritten."""
    stacks: Any = sys.modules.get("tensorflow.python.util.tf_stack")
    context: Any = sys.modules.get("tensorflow.python.eager.context")
    if stacks is not None and context is not None and not context.executing_eagerly():
        return _frames(stacks.extract_stack())
    owner, found = _ownership(), list[Frame]()
    while frame is not None and len(found) < LARGEST_USER_FRAMES:
        file = owner.user_file(frame)
        if file is not None:
            found.append(statement_frame(file, frame.f_lineno or 0, frame.f_code.co_name))
        frame = frame.f_back
    return found[::-1]


def argument(place: Frame | None, function: str) -> str:
    """The first argument of a call of a function on a line, as it is written there; "" where two could be meant."""
    source = live_source.source(place.file) if place is not None else None
    if source is None or place is None:
        return ""
    first, last = place.line, place.end_line or place.line
    calls = [
        node
        for node in nodes_between(source.tree, first, last)
        if isinstance(node, ast.Call) and callee(node) == function
    ]
    given = passed_argument(calls[0], "0") or passed_argument(calls[0], "x") if len(calls) == 1 else None
    if given is None or isinstance(given, ast.Starred):
        return ""
    text = " ".join((ast.get_source_segment("\n".join(source.lines), given) or "").split())
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"


def of_tensor(tensor: Any) -> Source:
    """What made a tensor of a graph: its op, the user's line of that, and the layer."""
    op = getattr(tensor, "op", None)
    # What our own checks and control flow put behind a tensor says nothing of where it came from.
    while op is not None and op.type == "Identity" and len(op.inputs) == 1:
        op = op.inputs[0].op
    if op is None or op.type == "Placeholder":
        return Source()
    trace = op.traceback
    frames = _frames(trace.get_user_frames() if hasattr(trace, "get_user_frames") else trace or ())
    made = LineMaker(0).layer(op.name, layer_lines.scopes_of(op.graph))
    layer = made.name if made is not None else ""
    at = f" at {spot(frames[-1])}" if frames else ""
    of = f" of layer {layer}" if layer else ""
    return Source(f"made by op {op.type} ({op.name}){of}{at}", tuple(frames), layer)


def of_name(place: Frame | None, name: str) -> Source:
    """Where a variable was last given a value above a line, in the same function."""
    if place is None or not name.isidentifier():
        return Source()
    found = live_source.source(place.file)
    if found is None:
        return Source()
    lines = [
        node.lineno
        for node in within(scope_at(found.tree, place.line))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name
        if node.lineno < place.line
    ]
    if not lines:
        return Source()
    frame = statement_frame(place.file, max(lines), place.function)
    text = " ".join(found.text(frame.line, frame.end_line or frame.line).split())
    return Source(f"last assigned above, at {spot(frame)}: {text[:100]}", (frame,))


def spot(frame: Frame) -> str:
    return f"{os.path.basename(frame.file)}:{frame.line}"


def _frames(trace: Any) -> list[Frame]:
    owner, found = _ownership(), []
    for entry in trace:
        main = entry.filename.startswith("<") and entry.name == "<module>"
        file = owner.owned(entry.filename, main)
        if file is not None:
            found.append(statement_frame(file, entry.lineno, entry.name))
    return found[-LARGEST_USER_FRAMES:]


def _ownership() -> Ownership:
    """That of the recording, or one of our own."""
    global _own
    recording = journal.current()
    if recording is not None:
        recording.find_main()
        return recording.ownership
    if _own is None:
        try:
            _own = Ownership(os.getcwd())
        except OSError:
            _own = Ownership(os.sep)
        _own.main_found(sys.modules.get("__main__"))
    return _own
