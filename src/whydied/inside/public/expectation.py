"""`whydied.expect`: data that must be as the program says; runs in the user's process, recorded or not.

Invariant: what comes back is what was given, or behaves the same and gives the same elements. A contract that
is broken raises ContractError, which is a ValueError; inside of a graph TensorFlow raises an InvalidArgumentError with
our words. A generator stays a generator (`send`, `throw`, `close` reach the one inside), and a `PyDataset` an instance
of its own class that shares its attributes with the one that was given.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from types import FrameType, FunctionType, GeneratorType, MethodType
from typing import Any, TypeVar

from whydied.errors import ContractError, UsageError
from whydied.inside.public import shape_text
from whydied.inside.public.asserting import assertion_place
from whydied.inside.public.contract import contract_ops, data_parts, pipeline_arrays
from whydied.inside.public.contract.declared_terms import Declared, Verdict, Words, declare

T = TypeVar("T")
_ElementCheck = Callable[[Any, int], None]
"""Raises where an element, of this number, breaks the contract."""


def expect(
    data: T,
    shape: Any = None,
    *,
    dtype: Any = None,
    low: Any = None,
    high: Any = None,
    finite: Any = False,
    classes: Any = None,
    one_of: Any = None,
    unique: Any = False,
    name: str | None = None,
) -> T:
    """Require something of data, and give the data back.

    `data` may be an array, a tensor, a tuple or dict of these, a `tf.data.Dataset`, a generator (or a function that
    makes one), an iterator, or a Keras `PyDataset`. `shape` is a text such as "batch 28 28 1": a number is that size, a
    name is the same size wherever it is said in this call, `_` is any size, `...` any number of axes. `low` and `high`
    are allowed themselves; `classes=10` means whole numbers from 0 to 9. For data with parts, each of these may be a
    tuple or a dict with one for each part.
    """
    frame = sys._getframe(1)
    words = Words(shape, dtype, low, high, finite, classes, one_of, unique)
    return _expected(data, words, name, frame)  # type: ignore[no-any-return]


# Read by AutoGraph, which would otherwise rewrite our code as it does the user's.
vars(expect)["autograph_info__"] = True


def _expected(data: Any, words: Words, name: str | None, frame: FrameType) -> Any:
    frames = assertion_place.here(frame)
    place = frames[-1] if frames else None
    where = assertion_place.spot(place) if place is not None else ""
    called = name or assertion_place.argument(place, "expect") or "data"

    def verdict_of(paths: Iterable[data_parts.Path]) -> Verdict:
        return Verdict(declare(words, list(paths), called, where), lambda: frames)

    if pipeline_arrays.is_dataset(data):
        specs = data_parts.parts_of(data.element_spec)
        verdict = verdict_of(specs)
        _require_static(specs, verdict.declared)
        return contract_ops.dataset(data, verdict)
    check = _element_check(verdict_of)
    if isinstance(data, GeneratorType):
        return _generator(data, check)
    if isinstance(data, (FunctionType, MethodType)):
        return _function(data, check)
    if pipeline_arrays.is_py_dataset(data):
        return _py_dataset(data, check)
    parts = data_parts.parts_of(data)
    if any(_has_no_value(part) for part in parts.values()):
        return _expected_in_graph(data, parts, verdict_of(parts).declared)
    arrays = {path: data_parts.any_array(part) for path, part in parts.items()}
    if any(array is None for array in arrays.values()):
        if isinstance(data, Iterator):
            return _CheckedIterator(data, check)
        raise UsageError(f"expect: data of type {type(data).__name__} cannot be checked")
    verdict_of(parts).require(arrays)
    return data


def _element_check(verdict_of: Callable[[Iterable[data_parts.Path]], Verdict]) -> _ElementCheck:
    """Holds each element against one verdict, made when the first element shows its parts."""
    known: list[Verdict] = []

    def check(element: Any, number: int) -> None:
        parts = data_parts.parts_of(element)
        if not known:
            known.append(verdict_of(parts))
        arrays = {path: array for path, part in parts.items() if (array := data_parts.any_array(part)) is not None}
        known[0].require(arrays, number)

    return check


def _has_no_value(part: Any) -> bool:
    return contract_ops.is_symbolic(contract_ops.values_of(part)) or type(part).__name__ == "KerasTensor"


def _expected_in_graph(data: Any, parts: dict[data_parts.Path, Any], declared: Declared) -> Any:
    sizes = _require_static(parts, declared)
    checked: dict[data_parts.Path, Any] = {}
    for path, part in parts.items():
        checks, name = declared.checks(path), declared.part_name(path)
        kinds = [check.term.kind for check in checks]
        if "unique" in kinds:
            raise UsageError(f"expect: unique rows cannot be required inside a graph ({name})")
        if type(part).__name__ != "KerasTensor":
            checked[path] = contract_ops.asserted(part, checks, name, declared.where, sizes)
        elif set(kinds) <= {"shape", "dtype"}:
            checked[path] = part
        else:
            raise UsageError(
                f"expect: {name} is a Keras tensor without values, so nothing can be required of them",
                "require it of the data, or use whydied.assert_range or assert_finite",
            )
    return data_parts.packed(data, checked)


def _require_static(parts: dict[data_parts.Path, Any], declared: Declared) -> shape_text.Sizes:
    """What shapes and types alone tell. Returns the sizes of the names that they bind."""
    sizes: shape_text.Sizes = {}
    for path, part in parts.items():
        shape = getattr(part, "shape", None)
        known = list(shape) if shape is not None and getattr(shape, "rank", 0) is not None else None
        wrong = contract_ops.static_mismatch(known, data_parts.numpy_dtype(part), declared.checks(path), sizes)
        if wrong is not None:
            name = declared.part_name(path)
            shown = tuple(known) if known is not None else "?"
            error = ContractError(
                f"{declared.where}: {name}: {wrong.words}: shape {shown}, {getattr(part, 'dtype', None)}; "
                f"expected {wrong.check.term.words}"
            )
            error.name = name
            raise error
    return sizes


def _generator(inner: Generator[Any, Any, Any], check: _ElementCheck) -> Generator[Any, Any, Any]:
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


class _CheckedIterator:
    """An iterator that is not a generator."""

    def __init__(self, inner: Iterator[Any], check: _ElementCheck) -> None:
        self._inner = inner
        self._check = check
        self._number = 0

    def __iter__(self) -> _CheckedIterator:
        return self

    def __next__(self) -> Any:
        element = next(self._inner)
        self._check(element, self._number)
        self._number += 1
        return element

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _function(inner: Callable[..., Any], check: _ElementCheck) -> Callable[..., Any]:
    """A function that makes generators, as `Dataset.from_generator` takes one."""

    @functools.wraps(inner)
    def checked(*args: Any, **kwargs: Any) -> Any:
        made = inner(*args, **kwargs)
        return _generator(made, check) if isinstance(made, GeneratorType) else _CheckedIterator(iter(made), check)

    return checked


def _py_dataset(inner: Any, check: _ElementCheck) -> Any:
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
