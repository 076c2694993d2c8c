"""What is known of each session whose runs are watched for values that are not finite; runs in the user's process.

Invariant: a session is known by a weak reference only, and what is kept of it goes with it. Two threads may run
one session: the one that finds another one at work here does without a look.
"""

from __future__ import annotations

import time
import weakref
from _thread import allocate_lock
from collections import deque
from math import isfinite, isnan
from types import FrameType
from typing import Any

from whydied import words
from whydied.inside import journal
from whydied.inside.guest import guard
from whydied.inside.model.graph_ops import TooLarge
from whydied.inside.numerics import array_rows, step_file
from whydied.inside.numerics.first_losses import AT, STEPS, FirstLosses
from whydied.inside.numerics.session import session_plan, session_rerun
from whydied.inside.numerics.session.session_capture import Bad, Candidate, norms_seen, write
from whydied.inside.numerics.session.session_plan import Plan
from whydied.inside.numerics.session.session_rerun import Feeds, Known
from whydied.inside.numerics.session.session_state import Allowance, Look, State, finite
from whydied.inside.numerics.step_file import numbers_of
from whydied.records import Frame, Suspect

LARGEST_SESSIONS = 100
LARGEST_PLANS = 64
LARGEST_FETCHED = 1 << 20
"""Elements of a fetched tensor that are looked at."""
PLAN_SECONDS = 2.0
"""Time for the plans of one session: a program that adds ops in its loop has a new one for each run."""
URGENT_RUNS = 32
KEPT_LOSSES = 64
LAST = 20
"""Losses that are recorded when a session ends."""
ROWS_SECONDS = 1.0
"""For finding the rows of the runs of which one must be bad."""
JUMP = 10.0
"""A loss that is so many times the largest one before it is followed closely for a while."""


class Course:
    """A plan, and how it went so far."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.trains = plan.trains
        self.floats = tuple(place for place, _ in plan.floats)
        self.loss = next((place for place, loss in plan.floats if loss), -1)
        self.count = 0
        self.loss_told = False
        self.alarm = 0.0
        """A loss beyond it is followed closely."""
        self.frames: list[Frame] = []
        """The user's line of its first run, for what is noticed elsewhere."""


class Rest:
    """Until when nothing is to be read, and whether there is a plan that needs more fetched than the program asks
    for."""

    def __init__(self) -> None:
        self.until = 0.0
        self.sourced = False


rest = Rest()
_allowance = Allowance()


class Watch:
    def __init__(self) -> None:
        self.state = State()
        self.feeds = Feeds()
        self._courses: dict[tuple[int, ...], Course] = {}
        self._plan_seconds = PLAN_SECONDS
        self._runs = 0
        self._known: set[str] = set()
        """Variables that have a value: reading one that has none would be an error, which TensorFlow logs."""
        self._spoiled = False
        self._ending = False
        self._urgent_until = 0
        self._losses: deque[tuple[int, float]] = deque(maxlen=KEPT_LOSSES)
        self._told_losses: FirstLosses | None = None
        self._early: list[float] = []
        """The losses of the first runs that train."""
        self._lock = allocate_lock()

    def plan(self, session: Any, handler: Any) -> Plan | None:
        course = self._course(session, handler)
        return course.plan if course is not None else None

    def before(self, session: Any, handler: Any, frame: FrameType) -> None:
        """A run is about to begin."""
        course = self._course(session, handler)
        if course is None or not course.plan.trains or not self._lock.acquire(False):
            return
        try:
            self.state.add(course.plan)
            urgent = self._runs < self._urgent_until
            if not (self.state.fresh or _allowance.due(urgent)) or not self._readable():
                return
            look = self._look(session, self._runs)
            rest.until = 0.0 if urgent else _allowance.due_at()
            if look is None:
                return
            if not look.bad:
                self._spoiled = False
                if self.state.grows():
                    self._closely(URGENT_RUNS)
            elif not self._spoiled:
                self._spoiled = True
                self._caught_weights(session, look, course, handler, frame)
        finally:
            self._lock.release()

    def after(self, session: Any, handler: Any, results: list[Any], extra: list[Any], frame: FrameType) -> None:
        """A run is over: what did the program fetch? At each run, so written to be quick."""
        course = self._courses.get((*map(id, handler._fetches), 0, *map(id, handler._targets)))
        if course is None or not course.count:
            course = self._first(session, handler, frame)
            if course is None:
                return
        course.count += 1
        if not course.trains:
            if course.floats and not course.loss_told and any(isnan(results[place].item()) for place in course.floats):
                self._bad_evaluation(session, course, handler, results, extra, frame)
            return
        at = self._runs
        self._runs = at + 1
        self.feeds.add(at, course, handler._feeds, extra)
        place = course.loss
        if place >= 0:
            loss = float(results[place])
            self._losses.append((at, loss))
            if len(self._early) < STEPS:
                self._began(course, loss)
            if not -course.alarm < loss < course.alarm:
                self._jumped(course, loss)
        for place in course.floats:
            value = results[place]
            if not (isfinite(value) if value.ndim == 0 else _finite(value)):
                self._bad_fetch(session, course, results, frame)
                return

    def _began(self, course: Course, loss: float) -> None:
        self._early.append(loss)
        if self._told_losses is None:
            self._told_losses = FirstLosses(course.plan.name)
        if len(self._early) in AT:
            self._told_losses.write(self._early, [])

    def end(self, session: Any, frame: FrameType | None) -> None:
        """The session is about to be closed, or the program to end: the last runs were perhaps not looked at."""
        if not self._lock.acquire(False):
            return
        self._ending = True
        try:
            if self.state.variables and not self._spoiled and self._readable():
                look = self._look(session, self._runs)
                if look is not None and look.bad:
                    self._spoiled = True
                    self._caught_weights(session, look, None, None, frame)
            runs = self.feeds.runs
            if runs and not self._spoiled:
                norms = norms_seen(runs[-1].course.plan.name, self.state, dict(self._losses), "end", None, [])
                if norms is not None:
                    journal.write(norms)
            if self._told_losses is not None:
                self._told_losses.end(self._early, list(self._losses)[-LAST:])
                self._told_losses = None
            self.feeds.clear()
            self._courses.clear()
            self.state = State()
        finally:
            self._lock.release()

    def _course(self, session: Any, handler: Any) -> Course | None:
        # What we add to the fetches stands at their end, in front of which is what the program asked for.
        key = (*map(id, handler._fetches), 0, *map(id, handler._targets))
        course = self._courses.get(key)
        if course is not None:
            return course
        if len(self._courses) >= LARGEST_PLANS or self._plan_seconds <= 0:
            return None
        began = time.perf_counter()
        try:
            fetches = [tensor for tensor in handler._fetches if tensor.ref() not in handler._feeds]
            plan = session_plan.make(session.graph, fetches, handler._targets)
        except TooLarge as error:
            guard.limited("values of sessions", f"a fetch needs {error}")
            plan = Plan("")
        self._plan_seconds -= time.perf_counter() - began
        course = self._courses[key] = Course(plan)
        rest.sourced = rest.sourced or bool(plan.sources)
        return course

    def _first(self, session: Any, handler: Any, frame: FrameType) -> Course | None:
        """A fetch was run for the first time."""
        course = self._course(session, handler)
        if course is not None:
            plan = course.plan
            self._known |= plan.written
            if plan.trains:
                course.frames = journal.frames(frame)
                self._known.update(variable.node for variable in (*plan.variables, *plan.slots))
                rest.until = 0.0
        return course

    def _look(self, session: Any, at: int, keep: bool = True) -> Look | None:
        began = time.perf_counter()
        try:
            return self.state.look(session, at, keep)
        finally:
            _allowance.spent(time.perf_counter() - began)

    def _closely(self, runs: int) -> None:
        """Something grows: read before each of the next runs."""
        self._urgent_until = max(self._urgent_until, self._runs + runs)
        rest.until = 0.0

    def _readable(self) -> bool:
        return all(variable.node in self._known for variable in self.state.variables)

    def _jumped(self, course: Course, loss: float) -> None:
        """A loss is far from those before it, or is the first."""
        if course.count > 3:
            self._closely(URGENT_RUNS // 4)
        if isfinite(loss):
            course.alarm = JUMP * max(abs(loss), course.alarm / JUMP if course.count > 1 else 0.0)

    def _bad_fetch(self, session: Any, course: Course, results: list[Any], frame: FrameType) -> None:
        if not self._spoiled and self._lock.acquire(False):
            try:
                self._caught_fetch(session, course, results, frame)
            finally:
                self._lock.release()

    def _bad_evaluation(
        self, session: Any, course: Course, handler: Any, results: list[Any], extra: list[Any], frame: FrameType
    ) -> None:
        """A run that changes no variable gave NaN. Where the weights that are trained are bad, that is the reason."""
        if self._spoiled or not step_file.may_capture() or not self._lock.acquire(False):
            course.loss_told = True
            return
        try:
            look = self._look(session, self._runs) if self.state.variables and self._readable() else None
            if look is not None and look.bad:
                self._spoiled = True
                self._caught_weights(session, look, None, None, frame)
                return
            course.loss_told = True
            plan, state = course.plan, State()
            state.add(plan)
            now = state.look(session, self._runs, keep=False)
            given = [*((reference.deref(), value) for reference, value in handler._feeds.items()), *extra]
            write(
                Bad(
                    session=session,
                    plan=plan,
                    step=course.count - 1,
                    at=self._runs,
                    given=given,
                    state=state,
                    before=0,
                    now=now.values if now is not None else None,
                    moment="start",
                    suspects=[
                        _bad_result(plan.fetched[place], results[place], frame)
                        for place in course.floats
                        if isnan(results[place].item())
                    ],
                    late="",
                    losses={},
                    rate=None,
                    missing=[],
                    frames=journal.frames(frame),
                    rows=array_rows.find(frame, [value for _, value in given]),
                    names=[array_rows.name_of(frame, tensor) for tensor, _ in given],
                    stopped=False,
                )
            )
        finally:
            self._lock.release()

    def _caught_fetch(self, session: Any, course: Course, results: list[Any], frame: FrameType) -> None:
        """A fetched value is not finite. Are the weights still?"""
        plan = course.plan
        look = self._look(session, self._runs, keep=False) if self._readable() else None
        losses = [place for place, loss in plan.floats if loss and not _finite(results[place])]
        suspects = [_bad_loss(plan.fetched[place], results[place]) for place in losses]
        if look is not None and look.bad:
            self._spoiled = True
        elif not losses or plan.checks:
            return
        if course.loss_told:
            return
        course.loss_told = True
        self._capture(session, look, suspects, self._candidates(), frame, self._runs - 1)

    def _caught_weights(
        self, session: Any, look: Look, course: Course | None, handler: Any, frame: FrameType | None
    ) -> None:
        """Weights are not finite, and the last run fetched nothing that said so."""
        if any(one.loss_told for one in self._courses.values()):
            # The loss came before, and has been captured.
            return
        if self.state.kept is None and not self.feeds.runs and course is not None:
            self.feeds.add(self._runs, course, handler._feeds, [])
            self._capture(session, look, [], [self.feeds.runs[-1]], frame, self._runs, "start")
            self.feeds.clear()
            return
        self._capture(session, look, [], self._candidates(), frame, self._runs - 1)

    def _candidates(self) -> list[Any]:
        return [run for run in self.feeds.runs if run.at >= self.state.kept_at]

    def _capture(
        self,
        session: Any,
        look: Look | None,
        suspects: list[Suspect],
        runs: list[Any],
        frame: FrameType | None,
        noticed: int,
        moment: str = "later",
    ) -> None:
        if not step_file.may_capture() or not runs:
            return
        known = session_rerun.known_runs(runs)
        chosen = session_rerun.suspect_run(session, self.state, known, len(runs))
        run = runs[-1] if chosen is None else next(one for one in runs if one.at == chosen.run.at)
        course, state = run.course, self.state
        if chosen is not None:
            suspects = suspects + _bad_updates(course.plan, chosen.updates)
        if look is not None:
            suspects = suspects + _bad_weights(state, look)
        given = chosen.given if chosen is not None else []
        missing = [] if chosen is not None else ["The fed values of the step are no longer available."]
        stop = not self._ending and "stop-on-nan" in step_file.options()
        directory = write(
            Bad(
                session=session,
                plan=course.plan,
                step=self._step(run),
                at=run.at,
                given=given,
                state=state,
                before=max(0, run.at - state.kept_at) if state.kept is not None else 0,
                now=look.values if look is not None else None,
                moment=moment,
                suspects=suspects,
                late=_late(state, run.at, noticed, chosen is None or chosen.sure),
                losses=dict(self._losses),
                rate=chosen.rate if chosen is not None else None,
                missing=missing,
                frames=course.frames or journal.frames(frame),
                rows=array_rows.find(frame, [value for _, value in given]),
                names=[array_rows.name_of(frame, tensor) for tensor, _ in given],
                stopped=stop,
                runs=self._with_rows(known, frame) if chosen is not None and not chosen.sure else [],
            )
        )
        if stop:
            raise guard.stop(_last_words(suspects, directory, state, run.at))

    def _with_rows(self, known: Known, frame: FrameType | None) -> list[Candidate]:
        """Runs with the rows that they were fed, the last ones first while there is time."""
        until = time.perf_counter() + ROWS_SECONDS
        found = []
        for run, given in reversed(known):
            late = time.perf_counter() > until
            rows = array_rows.find(None if late else frame, [value for _, value in given])
            names = [array_rows.name_of(frame, tensor) for tensor, _ in given]
            found.append(Candidate(run, self._step(run), given, rows, names))
        return found[::-1]

    def _step(self, run: Any) -> int:
        """The number of a run among those of its plan."""
        later = sum(one.course is run.course and one.at > run.at for one in self.feeds.runs)
        before: int = run.course.count - 1 - later
        return max(0, before)


_watches: dict[int, tuple[weakref.ref[Any], Watch]] = {}


def watch_of(session: Any, make: bool = True) -> Watch | None:
    """None where the session is not one that can be watched: a remote one, or one of too many."""
    known = _watches.get(id(session))
    if known is not None and known[0]() is session:
        return known[1]
    if not make or session.sess_str or len(_watches) >= LARGEST_SESSIONS or not step_file.may_capture():
        return None
    key, watch = id(session), Watch()
    _watches[key] = (weakref.ref(session, lambda _: _watches.pop(key, None)), watch)
    return watch


def end_all() -> None:
    for reference, watch in list(_watches.values()):
        session = reference()
        if session is not None and not session._closed:
            watch.end(session, None)


def _finite(value: Any) -> bool:
    return bool(isfinite(value)) if value.ndim == 0 else finite(value.reshape(-1)[:LARGEST_FETCHED])


def _bad_loss(tensor: Any, value: Any) -> Suspect:
    return Suspect(role="loss", name=str(tensor.op.name), tensor=tensor.name, numbers=numbers_of(value))


def _bad_result(tensor: Any, value: Any, frame: FrameType) -> Suspect:
    name = array_rows.name_of(frame, tensor) or str(tensor.op.name)
    return Suspect(role="result", name=name, tensor=tensor.name, numbers=numbers_of(value))


def _bad_updates(plan: Plan, values: dict[str, Any]) -> list[Suspect]:
    found = []
    for update in plan.updates:
        value = values.get(update.tensor.name)
        if value is not None and not finite(value):
            found.append(
                Suspect(role=update.role, name=update.variable, tensor=update.tensor.name, numbers=numbers_of(value))
            )
    return found


def _bad_weights(state: State, look: Look) -> list[Suspect]:
    return [
        Suspect(
            role="weight",
            name=state.variables[number].name,
            tensor=state.variables[number].read.name,
            numbers=numbers_of(look.values[number]),
        )
        for number in look.bad
    ]


def _late(state: State, at: int, noticed: int, sure: bool) -> str:
    """How much later than the run `at` it was noticed, and how sure it is that it was that run."""
    later = f"it was noticed {words.count(noticed - at, 'run')} later" if noticed > at else ""
    if sure:
        return later
    if state.kept_at < 0:
        known = "the weights had not been read before"
    else:
        known = f"the weights were last finite {words.count(noticed + 1 - state.kept_at, 'run')} before it was noticed"
    return f"{later}; {known}" if later else known


def _last_words(suspects: list[Suspect], directory: str | None, state: State, at: int) -> str:
    names = ", ".join(f"{one.role} {one.name}" for one in suspects[:3])
    kept = ""
    if directory is not None and state.kept is not None:
        kept = f" Those of {words.count(at - state.kept_at, 'run')} before are in {directory}."
    return f"whydied stopped the program: not finite: {names}. This run has already updated the weights.{kept}"
