"""At an exception of pickling: which part of what was to go to another process cannot be pickled; runs in the user's
process.

Invariant: nothing of the user's is called; parts are reached through `__dict__`s, lists, tuples and dicts, at most
`LARGEST_WALK` of them.
"""

from __future__ import annotations

import functools
from collections import deque
from types import FunctionType, TracebackType
from typing import Any

from whydied.inside.guest.frame_variables import variables
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.records import PartRefused
from whydied.texts import python_errors

LARGEST_WALK = 4000
LARGEST_PARTS = 200
_PICKLING = ("/multiprocessing/reduction.py", "/cloudpickle.py", "/pickle.py")


@guarded("pickled_parts.look")
def look(index: int, error: BaseException, steps: list[TracebackType]) -> PartRefused | None:
    """The part that was refused: the one whose own method raised, else the first of the type that the message names."""
    given = [
        dict(variables(step.tb_frame)).get("obj")
        for step in steps
        if step.tb_frame.f_code.co_filename.replace("\\", "/").endswith(_PICKLING)
    ]
    whole = next((one for one in given if one is not None), None)
    if whole is None or not steps:
        return None
    message = str(error)[:2000]
    raised = dict(variables(steps[-1].tb_frame)).get("self")
    named = python_errors.NOT_PICKLED.pattern.search(message)
    wanted = named["type"] if named else ""
    local = python_errors.FUNCTION_NOT_PICKLED.pattern.search(message) is not None
    waiting: deque[tuple[Any, str, str, str]] = deque([(whole, "", "", "")])
    known: set[int] = set()
    while waiting and len(known) < LARGEST_WALK:
        one, path, owner, attribute = waiting.popleft()
        if id(one) in known:
            continue
        known.add(id(one))
        # A type that the message names decides: the last frame need not be of the part's own method.
        named_type = _name(type(one)) in (wanted, f"builtins.{wanted}") if wanted else one is raised is not None
        if path and named_type:
            return PartRefused(link=index, type=_name(type(one)), path=path, owner=owner, attribute=attribute)
        if local and type(one) is FunctionType and ("<locals>" in one.__qualname__ or one.__name__ == "<lambda>"):
            return PartRefused(
                link=index,
                type="function",
                path=path,
                owner=owner,
                attribute=attribute,
                function=one.__qualname__,
                line=one.__code__.co_firstlineno,
                file=one.__code__.co_filename,
            )
        waiting.extend(_parts(one, path, owner, attribute))
    return None


def _parts(one: Any, path: str, owner: str, attribute: str) -> list[tuple[Any, str, str, str]]:
    if type(one) in (list, tuple):
        return [(part, f"{path}[{n}]", owner, attribute) for n, part in enumerate(one[:LARGEST_PARTS])]
    if type(one) is dict:
        pairs = list(one.items())[:LARGEST_PARTS]
        return [(part, f"{path}[{str(key)[:40]!r}]", owner, attribute) for key, part in pairs]
    if type(one) is functools.partial:
        return [(part, path or ".", owner, attribute) for part in (one.func, one.args, one.keywords)]
    bound = getattr(one, "__self__", None) if type(one).__name__ == "method" else None
    if bound is not None:
        return [(bound, path or ".", owner, attribute)]
    kind = type(one).__name__
    own = list(instance_dict(one).items())[:LARGEST_PARTS]
    return [(part, f"{path}.{name}", kind, name) for name, part in own if isinstance(name, str)]


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
