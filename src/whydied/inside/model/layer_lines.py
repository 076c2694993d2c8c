"""The user's line that constructed each Keras layer and each optimizer, the name scope that a layer's ops get, and the
line and layer of each node of a captured graph; runs in the user's process.

Invariant: no layer and no optimizer is kept alive, and nothing is computed but names. The scopes of a trace are kept
until its graph was recorded. For the nodes of a captured graph no more than `SECONDS` are spent; those that come too
late have no line.
"""

from __future__ import annotations

import re
import time
import weakref
from collections.abc import Iterable
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest.user_frames import LARGEST_USER_FRAMES, Line, stack_of, statement_frame
from whydied.records import Frame, NodeLine

LARGEST_LAYERS = 20_000
LARGEST_OPTIMIZERS = 1000
LARGEST_SCOPES = 20_000
LARGEST_GRAPHS = 1000
_SUFFIX = re.compile(r"_\d+$")
_GRADIENT = re.compile(r"^(?:.*/)?(?:gradient_tape|gradients(?:_\d+)?)/")
SECONDS = 3.0


class Origin(NamedTuple):
    """Who a layer is and where it was made; `line` is None where no line of the user's is known."""

    name: str
    type: str
    line: Line | None
    path: str = ""


class MadeAt:
    """The line at which each object of one sort was made: that of the code which made it, not of its own `__init__`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.known: dict[int, tuple[Any, Line | None]] = {}
        """By address: a weak reference to the object, and its line, None where no line of the user's is known."""
        self._callers: dict[int, Line] = {}
        """By address the line that called the function of the user's in which the object was made."""

    def note(self, thing: Any, frame: FrameType | None) -> None:
        """An object is being constructed. The innermost call of `__init__` comes last and must not win."""
        key, owner = id(thing), journal.current()
        known = self.known.get(key)
        if owner is None or (known is not None and known[0]() is thing) or len(self.known) >= self._most:
            return
        owner.find_main()
        self._callers.pop(key, None)
        line = None
        for step in stack_of(frame):
            file = owner.ownership.user_file(step)
            if file is None or (line is None and initialises(step, thing)):
                continue
            here = (file, step.f_lineno or 0, step.f_code.co_name)
            if line is not None:
                self._callers[key] = here
                break
            line = here
            if step.f_code.co_name == "<module>":
                break
        self.known[key] = (weakref.ref(thing, lambda _: self._forget(key)), line)

    def _forget(self, key: int) -> None:
        self.known.pop(key, None)
        self._callers.pop(key, None)

    def line(self, thing: Any) -> Line | None:
        known = self.known.get(id(thing))
        return known[1] if known is not None and known[0]() is thing else None

    def caller(self, thing: Any) -> Line | None:
        """The line that called the function in which it was made, None at the level of a module."""
        return self._callers.get(id(thing)) if self.line(thing) is not None else None

    def frame(self, thing: Any) -> Frame | None:
        """The line as a record has it."""
        line = self.line(thing)
        return statement_frame(*line) if line is not None else None

    def living(self) -> list[Any]:
        """Those of the user's that there still are."""
        alive = [(reference(), line) for reference, line in list(self.known.values())]
        return [thing for thing, line in alive if thing is not None and line is not None]


layers = MadeAt(LARGEST_LAYERS)
optimizers = MadeAt(LARGEST_OPTIMIZERS)
caches = MadeAt(LARGEST_OPTIMIZERS)
"""Stages of data sets that keep their elements in a file."""
_scopes: dict[int, dict[str, Origin]] = {}
_kept_scopes = False


def initialises(frame: FrameType, layer: Any) -> bool:
    """Whether a frame runs a constructor of the layer's own classes. Told by the code: `f_locals` would leave a
    snapshot in the frame that keeps the user's variables alive."""
    if frame.f_code.co_name not in ("__init__", "__new__"):
        return False
    for kind in type(layer).__mro__:
        function = kind.__dict__.get(frame.f_code.co_name)
        function = getattr(function, "__wrapped__", function)
        if getattr(function, "__code__", None) is frame.f_code:
            return True
    return False


def origin(layer: Any) -> Origin:
    names = getattr(layer, "__dict__", {})
    name = names.get("_name") or names.get("name") or ""
    path = names.get("_path")
    return Origin(
        name if isinstance(name, str) else "",
        type(layer).__name__,
        layers.line(layer),
        path if isinstance(path, str) else "",
    )


def scope_opened(graph: Any, scope: str, layer: Any) -> None:
    """Ops made from now on under a name scope of a graph belong to a layer."""
    if len(_scopes) >= LARGEST_GRAPHS and id(graph) not in _scopes:
        # A graph of sessions is never traced to its end.
        _scopes.clear()
    scopes = _scopes.setdefault(id(graph), {})
    if len(scopes) < LARGEST_SCOPES:
        scopes[scope] = origin(layer)


def scopes_of(graph: Any) -> dict[str, Origin]:
    return _scopes.get(id(graph), {})


def by_name() -> dict[str, Origin]:
    """All living layers by name, for libraries that use a layer's name as its scope."""
    found: dict[str, Origin] = {}
    for reference, _ in list(layers.known.values()):
        layer = reference()
        if layer is not None:
            known = origin(layer)
            if known.name:
                found[known.name] = known
    return found


def of_scope(scope: str, scopes: dict[str, Origin], names: dict[str, Origin]) -> Origin | None:
    """The innermost layer whose scope an op's is in. Backward ops carry the scope of their forward ops. `scopes` are
    those of the op's graph; without any, a part that is one of the `names` of layers tells."""
    scope = _GRADIENT.sub("", scope + "/").rstrip("/")
    while scope:
        origin = scopes.get(scope)
        if origin is None and not scopes:
            part = scope.rpartition("/")[2].removesuffix("_grad")
            origin = names.get(part) or names.get(_SUFFIX.sub("", part))
        if origin is not None:
            return origin
        scope = scope.rpartition("/")[0]
    return None


def forget_scopes() -> None:
    """The trace is over: an address may soon belong to another graph."""
    if not _kept_scopes:
        _scopes.clear()


def keep_scopes() -> None:
    """From now on: the graphs of this process are read again after their trace, and the process ends soon."""
    global _kept_scopes
    _kept_scopes = True


class LineMaker:
    """Makes the lines of one capture; what two nodes have in common is looked up once."""

    def __init__(self, seconds: float = SECONDS) -> None:
        owner = journal.current()
        self._ownership = owner.ownership if owner is not None else None
        self._until = time.monotonic() + seconds
        self._names = by_name()
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
        return of_scope(node.rpartition("/")[0], scopes, self._names)

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
