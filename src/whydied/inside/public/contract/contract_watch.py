"""Looks at the data of calls into Keras, within a budget of time, and records what they are and what breaks a
contract; runs in the user's process.

Invariant: nothing is raised, changed or kept alive. An array is looked at in blocks: some when its call begins,
the rest between later steps, and once more, for a moment, where the program failed. Batches that come one by one are
looked at as far as the budget allows, the first ones always.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest import guard
from whydied.inside.public.contract import row_checks, row_examination
from whydied.inside.public.contract.data_parts import array_of
from whydied.inside.public.contract.row_checks import Check
from whydied.inside.public.contract.row_examination import Breach, Examination, blocks_of
from whydied.records import ContractBroken, DataSeen, Frame

LARGEST_WATCHED = 200
LARGEST_RECORDS = 300
FREE_BATCHES = 3
_TOLD_AGAIN = 4
"""What is known of batches is told after the first, the fourth, the sixteenth …"""

FIRST_S = 0.01
LARGEST_FIRST_S = 0.3
RATE = 0.005
LAST_S = 0.3
"""Once, when the program has failed and its end is all that is left."""


def now() -> float:
    """Of the processor, not of the wall: a busy machine must not make us look at less."""
    return time.thread_time()


class Budget:
    """What was spent, in time of the processor, stays below `RATE` of the time since the first call, beside a first
    look of `FIRST_S` at each new input, `LARGEST_FIRST_S` in all. One block or batch more may be under way when that is
    reached."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._granted = 0.0
        self._spent = 0.0

    def grant(self) -> None:
        """There is something new to look at."""
        if self._began is None:
            self._began = time.perf_counter()
        self._granted = min(self._granted + FIRST_S, LARGEST_FIRST_S)

    def allows(self) -> bool:
        if self._began is None:
            return False
        return self._spent < self._granted + RATE * (time.perf_counter() - self._began)

    def spend(self, since: float) -> float:
        """Count what this thread has worked since a moment of `now`. Returns the moment."""
        moment = now()
        self._spent += moment - since
        return moment

    def end(self) -> None:
        """The program failed: look once more."""
        self._granted = self._spent + LAST_S


budget = Budget()
_pending: list[Array] = []
_records = 0


class Input(NamedTuple):
    """Who the data are: as the call names them, and by which call of which model."""

    name: str
    role: str
    sort: str
    call: int | None = None
    kind: str = ""
    model: str = ""
    frames: tuple[Frame, ...] = ()
    kept_back: int | None = None
    unseen: tuple[int, ...] = ()


class Moment(NamedTuple):
    """Where the program is, and the call that is open."""

    frames: tuple[Frame, ...]
    call: int | None


LARGEST_COUNTED = 1 << 20
"""Of more values it is not counted how many differ."""
_NUMBERED = frozenset({"vocabulary", "classes"})


class _Watched:
    def __init__(self, subject: Input, checks: Sequence[Check]) -> None:
        self.subject = subject
        self.checks = tuple(checks)
        self.examination = Examination([check for check in checks if check.term.kind not in ("shape", "dtype")])
        self.rows: int | None = None
        self.batches: int | None = None
        self._told: dict[int, int] = {}

    def tell(self, complete: bool) -> None:
        """Record what is known by now. A breach is told when it is found and, with its full count, at the end."""
        seen = self.examination
        if seen.rows_seen or self.rows == 0:
            _write(
                DataSeen(
                    name=self.subject.name,
                    role=self.subject.role,
                    sort=self.subject.sort,
                    shape=list(seen.shape),
                    dtype=seen.dtype,
                    rows_seen=seen.rows_seen,
                    rows=self.rows,
                    batches=self.batches,
                    numbers=seen.numbers,
                    distinct=sorted(seen.distinct) if seen.distinct else [],
                    terms=[check.term for check in self.checks],
                    call=self.subject.call,
                    kind=self.subject.kind,
                    model=self.subject.model,
                    frames=list(self.subject.frames),
                    kept_back=self.subject.kept_back,
                    unseen=list(self.subject.unseen),
                )
            )
        for breach in seen.breaches:
            if breach.count != self._told.get(id(breach)) and (complete or id(breach) not in self._told):
                self._told[id(breach)] = breach.count
                self._broken(breach, seen.rows_seen)

    def look_at_shape(self, array: Any, batch: int | None = None) -> None:
        """Shapes and types are known at once."""
        for check in self.checks:
            wrong = row_checks.mismatch(check.term, array)
            if wrong is not None and self._told.get(id(check)) is None:
                self._told[id(check)] = 1
                term, subject = check.term, self.subject
                _write(
                    ContractBroken(
                        name=subject.name,
                        term=term,
                        rows_seen=len(array),
                        values=[wrong],
                        batch=batch,
                        shape=list(array.shape),
                        dtype=array.dtype.name,
                        role=subject.role,
                        call=subject.call,
                        frames=list(subject.frames),
                    )
                )

    def _broken(self, breach: Breach, rows_seen: int, batch: int | None = None) -> None:
        subject = self.subject
        _write(
            ContractBroken(
                name=subject.name,
                term=breach.check.term,
                rows=list(breach.rows),
                count=breach.count,
                rows_seen=rows_seen,
                values=list(breach.values),
                columns=list(breach.columns),
                batch=batch,
                shape=list(self.examination.shape),
                dtype=self.examination.dtype,
                role=subject.role,
                file=row_examination.keep_rows(breach.kept),
                call=subject.call,
                frames=list(subject.frames),
                distinct=self._distinct(breach),
            )
        )

    def _distinct(self, breach: Breach) -> int | None:
        """How many different values there are, where the data are there as a whole."""
        return None


class Array(_Watched):
    """Data that are there as a whole."""

    def __init__(self, subject: Input, checks: Sequence[Check], value: Any, start: int = 0, stop: int | None = None):
        super().__init__(subject, checks)
        self._value = _reference(value)
        self._at = start
        self._stop = stop

    def proceed(self) -> bool:
        """Look on while the budget allows. Returns whether the end was reached."""
        value = self._value()
        array = array_of(value) if value is not None else None
        if array is None:
            return True
        stop = len(array) if self._stop is None else min(self._stop, len(array))
        if self.rows is None:
            self.rows = stop - min(self._at, stop)
            self.look_at_shape(array)
        since = now()
        for first, last in blocks_of(array[:stop], self._at):
            if not budget.allows():
                break
            self.examination.look(array[first:last], first)
            self._at = last
            since = budget.spend(since)
        return self._at >= stop

    @guard.otherwise(None)
    def _distinct(self, breach: Breach) -> int | None:
        import numpy

        value = self._value()
        array = array_of(value) if value is not None and breach.check.term.kind in _NUMBERED else None
        if array is None or array.size > LARGEST_COUNTED or array.dtype.kind not in "iuf":
            return None
        return len(numpy.unique(array))


class Batches(_Watched):
    """Data that come batch by batch. Each bad batch is told by itself, with its rows, the first few of each term."""

    def __init__(self, subject: Input, checks: Sequence[Check], as_rows: bool = False) -> None:
        super().__init__(subject, checks)
        self.seen = 0
        self._as_rows = as_rows
        self._next_told = 1
        self._batches_told: dict[str, int] = {}

    def ask(self, checks: Sequence[Check]) -> None:
        """More is asked from now on."""
        self.checks = (*self.checks, *checks)
        self.examination.ask(checks)

    def look(self, array: Any, number: int, moment: Callable[[], Moment] | None = None) -> None:
        """At batch number `number`. The caller asks the budget and spends. `moment` tells where the program is."""
        self.seen += 1
        if self.seen <= FREE_BATCHES:
            self.look_at_shape(array, number)
        before = [breach.count for breach in self.examination.breaches]
        self.examination.look_at(array)
        if before != [breach.count for breach in self.examination.breaches]:
            self._tell_batch(array, number, moment)
        if self.seen == self._next_told:
            self._next_told *= _TOLD_AGAIN
            self.tell(complete=False)

    def _tell_batch(self, array: Any, number: int, moment: Callable[[], Moment] | None) -> None:
        if moment is not None:
            now_at = moment()
            self.subject = self.subject._replace(frames=now_at.frames, call=now_at.call)
        single = Examination(self.examination.checks)
        single.look(array, number if self._as_rows else 0)
        for breach in single.breaches:
            kind = breach.check.term.kind
            self._batches_told[kind] = told = self._batches_told.get(kind, 0) + 1
            if told <= FREE_BATCHES:
                self._broken(breach, single.rows_seen, None if self._as_rows else number)

    def tell(self, complete: bool) -> None:
        for breach in self.examination.breaches:
            self._told[id(breach)] = breach.count
        super().tell(complete)


def begin(watched: Array) -> None:
    """Take a first look at an array, and leave the rest for later."""
    if len(_pending) >= LARGEST_WATCHED:
        del _pending[0]
    budget.grant()
    finished = watched.proceed()
    watched.tell(complete=finished)
    if not finished:
        _pending.append(watched)


def proceed() -> None:
    """Between two steps: look on at what is left."""
    while _pending and budget.allows():
        if _pending[0].proceed():
            _pending.pop(0).tell(complete=True)


def end(failed: bool) -> None:
    """The interpreter ends. Of a program that failed, all that a moment allows is looked at."""
    if failed:
        budget.end()
        proceed()
    while _pending:
        _pending.pop(0).tell(complete=True)


def forget() -> None:
    """In a fork: the data are the parent's to look at."""
    _pending.clear()


def _write(record: DataSeen | ContractBroken) -> None:
    global _records
    _records += 1
    if _records <= LARGEST_RECORDS:
        journal.write(record)
    else:
        guard.limited("data contracts", f"only the first {LARGEST_RECORDS} records about data are kept")


def _reference(value: Any) -> Any:
    """A weak reference; of what cannot be referred to weakly (a list of numbers) a copy as an array."""
    try:
        return weakref.ref(value)
    except TypeError:
        array = array_of(value)
        return lambda: array
