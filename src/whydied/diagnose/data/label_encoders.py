"""The statement that made one-hot rows of class numbers: the labels followed backwards from the call that took them.
Pure.

Nothing where the trail ends before such a call, or several may have been the one.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.records import Frame, Party
from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.statement_edits import statement_at, without_statement
from whydied.source.origins.trails import Call, Trails
from whydied.source.trees import function_at, nodes_on, walk, written

_ENCODERS = frozenset({"to_categorical", "one_hot"})


class Encoder(NamedTuple):
    """`numbers` is what the call makes the rows of."""

    file: str
    call: ast.Call
    numbers: str
    frame: Frame

    def left_out(self, error: FrameworkError) -> list[Edit]:
        """The numbers in the place of the rows; nothing in the place of a statement that only makes these."""
        source = error.sources[self.file]
        whole = statement_at(source, self.call.lineno)
        if isinstance(whole, ast.Assign) and whole.value is self.call and written(whole.targets[0]) == self.numbers:
            return [without_statement(source, self.file, whole)]
        return [over(source, self.file, self.call, self.numbers)]


def encoder_of(error: FrameworkError, labels: Party) -> Encoder | None:
    """Of what the program passed as labels."""
    frames = [one for one in error.link.frames if one.user and one.file in error.sources]
    trails = Trails(error.sources, [Call(one.file, one.line, one.function) for one in frames])
    for frame in reversed(frames) if labels.text else ():
        nodes = [one for one in nodes_on(error.sources[frame.file], frame.line) if isinstance(one, ast.expr)]
        used = next((one for one in nodes if written(one) == labels.text), None)
        if used is None:
            continue
        for step in trails.trail(frame.file, frame.line, used):
            calls = [one for one in walk(step.value, ast.Call) if callee(one) in _ENCODERS and one.args]
            if calls:
                return _encoder(error, step.file, calls[0]) if len(calls) == 1 else None
    return None


def _encoder(error: FrameworkError, file: str, call: ast.Call) -> Encoder:
    source = error.sources[file]
    function = function_at(source.tree, call.lineno)
    frame = Frame(file=file, line=call.lineno, function=function.name if function else "<module>", user=True)
    return Encoder(file, call, written_in(source, call.args[0]), frame)
