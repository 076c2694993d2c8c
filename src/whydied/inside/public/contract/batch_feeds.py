"""Data that reach a model batch by batch: from generators, from the `…_on_batch` methods, in a loop of the user's; runs
in the user's process.

Invariant: models and losses are held weakly. A generator's elements are counted whether they are looked at or
not, so the number of a bad one is right.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple

from whydied.inside.model import open_calls
from whydied.inside.public.contract import contract_watch, model_demands
from whydied.inside.public.contract.contract_watch import FREE_BATCHES, Batches, Input, Moment
from whydied.inside.public.contract.data_parts import array_of, leaves_of
from whydied.inside.public.contract.row_checks import Check

_WORDS = ("x", "y", "sample_weight")
_LARGEST_FEEDS = 50
_LARGEST_WRAPPING = 4
_WRAPPED = ("func", "f")


class Feed:
    """The batches of one call, or of one place. With `as_rows` each element is a row."""

    def __init__(
        self, contract: model_demands.Contract, subject: Input, call: open_calls.Call | None, as_rows: bool
    ) -> None:
        self.call = call
        self.number = -1
        self._contract = contract
        self._subject = subject
        self._as_rows = as_rows
        self._inputs: dict[str, Batches] = {}
        self._asked: tuple[Check, ...] = ()
        self._looked = 0
        contract_watch.budget.grant()

    @property
    def lacks_classes(self) -> bool:
        asked = [check.term.kind for slot in self._contract.targets for check in slot.checks]
        return not self._asked and "classes" not in asked and "one-hot" not in asked

    def asks(self) -> bool:
        """One batch more came. Whether to look at it."""
        self.number += 1
        return self.may_look()

    def may_look(self) -> bool:
        return self._looked < FREE_BATCHES or contract_watch.budget.allows()

    def spend(self, since: float) -> None:
        """Count the time of a look, all around it included. The first pays for what NumPy and Python do once."""
        if self._looked > 1:
            contract_watch.budget.spend(since)

    def ask_of_targets(self, checks: Sequence[Check]) -> None:
        self._asked = tuple(checks)
        for watched in self._inputs.values():
            if watched.subject.role == "target":
                watched.ask(self._asked)

    def look(self, parts: dict[str, Any], moment: Callable[[], Moment] | None) -> None:
        self._looked += 1
        for word in _WORDS:
            for leaf in leaves_of(parts.get(word), word):
                array = self._rows(leaf.value)
                if array is not None:
                    watched = self._inputs.get(leaf.name) or self._new(word, leaf)
                    watched.look(array, self.number, moment)

    def _new(self, word: str, leaf: Any) -> Batches:
        role = {"x": "input", "y": "target"}.get(word, "weight")
        slots = {"input": self._contract.inputs, "target": self._contract.targets}.get(role, ())
        checks = model_demands.checks_for(leaf, slots, model_demands.any_data())
        if role == "target":
            checks = (*checks, *self._asked)
        name = self._subject.name if self._subject.kind == "loss" else leaf.name
        watched = self._inputs[leaf.name] = Batches(self._subject._replace(name=name, role=role), checks, self._as_rows)
        return watched

    def _rows(self, value: Any) -> Any:
        """A batch as an array; a single row as a batch of one."""
        array = array_of(value)
        if not self._as_rows:
            return array
        import numpy

        if array is None and isinstance(value, (int, float, bool, numpy.generic, numpy.ndarray)):
            array = numpy.asarray(value)
        return array[None] if array is not None else None


_feeds: dict[tuple[int, str], tuple[Any, Feed]] = {}
_open: list[Feed] = []
given: dict[str, Feed] = {}
"""By the kind of an `…_on_batch` call: the feed of the last one."""
_counts: dict[int, int] = {}


def of_batches(owner: Any, kind: str) -> Feed | None:
    """The feed of a model's method, or of a loss."""
    known = _feeds.get((id(owner), kind))
    return known[1] if known is not None and known[0]() is owner else None


def new_of_batches(owner: Any, feed: Feed) -> Feed:
    if len(_feeds) >= _LARGEST_FEEDS:
        _feeds.clear()
    kind = feed._subject.kind
    _feeds[id(owner), kind] = (weakref.ref(owner), feed)
    return feed


def open_feed(feed: Feed) -> None:
    """A call begins that reads from a generator."""
    _open.append(feed)
    del _open[:-_LARGEST_FEEDS]


def running() -> Feed | None:
    """The feed of the innermost call that is open and reads from a generator."""
    while _open:
        if any(_open[-1].call in stack for stack in list(open_calls._open.values())):
            return _open[-1]
        _open.pop()
    return None


def element(values: Any) -> dict[str, Any]:
    """The parts of an element of a data set: x alone, or (x, y) or (x, y, sample_weight)."""
    if type(values) is tuple and 1 <= len(values) <= len(_WORDS):
        return dict(zip(_WORDS, values, strict=False))
    return {"x": values}


class Generator(NamedTuple):
    """What stands behind `Dataset.from_generator`: its state, and the form of its elements."""

    state: Any
    form: Any

    def packed(self, parts: list[Any]) -> Any:
        from tensorflow import nest

        return nest.pack_sequence_as(self.form, parts)


def generator_of(function: Any) -> Generator | None:
    """The generator that a function asks for elements, found in its closure; None for another function."""
    for _ in range(_LARGEST_WRAPPING):
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
        if function.__code__.co_name == "generator_py_func":
            state, form = cells.get("generator_state"), cells.get("flattened_types") and cells.get("output_types")
            return Generator(state.cell_contents, form.cell_contents) if state is not None and form else None
        inner = [cell.cell_contents for name, cell in cells.items() if name in _WRAPPED]
        if not inner or type(inner[0]) is not FunctionType:
            return None
        function = inner[0]
    return None


def count(state: Any) -> None:
    """A generator is asked for one element more."""
    if len(_counts) > _LARGEST_FEEDS:
        _counts.clear()
    _counts[id(state)] = _counts.get(id(state), 0) + 1


def completed(state: Any) -> None:
    """It came to its end, and begins anew."""
    _counts.pop(id(state), None)


def number_of(state: Any) -> int | None:
    """The number of the element that a generator gave last."""
    asked = _counts.get(id(state))
    return asked - 1 if asked else None
