"""What became of a step whose values were not finite: which step counts, and which of the causes it was. Pure.

The rules of the family NUM share one story, so that a run gets one cause: each rule answers only for its own kind.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from msgspec import structs

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Certainty
from whydied.diagnose.memo import once
from whydied.diagnose.numerics.expected_nan import is_expected
from whydied.diagnose.numerics.gradient_norms import Growth, burst, growth
from whydied.read.recording import ProcessView, Recording
from whydied.read.steps import Taken
from whydied.records import Blame, CallBegan, FedValue, NormsSeen, Numbers, Replay, StateValue, StepCaptured, Suspect
from whydied.source.calls import argument

Kind = Literal["data", "op", "gradient", "weight", "explosion", "precision", "constant", "metric"]

HUGE = 1e12
"""A weight of this size is not what an initializer gives: an update made it so."""
HUGE_NORM = 1e8
LARGE = 10.0
"""Initializers give weights of a few units at most."""
_HALF = ("float16", "bfloat16", "float8")
_ARGUMENTS = ("x", "y")
_LONGEST_NAME = 40
_HARMLESS = frozenset({"metric", "statistic"})


class Step(NamedTuple):
    captured: StepCaptured
    taken: Taken
    process: ProcessView


class Story(NamedTuple):
    """`again` is the replay that gave the bad values again; without one all is known from the capture alone."""

    kind: Kind
    step: Step
    again: Replay | None
    growth: Growth | None
    names: dict[str, str]
    """What the source passed as the arguments of Keras' method: `x` is `readings`."""

    @property
    def blame(self) -> Blame | None:
        return self.again.blame if self.again else None

    @property
    def certainty(self) -> Certainty:
        if self.again is None:
            return "likely"
        unproved = self.blame is None or (self.blame.kind == "rows" and not self.blame.tried)
        guessed = self.again.draws or (self.again.ran_on is not None and not self.again.ran_on.exact)
        return "likely" if unproved or guessed or _was_another_step(self.step) else "certain"


def _was_another_step(step: Step) -> bool:
    """Whether something else than random numbers was taken from another step, because it could not be had."""
    capture = step.taken.capture
    return capture is not None and any(
        value.reason and value.file is not None and "Random" not in value.reason for value in capture.fed
    )


def steps_of(recording: Recording) -> list[Step]:
    """The captured steps of a run, those that matter most first: the program's own process before others, bad
    gradients, losses, updates and weights before what trains nothing, that before bad metrics, then in the order of
    time."""
    own = recording.process_of_program
    found = [
        _reached(Step(captured, recording.taken.get(captured.directory, Taken()), process))
        for process in recording.processes
        for captured in process.all(StepCaptured)
    ]
    return sorted(found, key=lambda step: (step.process is not own, _distance(step.captured)))


def _reached(step: Step) -> Step:
    """A run of a session is noticed late: with the number of the one that the replay found to be bad."""
    ran_on = step.taken.replay.ran_on if step.taken.replay is not None else None
    if ran_on is None or ran_on.step is None:
        return step
    noticed = step.captured.step
    later = noticed - ran_on.step if noticed is not None else 0
    late = f"it was noticed {words.count(later, 'run')} later" if later > 0 else ""
    return step._replace(captured=structs.replace(step.captured, step=ran_on.step, late=late, missing=[]))


def _distance(captured: StepCaptured) -> int:
    """From the training."""
    if only_metrics(captured):
        return 2
    return int(all(suspect.role == "result" for suspect in captured.suspects) and bool(captured.suspects))


def only_metrics(captured: StepCaptured) -> bool:
    return bool(captured.suspects) and all(suspect.role in _HARMLESS for suspect in captured.suspects)


@once
def story(case: Case) -> Story | None:
    steps = steps_of(case.recording)
    # A test for NaN that raises expects none, unless the program went on after all.
    failed = case.exit_code != 0
    steps = [step for step in steps if not is_expected(case.recording, step.captured, step.taken.replay, failed=failed)]
    # A process below one that failed has a case of its own.
    if case.is_child or case.exit_code != 0:
        steps = [step for step in steps if step.process is case.principal]
    if not steps:
        return None
    own = [step for step in steps if step.process is steps[0].process]
    step = next((step for step in own if _again(step) and not only_metrics(step.captured)), own[0])
    rise = growth(norms_of(step))
    return Story(_kind(step, rise), step, _again(step), rise, _passed_names(case, step))


def call_of(step: Step) -> CallBegan | None:
    """The call into Keras that the step belongs to."""
    calls = [call for call in step.process.all(CallBegan) if call.call == step.captured.call]
    return calls[-1] if calls and step.captured.call is not None else None


def _passed_names(case: Case, step: Step) -> dict[str, str]:
    call = call_of(step)
    mine = [frame for frame in call.frames if frame.user] if call is not None else []
    if call is None or not mine:
        return {}
    place = case.locate(mine[-1])
    given = {
        word: argument(case.sources, place, call.kind, word) or argument(case.sources, place, call.kind, str(at))
        for at, word in enumerate(_ARGUMENTS)
    }
    return {word: text for word, text in given.items() if text and len(text) <= _LONGEST_NAME}


def norms_of(step: Step) -> NormsSeen | None:
    """The norms up to the step, else the last ones of the same function, else of any."""
    seen = step.process.all(NormsSeen)
    function = [norms for norms in seen if norms.function == step.captured.function] or seen
    captured = [norms for norms in function if norms.moment == "capture"]
    return captured[0] if captured else function[-1] if function else None


def _again(step: Step) -> Replay | None:
    replay = step.taken.replay
    return replay if replay is not None and replay.status == "reproduced" else None


def _kind(step: Step, rise: Growth | None) -> Kind:
    if only_metrics(step.captured):
        return "metric"
    again = _again(step)
    blame = again.blame if again else None
    if blame is not None and blame.kind in ("data", "constant", "precision"):
        return blame.kind  # type: ignore[return-value]
    if blame is None and bad_feeds(step):
        return "data"
    if _diverged(step, blame, rise):
        return "explosion"
    if (blame is not None and blame.kind == "weight") or (blame is None and bad_weights(step)):
        return "explosion" if burst(norms_of(step), step.captured.step) is not None else "weight"
    if again is not None and again.first is not None:
        return "gradient" if again.first.phase == "backward" or loss_was_finite(step) else "op"
    return _guessed(step)


def _diverged(step: Step, blame: Blame | None, rise: Growth | None) -> bool:
    """Whether the values grew too large from step to step. Rows that were shown to bring it are believed, unless the
    growth is beyond what any data brings, or updates had made the weights huge: in a divergence it is always some row
    that overflows first."""
    grown = bool(step.captured.step) and largest_weight(step) >= HUGE
    if blame is not None and blame.kind == "rows":
        return grown or (rise is not None and rise.high >= HUGE_NORM)
    # Small weights can take an op out of its domain too, and then it is the op that has to change.
    large = LARGE if blame is not None and blame.kind == "weights" else HUGE
    return rise is not None or (bool(step.captured.step) and largest_weight(step) >= large)


def loss_was_finite(step: Step) -> bool:
    """Whether the loss of the step was looked at, and was finite."""
    seen = norms_of(step)
    if any(suspect.role == "loss" for suspect in step.captured.suspects) or seen is None or not seen.losses:
        return False
    return math.isfinite(seen.losses[-1])


def _guessed(step: Step) -> Kind:
    """The kind by the capture alone."""
    suspects = step.captured.suspects
    if any(s.numbers and s.numbers.dtype.startswith(_HALF) and s.numbers.nonfinite for s in suspects):
        return "precision"
    roles = {suspect.role for suspect in suspects}
    return "gradient" if "gradient" in roles and "loss" not in roles else "op"


def bad_feeds(step: Step) -> list[FedValue]:
    """What the step was given and was not finite."""
    fed = step.taken.capture.fed if step.taken.capture else []
    return [value for value in fed if value.numbers is not None and value.numbers.nonfinite]


def bad_weights(step: Step) -> list[StateValue]:
    """Variables that were not finite at the start of the step."""
    begun = [value for value in _state(step) if value.moment in ("start", "earlier")]
    return [value for value in begun if value.numbers is not None and value.numbers.nonfinite]


def largest_weight(step: Step) -> float:
    """Of the finite weights that the step began with."""
    weights = [value for value in _state(step) if value.role == "weight" and value.moment != "later"]
    return max((extent(value.numbers) for value in weights if value.numbers is not None), default=0.0)


def extent(numbers: Numbers) -> float:
    """The largest size of some finite values."""
    return max(abs(numbers.least or 0.0), abs(numbers.greatest or 0.0))


def _state(step: Step) -> list[StateValue]:
    return step.taken.capture.state if step.taken.capture else []


def main_suspect(captured: StepCaptured) -> Suspect | None:
    """What a person would have seen first: the loss, else a gradient, an update, a weight."""
    order = ("loss", "result", "gradient", "update", "weight", "statistic", "metric")
    known = [suspect for suspect in captured.suspects if suspect.role in order]
    return min(known, key=lambda suspect: order.index(suspect.role), default=None)


def stopped_at(case: Case) -> Step | None:
    """The step that the program was stopped at, where that ended it."""
    if case.exit_code in (0, None) or case.uncaught is None:
        return None
    stopped = [step for step in steps_of(case.recording) if step.captured.stopped and step.process is case.principal]
    return stopped[-1] if stopped else None
