"""Which line of the user's made each node of a captured graph, and for which layer; runs in the user's process, at the
moment of a capture.

Invariant: the graph is only read, and no more than `SECONDS` are spent; nodes that come too late have no line.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from whydied.inside import journal
from whydied.inside.guest.user_frames import LARGEST_USER_FRAMES, statement_frame
from whydied.inside.model import layer_lines
from whydied.inside.model.layer_lines import Origin
from whydied.records import Frame, NodeLine

SECONDS = 3.0


class LineMaker:
    """Makes the lines of one capture; what two nodes have in common is looked up once."""

    def __init__(self, seconds: float = SECONDS) -> None:
        owner = journal.current()
        self._ownership = owner.ownership if owner is not None else None
        self._until = time.monotonic() + seconds
        self._names = layer_lines.by_name()
        self._frames: dict[tuple[str, int, str], Frame | None] = {}

    def of_ops(self, operations: Iterable[Any], scopes: dict[str, Origin] | None = None) -> dict[str, NodeLine]:
        """The lines of a graph's ops, by node. `scopes` are the layers by name scope, as `layers.scopes_of` had them
        when the graph was traced; without them a part of the scope that is a layer's name tells the layer."""
        found = {}
        for op in operations:
            line = self.of_frames(self._trace(op), self.layer(op.name, scopes or {}))
            if line is not None:
                found[op.name] = line
        return found

    def of_frames(self, trace: Iterable[Any], origin: Origin | None) -> NodeLine | None:
        """The line of a node from a stack whose entries have `filename`, `lineno` and `name`, innermost last."""
        frames = [frame for frame in map(self._frame, trace) if frame is not None][-LARGEST_USER_FRAMES:]
        if not frames and origin is None:
            return None
        made = origin.line if origin is not None else None
        return NodeLine(
            frames=frames,
            layer=origin.name if origin is not None else "",
            layer_made=statement_frame(*made) if made is not None else None,
        )

    def layer(self, node: str, scopes: dict[str, Origin]) -> Origin | None:
        return layer_lines.of_scope(node.rpartition("/")[0], scopes, self._names)

    def _trace(self, op: Any) -> Any:
        if time.monotonic() > self._until:
            return ()
        trace = op.traceback
        return trace.get_user_frames() if hasattr(trace, "get_user_frames") else trace or ()

    def _frame(self, entry: Any) -> Frame | None:
        key = (entry.filename, entry.lineno, entry.name)
        if key not in self._frames:
            self._frames[key] = self._made_frame(*key)
        return self._frames[key]

    def _made_frame(self, file: str, line: int, function: str) -> Frame | None:
        if self._ownership is None or not (file.startswith("<") or self._ownership.is_user_path(file)):
            return None
        if file.startswith("<frozen"):
            return None
        return statement_frame(self._ownership.resolve(file), line, function)
