"""Keeps what is worked out about a case, because several rules ask for the same. Pure.

Invariant: an answer lives no longer than its case. Answers are shared, so nobody changes them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from whydied.diagnose.case import Case

T = TypeVar("T")


def once(work: Callable[[Case], T]) -> Callable[[Case], T]:
    """The same function, which works only the first time that it is asked about a case."""
    known: WeakKeyDictionary[Case, T] = WeakKeyDictionary()

    @functools.wraps(work)
    def remembered(case: Case) -> T:
        if case not in known:
            known[case] = work(case)
        return known[case]

    return remembered
