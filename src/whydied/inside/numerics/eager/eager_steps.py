"""Follows the eager steps of a thread: which loop an update belongs to, when its ops are listed, and which program it
has; runs in the user's process.

A loop is a place in the code from which an optimizer, or the program itself, updates variables. Its ops are listed in
its first `LISTED` steps (in more where the first ones differ and cannot be compared), then where the shapes of
what it is given are new, and in every `AGAIN`th step.

Invariant: outside listed steps an update costs a look at its gradients. Listing ends after `LARGEST_TAPES`
tapes without an update, and after `IDLE_S` seconds without an op, so that nothing is held of a training that is over;
where shapes keep changing it takes at most a hundredth of the time.
"""

from __future__ import annotations

import math
import threading
import time
import weakref
from collections import deque
from types import CodeType, FrameType
from typing import Any

from whydied.inside import journal
from whydied.inside.numerics.eager import expressions
from whydied.inside.numerics.eager.expressions import Offers
from whydied.inside.numerics.eager.finiteness import Pace
from whydied.inside.numerics.eager.named_tensors import MISSING, Holding, Place, found_again, holdings
from whydied.inside.numerics.eager.needed_ops import Sketches
from whydied.inside.numerics.eager.op_log import OpLog
from whydied.inside.numerics.eager.step_program import Program, ProgramMaker, Target
from whydied.inside.numerics.first_losses import AT, FirstLosses
from whydied.records import Frame, NormsSeen

LISTED = 2
LARGEST_LISTED = 4
AGAIN = 1000
LARGEST_TAPES = 50
LARGEST_LOOPS = 64
LARGEST_PROGRAMS = 4
LARGEST_SHAPES = 16
IDLE_S = 30.0
STEPS = 64
PAUSE_S = 30.0
LARGEST_NAMES = 200

Key = tuple[int, int, int]
"""The optimizer and the code by their addresses, and the place in the code: to hash a code is slow."""


class Norms:
    """Of the gradients over the last `STEPS` steps of a loop: numbers only, but for the loss, a single element."""

    def __init__(self, function: str, frames: list[Frame]) -> None:
        self.function = function
        self.names: list[str] = []
        self.optimizer_made: Frame | None = None
        self._frames = frames
        self._last: deque[tuple[int, list[float], Any]] = deque(maxlen=STEPS)
        self._told = time.monotonic()
        self._told_step = -1
        self._first = FirstLosses(function)

    def add(self, step: int, squares: list[float], loss: Any) -> None:
        self._last.append((step, squares, loss))
        if step + 1 in AT:
            self._tell_first()
        if step % STEPS == 0 and time.monotonic() - self._told > PAUSE_S:
            self.tell("sample")

    def tell(
        self, moment: str, weights: list[float] | None = None, learning_rate: float | None = None, scale: Any = None
    ) -> None:
        """Write what is known, if there is something new."""
        rows = [row for row in self._last if len(row[1]) == len(self.names)]
        if not rows or (rows[-1][0] == self._told_step and moment != "capture"):
            return
        self._told, self._told_step = time.monotonic(), rows[-1][0]
        self._tell_first()
        losses = [float(loss._numpy()) if loss is not None else None for _, _, loss in rows]
        journal.write(
            NormsSeen(
                function=self.function,
                names=self.names[:LARGEST_NAMES],
                steps=[step for step, _, _ in rows],
                norms=[
                    [math.sqrt(value) if value >= 0 else math.nan for value in squares[:LARGEST_NAMES]]
                    for _, squares, _ in rows
                ],
                moment=moment,
                weights=[*(weights or [])[:LARGEST_NAMES]],
                losses=[loss for loss in losses if loss is not None] if None not in losses else [],
                learning_rate=learning_rate,
                scale=scale,
                frames=self._frames,
                optimizer_made=self.optimizer_made,
            )
        )

    def _tell_first(self) -> None:
        rows = list(self._last)
        if rows[0][0] == 0 and all(loss is not None for _, _, loss in rows):
            norms = [math.sqrt(total) if (total := sum(squares)) >= 0 else math.nan for _, squares, _ in rows]
            self._first.write([float(loss._numpy()) for _, _, loss in rows], norms)


class Loop:
    """A place of updates. `step` is the number of the present one, from zero; `begun` where it begins in the list."""

    def __init__(self, frame: FrameType) -> None:
        frames = journal.frames(frame)
        self.code = frame.f_code
        self.frames = frames
        self.function = frames[-1].function if frames else ""
        self.step = -1
        self.listed = 0
        self.begun = 0
        self.programs: list[Program] = []
        self.sketches = Sketches()
        self.norms = Norms(self.function, frames)
        self.keys: frozenset[int] = frozenset()
        """The numbers of the handles of the variables that an optimizer updates."""
        self.gathers = False
        """Whether its assignments add gradients up, for an update that comes later."""

    @property
    def is_known(self) -> bool:
        return self.listed >= (LISTED if self.sketches.compared else LARGEST_LISTED)


class Pending:
    """A step whose variables the program assigns itself, one after the other. `held` is what the program held at the
    first of them, `offers` what its expressions were worth; both are let go of when the next tape is opened, or
    none comes."""

    def __init__(self, loop: Loop, held: list[Holding], offers: Offers) -> None:
        self.loop = loop
        self.held = held
        self.offers = offers
        self.targets: list[Target] = []
        self.names: dict[int, str] = {}
        self.squares: list[float] = []
        self.done: set[int] = set()


class _Opening:
    """A place at which a tape is opened, with the places of the data that its steps were given and their shapes."""

    def __init__(self, code: CodeType) -> None:
        self._code = code
        self.probes: tuple[Place, ...] = ()
        self.shapes: set[tuple[Any, ...]] = set()


class Thread:
    """What is known of the loops of this thread."""

    def __init__(self) -> None:
        self.log = OpLog()
        self.loops: dict[Key, Loop] = {}
        self.losses: tuple[int, ...] = ()
        self.loss: Any = None
        self.sources: frozenset[int] = frozenset()
        self.source_shapes: frozenset[tuple[int, ...]] = frozenset()
        self.source_handles: list[weakref.ref[Any]] = []
        self.manual = False
        """Whether gradients were computed that no optimizer has used yet."""
        self.pending: Pending | None = None
        self.applied: list[Loop] = []
        """The loops whose optimizers have updated variables since a tape was opened."""
        self.bad: Loop | None = None
        """The loop whose step was captured, until it has a finite one: what others show meanwhile comes from it."""
        self._openings: dict[tuple[int, int], _Opening] = {}
        self._opening: _Opening | None = None
        self._tapes = 0
        self._unlisted = 0
        self._pace = Pace()
        self._began = 0.0
        self._followed: list[Loop] = []
        """The loops that had a step since listing began."""

    def recovered(self, loop: Loop) -> None:
        """A loop had a finite step. Where gradients are gathered that says nothing of what was gathered before."""
        if self.bad is not None and not loop.gathers and (self.bad is loop or self.bad.gathers):
            self.bad = None

    def loop(self, owner: int, frame: FrameType, at: int) -> Loop | None:
        """The loop of an optimizer, or of the program's own assignments, that a frame runs."""
        key = (owner, id(frame.f_code), at)
        found = self.loops.get(key)
        if found is None and len(self.loops) < LARGEST_LOOPS:
            found = self.loops[key] = Loop(frame)
        return found

    def tape_opened(self, frame: FrameType) -> None:
        """`frame` opens a tape."""
        self.end_assignments()
        self.end_loose()
        self.applied.clear()
        # Layers that keep statistics assign while the tape is open.
        self.manual = False
        if self.log.on:
            self._tapes += 1
            if self._tapes > LARGEST_TAPES:
                self._end_listing()
            return
        self.log.stop()
        place = (id(frame.f_code), frame.f_lasti)
        opening = self._openings.get(place)
        self._unlisted += 1
        if opening is None:
            if len(self._openings) >= LARGEST_LOOPS:
                return
            opening = self._openings[place] = _Opening(frame.f_code)
            self._begin_listing(opening)
        elif self._unlisted >= AGAIN or (opening.probes and self._is_new(opening, frame)):
            self._begin_listing(opening)
        self._opening = opening

    def end_loose(self) -> None:
        """A loop begins, or another thread's work: the list that belongs to none is over."""
        if self.log.loose and self.log.on:
            self.log.stop()
            self.log.clear()

    def program_of(self, tensor: Any, frame: FrameType | None) -> Program | None:
        """What made a tensor, where that was listed."""
        if not self.log.on or tensor._id not in self.log.made:
            return None
        trained = [handle for reference in self.source_handles if (handle := reference()) is not None]
        lines = {entry.around.lines for entry in self.log.entries}
        offers = expressions.offers(frame, lines)
        maker = ProgramMaker(self.log, 0, holdings(frame), offers, Sketches(), trained, {}, values=True)
        return maker.make([Target("result", -1, tensor._id)], 0)

    def _is_new(self, opening: _Opening, frame: FrameType) -> bool:
        shapes = tuple(_shape(found_again(place, frame)) for place in opening.probes)
        if shapes in opening.shapes:
            return False
        if len(opening.shapes) >= LARGEST_SHAPES and not self._pace.allows():
            return False
        opening.shapes.add(shapes)
        return True

    def _begin_listing(self, opening: _Opening) -> None:
        self._began = time.perf_counter()
        self._opening = opening
        self._tapes = self._unlisted = 0
        self._followed = []
        if self.log.start():
            for loop in self.loops.values():
                loop.begun = 0

    def _end_listing(self) -> None:
        self.log.stop()
        self.log.clear()
        self._pace.took(self._began)

    def list_next(self, loop: Loop) -> None:
        """A loop had its first step while nothing was listed: list what leads to its second."""
        if not self.log.on:
            self._begin_listing(self._opening or _Opening(loop.code))
            self._followed.append(loop)

    def offers(self, loop: Loop, frame: FrameType | None) -> Offers:
        """What the expressions of the listed step are worth now."""
        return expressions.offers(frame, {entry.around.lines for entry in self.log.entries[loop.begun :]})

    def updated(self, loop: Loop, targets: list[Target], names: dict[int, str], frame: FrameType | None) -> None:
        """A listed step of a loop is over: keep its program."""
        self._keep(loop, targets, names, holdings(frame), self.offers(loop, frame))

    def end_assignments(self) -> None:
        """The step that the program's own assignments were the end of is over."""
        pending, self.pending = self.pending, None
        if pending is not None and self.log.on and pending.targets:
            self._keep(pending.loop, pending.targets, pending.names, pending.held, pending.offers)

    def _keep(
        self, loop: Loop, targets: list[Target], names: dict[int, str], held: list[Holding], offers: Offers
    ) -> None:
        program = self._program(loop, targets, names, held, offers, values=False)
        # The later one knows more of what differs between steps.
        others = [one for one in loop.programs if (one.ops, one.shapes) != (program.ops, program.shapes)]
        loop.programs = [*others, program][-LARGEST_PROGRAMS:]
        self._probe(program)
        loop.listed += 1
        loop.begun = len(self.log.entries)
        if loop not in self._followed:
            self._followed.append(loop)
        if all(other.is_known for other in self._followed):
            self._end_listing()

    def program(
        self, loop: Loop, targets: list[Target], names: dict[int, str], frame: FrameType | None
    ) -> Program | None:
        """The program of the present step: its own where it was listed, else that of an earlier one."""
        if self.log.on:
            return self._program(loop, targets, names, holdings(frame), self.offers(loop, frame), values=True)
        best = None
        for program in loop.programs:
            fitting = sum(_fits(given, frame) for given in program.given)
            if best is None or fitting >= best[0]:
                best = (fitting, program)
        return best[1] if best is not None else None

    def _program(
        self,
        loop: Loop,
        targets: list[Target],
        names: dict[int, str],
        held: list[Holding],
        offers: Offers,
        values: bool,
    ) -> Program:
        trained = [handle for reference in self.source_handles if (handle := reference()) is not None]
        maker = ProgramMaker(self.log, loop.begun, held, offers, loop.sketches, trained, names, values)
        losses = [Target("loss", index, number) for index, number in enumerate(self.losses)]
        return maker.make([*losses, *targets], loop.step)

    def _probe(self, program: Program) -> None:
        """Remember where the largest data lie that can be found when a tape is opened."""
        opening = self._opening
        if opening is None:
            return
        # An expression would be evaluated at each tape; its shape is not worth that.
        data = [(given.shape, given.place) for given in program.given if isinstance(given.place, Place) and given.shape]
        data.sort(key=lambda pair: -len(pair[0]))
        opening.probes = tuple(place for _, place in data[:1])
        opening.shapes.add(tuple(shape for shape, _ in data[:1]))


def _fits(given: Any, frame: FrameType | None) -> bool:
    return given.place is not None and _shape(found_again(given.place, frame)) == given.shape


def _shape(value: Any) -> Any:
    if value is MISSING:
        return None
    shape = value._shape_tuple() if hasattr(value, "_shape_tuple") else getattr(value, "shape", None)
    return tuple(shape) if shape is not None else None


class _Threads(threading.local):
    thread: Thread | None = None


_threads = _Threads()
_all: list[Thread] = []


def current() -> Thread:
    found = _threads.thread
    if found is None:
        found = _threads.thread = Thread()
        _all.append(found)
    return found


def let_go() -> None:
    """Drop what was kept for steps that did not come. Called now and then from our own thread: the threads of the
    program have not run a listed op for long, and are not about to read the list."""
    late = time.monotonic() - IDLE_S
    for thread in list(_all):
        if thread.log.on and thread.log.used_s < late:
            thread.pending = None
            thread.log.let_go()


def everything() -> list[Loop]:
    return [loop for thread in _all for loop in list(thread.loops.values())]
