"""The user's line that constructed each Keras layer, and the name scope that a layer's ops get; runs in the
user's process.

Invariant: no layer is kept alive, and nothing is computed but names. The line is that of the code
which made the layer, not that of the layer's own `__init__`. The scopes of a trace are kept until its graph
was recorded.
"""

from __future__ import annotations

import weakref
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest.user_frames import LARGEST_WALK, Line

LARGEST_LAYERS = 20_000
LARGEST_SCOPES = 20_000
LARGEST_GRAPHS = 1000


class Origin(NamedTuple):
    """Who a layer is and where it was made; `line` is None where no line of the user's is known."""

    name: str
    type: str
    line: Line | None
    path: str = ""


_made: dict[int, tuple[Any, Line | None]] = {}
_scopes: dict[int, dict[str, Origin]] = {}


def constructed(layer: Any, frame: FrameType | None) -> None:
    """A layer is being constructed: keep the line. The innermost call of `__init__` comes last and must not win."""
    key = id(layer)
    known = _made.get(key)
    if (known is not None and known[0]() is layer) or len(_made) >= LARGEST_LAYERS:
        return
    owner = journal.current()
    if owner is None:
        return
    owner.find_main()
    line = None
    steps = 0
    while frame is not None and steps < LARGEST_WALK:
        file = owner.ownership.user_file(frame)
        if file is not None and not initialises(frame, layer):
            line = (file, frame.f_lineno or 0, frame.f_code.co_name)
            break
        frame = frame.f_back
        steps += 1
    _made[key] = (weakref.ref(layer, lambda _, key=key: _made.pop(key, None)), line)  # type: ignore[misc]


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
    made = _made.get(id(layer))
    line = made[1] if made is not None and made[0]() is layer else None
    path = names.get("_path")
    return Origin(
        name if isinstance(name, str) else "", type(layer).__name__, line, path if isinstance(path, str) else ""
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
    for reference, _ in list(_made.values()):
        layer = reference()
        if layer is not None:
            known = origin(layer)
            if known.name:
                found[known.name] = known
    return found


def forget_scopes() -> None:
    """The trace is over: an address may soon belong to another graph."""
    _scopes.clear()
