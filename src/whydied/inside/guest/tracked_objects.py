"""What the garbage collector knows, without a tuple that is still being made; runs in the user's process.

Invariant: while `tuple(items)` runs, its tuple is known to the collector and must have one reference, or the
program gets a SystemError. Such a tuple is held by C code alone, never by another object. So exact tuples are left out
here, and are to be reached from what holds them; and until they are out no other thread runs, because all of it is one
call from the interpreter's point of view.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterable
from functools import lru_cache, partial
from itertools import chain, compress, repeat, starmap
from operator import is_not, methodcaller
from types import FunctionType, ModuleType
from typing import Any

LARGEST_BLOCKS = 3_000_000
"""Blocks of Python's allocator, about as many as objects. TensorFlow, Keras and a large model have 2.3 million."""
LARGEST_REACHED = 60_000
LONGEST = 5000
# By their addresses: a metaclass of the user's may compare its classes in its own way.
_LENGTHS: dict[int, Any] = {id(base): base.__len__ for base in (list, tuple, dict, set, frozenset, deque)}
_CLOSED = frozenset(map(id, (type, ModuleType, type(lru_cache(int)))))
_GRAPHS = "tensorflow.python.framework.ops"


def objects() -> list[Any]:
    """All that the collector knows, but for exact tuples."""
    found: list[Any] = []
    known: list[Any] = []
    # Types are compared by identity, which calls nothing of the user's. The iterators see what is put in later.
    fill = partial(known.extend, chain.from_iterable(starmap(gc.get_objects, [()])))
    choose = partial(found.extend, compress(known, map(is_not, map(type, known), repeat(tuple))))
    # Other threads come in between byte codes only, and there are none in here.
    list(map(methodcaller("__call__"), (fill, choose, known.clear)))
    # It has itself in it, and would never be freed.
    apart = found.copy()
    found.clear()
    return apart


def reachable(roots: Iterable[Any]) -> list[Any]:
    """What these lead to, the nearest first, at most `LARGEST_REACHED`: for a process with so many objects that asking
    for all of them would stop it. Not through modules, classes, caches, graphs and long containers."""
    found: dict[int, Any] = {}
    waiting = deque(roots)
    while waiting and len(found) < LARGEST_REACHED:
        one = waiting.popleft()
        if id(one) not in found and _leads_on(one):
            found[id(one)] = one
            if len(waiting) < LARGEST_REACHED:
                waiting += (one.__closure__ or ()) if type(one) is FunctionType else gc.get_referents(one)
    return list(found.values())


def _leads_on(thing: Any) -> bool:
    for base in type.__getattribute__(type(thing), "__mro__"):
        if id(base) in _LENGTHS:
            return bool(_LENGTHS[id(base)](thing) <= LONGEST)
        if id(base) in _CLOSED or type.__getattribute__(base, "__module__") == _GRAPHS:
            return False
    return gc.is_tracked(thing)
