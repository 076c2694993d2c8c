"""What the garbage collector knows, and what refers to what, without a tuple that is still being made; runs in the
user's process.

What always holds: while `tuple(items)` runs, its tuple is known to the collector and must have one reference, or the
program gets a SystemError. Such a tuple is held by C code alone, never by another object. So exact tuples are left out
here, and are to be reached from what holds them; and until they are out no other thread runs, because all of it is one
call from the interpreter's point of view.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, compress, repeat, starmap
from operator import is_, is_not, methodcaller
from typing import Any

NESTED = 2
"""Tuples in tuples are climbed so often within one step."""


def objects() -> list[Any]:
    """All that the collector knows, but for exact tuples."""
    found: list[Any] = []
    known: list[Any] = []
    _at_once(_fill(known, gc.get_objects, [()]), _choose(found, known, is_not), known.clear)
    # It has itself in it, and would never be freed.
    apart = found.copy()
    found.clear()
    return apart


def referrers(things: Sequence[Any]) -> list[Any]:
    """What refers to one of these things, or to a tuple that does; but for exact tuples. Each may be there twice."""
    found: list[Any] = []
    levels: list[list[Any]] = [[] for _ in range(NESTED + 1)]
    tuples: list[list[Any]] = [[] for _ in range(NESTED)]
    asked = [tuple(things)]
    calls = [_fill(levels[0], gc.get_referrers, asked), _choose(found, levels[0], is_not)]
    for below, between, above in zip(levels, tuples, levels[1:], strict=False):
        calls.append(_choose(between, below, is_))
        # Asked about nothing, the collector would still go over everything.
        calls.append(_fill(above, gc.get_referrers, filter(None, map(tuple, [between]))))
        calls.append(_choose(found, above, is_not))
    _at_once(*calls, *[scratch.clear for scratch in (*levels, *tuples)])
    # Our own lists referred to those tuples when the collector was asked.
    ours = {id(scratch) for scratch in (*levels, *tuples, asked)}
    return [one for one in found if id(one) not in ours]


def _at_once(*calls: Callable[[], object]) -> None:
    """Other threads come in between byte codes only, and there are none in here."""
    list(map(methodcaller("__call__"), calls))


def _fill(into: list[Any], ask: Callable[..., list[Any]], arguments: Iterable[tuple[Any, ...]]) -> partial[None]:
    return partial(into.extend, chain.from_iterable(starmap(ask, arguments)))


def _choose(into: list[Any], among: list[Any], test: Callable[[Any, Any], bool]) -> partial[None]:
    """The exact tuples (`is_`) or all others (`is_not`); types are compared by identity, which calls nothing of the
    user's. The iterators see what is put into `among` later."""
    return partial(into.extend, compress(among, map(test, map(type, among), repeat(tuple))))
