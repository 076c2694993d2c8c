"""The `with tf.device(…)` that an op of a graph was made in, and the session that does not move it elsewhere. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Location
from whydied.records import Frame, SessionFacts
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.trees import around, enclosing, nodes_on, written
from whydied.texts import python_output

_SESSIONS = ("Session", "InteractiveSession")


class DeviceBlock(NamedTuple):
    """`device` is the call as the source writes it."""

    device: str
    place: Location


class SoftSession(NamedTuple):
    words: str
    changes: list[Change]


def device_block(case: Case, text: str) -> DeviceBlock | None:
    """The innermost block around one of the user's lines that a text names, the last line first: TensorFlow tells with
    an op the lines that made it."""
    for found in reversed(list(python_output.FRAME_IN_TEXT.pattern.finditer(text))):
        source = case.sources.get(found["file"])
        blocks = around(source.tree, int(found["line"]), ast.With) if source is not None else []
        for block in reversed(blocks):
            for item in block.items:
                call = item.context_expr
                if source is not None and isinstance(call, ast.Call) and callee(call) == "device":
                    function = enclosing(source.tree, block.lineno)
                    frame = Frame(file=found["file"], line=block.lineno, function=function, user=True)
                    return DeviceBlock(written(call), case.locate(frame))
    return None


def soft_session(case: Case) -> SoftSession | None:
    """The session of the failing run with a configuration that lets TensorFlow choose; None where it has one."""
    facts = case.records.all(SessionFacts)
    opened = facts[-1].opened if facts else None
    source = case.sources.get(opened.file) if opened is not None else None
    if source is None or opened is None:
        return None
    calls = [node for node in nodes_on(source, opened.line) if isinstance(node, ast.Call)]
    calls = [call for call in calls if callee(call) in _SESSIONS and isinstance(call.func, ast.Attribute)]
    if len(calls) != 1 or len(calls[0].args) > 2 or any(word.arg in ("config", None) for word in calls[0].keywords):
        return None
    call = calls[0]
    assert isinstance(call.func, ast.Attribute)
    module = written(call.func.value)
    config = f"config={module}.ConfigProto(allow_soft_placement=True)"
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    right = f"{written(call.func)}({', '.join([*(written_in(source, one) for one in given), config])})"
    words = f"let the session place it where it can: `{right}` ({line_words(opened)})"
    edit = over(source, opened.file, call, right)
    return SoftSession(words, [Change(title=f"Write `{right}`", kind="argument", edits=[edit])])
