"""Generators, iterators and Keras data sets that hold their elements against a contract and are otherwise what they
were; runs in the user's process.

Invariant: the elements are the very same objects in the same order. A generator stays a generator (`send`,
`throw`, `close` reach the one inside), and a `PyDataset` an instance of its own class that shares its attributes with
the one that was given.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterator
from types import GeneratorType
from typing import Any

Check = Callable[[Any, int], None]
"""Raises where an element, of this number, breaks the contract."""


def generator(inner: Generator[Any, Any, Any], check: Check) -> Generator[Any, Any, Any]:
    number = 0
    step: Callable[[], Any] = functools.partial(next, inner)
    while True:
        try:
            element = step()
        except StopIteration as end:
            return end.value
        check(element, number)
        number += 1
        try:
            sent = yield element
        except GeneratorExit:
            inner.close()
            raise
        except BaseException as error:
            step = functools.partial(inner.throw, error)
        else:
            step = functools.partial(next, inner) if sent is None else functools.partial(inner.send, sent)


class CheckedIterator:
    """An iterator that is not a generator."""

    def __init__(self, inner: Iterator[Any], check: Check) -> None:
        self._inner = inner
        self._check = check
        self._number = 0

    def __iter__(self) -> CheckedIterator:
        return self

    def __next__(self) -> Any:
        element = next(self._inner)
        self._check(element, self._number)
        self._number += 1
        return element

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def function(inner: Callable[..., Any], check: Check) -> Callable[..., Any]:
    """A function that makes generators, as `Dataset.from_generator` takes one."""

    @functools.wraps(inner)
    def checked(*args: Any, **kwargs: Any) -> Any:
        made = inner(*args, **kwargs)
        return generator(made, check) if isinstance(made, GeneratorType) else CheckedIterator(iter(made), check)

    return checked


def py_dataset(inner: Any, check: Check) -> Any:
    """An instance of a subclass that shares its attributes with `inner`."""
    plain = type(inner)

    class Checked(plain):  # type: ignore[misc,valid-type]
        def __getitem__(self, index: int) -> Any:
            element = super().__getitem__(index)
            check(element, index)
            return element

        def __reduce__(self) -> Any:
            # A worker process gets the plain one: a check that fails there would end the worker, not the program.
            bare = object.__new__(plain)
            bare.__dict__ = self.__dict__
            return _same, (bare,)

    Checked.__name__, Checked.__qualname__ = plain.__name__, plain.__qualname__
    Checked.__module__, Checked.__doc__ = plain.__module__, plain.__doc__
    checked = object.__new__(Checked)
    checked.__dict__ = inner.__dict__
    return checked


def _same(value: Any) -> Any:
    return value
