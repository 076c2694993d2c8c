"""One step with this batch needs more memory than there is.

## What it detects
A training step (`fit`, `train_on_batch`, a `tf.function` or an eager loop with a gradient tape), or a batched
`predict` or `evaluate`, that took most of the program's memory, in one of its first steps.

## Why it happens
The activations of every layer are kept until the backward pass has used them, and grow with the batch.

## Evidence
The call or step that was running when the program was last seen, and the batch that it got; the memory before
it and at the end; for a traced step the peak that its recorded graph predicts, the tensors alive at that peak
with their layers and lines, and the largest batch whose predicted peak stays within the room there was; for an
eager step the outputs of the model's layers.

## How it is proved
The step must have taken at least 40 % of what the program held above its libraries (or a request with the
rows of the batch was refused), and must not have worked more than twice before with the same shapes: a step
that worked many times is not too large, something else grew; nor is one during which a container of the program's own
took most of the growth from one census to the next. With a graph its predicted peak must also be at
least 60 % of the room there was. Certain where the prediction comes to at least 85 % of what was taken and
most of it grows with the batch; otherwise likely. The line is the one that chose the batch (`batch_size=` of
the call, `.batch(…)` of its pipeline), else the call.

## Fix
A smaller batch; the largest that fits is named where the step was traced. Accumulated gradients give the same
update as the large batch. Where the graph says that it is enough, also layers of the program's own that are recomputed
in the backward pass, or activations of half the size (mixed precision).

## Known problems
An eager step leaves no graph: what it needs is estimated from the outputs of the model's layers, and only where Keras
knew them beforehand (a functional or sequential model) and each layer is one op. Else only its growth is known.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.diagnose.memory import compiled_steps
from whydied.diagnose.memory.batch_changes import batch_changes
from whydied.diagnose.memory.call_at_death import RunningCall, chosen_by, own_bytes, running_call
from whydied.diagnose.memory.compiled_steps import compiled_step
from whydied.diagnose.memory.growth_with_events import gathers_under_a_name
from whydied.diagnose.memory.lighter_changes import lighter_changes
from whydied.diagnose.memory.long_rows import POWERS, repeated_length
from whydied.diagnose.memory.step_need import Estimate, Need, estimate_of, evidence_of, need_of
from whydied.diagnose.memory.vectorised import vectorised
from whydied.diagnose.rules.memory import allocation_refused
from whydied.source.calls import argument
from whydied.source.training.batch_sizes import batch_size_place
from whydied.source.training.session_calls import fed_value

TAKES = 0.4
WORKED_BEFORE = 2
PREDICTED = 0.6
_PARTS = {2: "a quarter", 3: "an eighth"}
MATCHES = 0.85
"""A prediction this near to what was taken, or above it, explains it: libraries take scratch memory besides."""

ROLE = "memory"
AT_ONCE = True
YIELDS_TO = ("model-too-large", "row-too-large")


def check(case: Case) -> Finding | None:
    running = running_call(case)
    if running is None or running.done > WORKED_BEFORE or not running.rows or vectorised(case) is not None:
        return None
    refused = _refused(case, running)
    if refused is None and (case.uncaught is not None or running.grown_bytes < TAKES * own_bytes(case)):
        return None
    if refused is None and gathers_under_a_name(case, running.began_s):
        return None
    need = need_of(case)
    trains = running.trains or (need is not None and need.trains)
    if not trains and running.kind in ("call", "session", "function"):
        return None
    if refused is None and need is not None and need.peak_bytes < PREDICTED * running.grown_bytes:
        return None
    place, name = _chosen(case, running)
    exceeds = need is not None and need.peak_bytes > MATCHES * running.grown_bytes
    scaled = need is not None and 2 * need.memory.batch_scaled_bytes > need.memory.tensor_bytes
    compiled = compiled_step(case)
    estimate = compiled_steps.estimate(case, compiled, running) if compiled else None
    estimate = estimate_of(case, running) if need is None and estimate is None else estimate
    needed = max(running.grown_bytes, estimate.needed_bytes if estimate else 0)
    needed = need.of(running) if need and compiled is None else needed
    fits = (need.fits if need else None) or (estimate.fits if estimate else None)
    plain = compiled_steps.without_xla(case, need.peak_bytes if need else needed / 2) if compiled else []
    lighter = lighter_changes(case, need, running.place, running.grown_bytes)
    changes = plain + batch_changes(case, running, place, fits, trains) + lighter
    return Finding(
        message=f"{prefix(place)}{_what(running)} with a batch of {running.rows:,} needs "
        f"{_amount(need, estimate, running, refused)}{_fits(need, estimate)}",
        certainty="certain" if (exceeds or refused) and scaled else "likely",
        location=place,
        culprit=Culprit(
            kind="batch",
            name=name,
            shape=list(running.shapes[0]) if running.shapes else None,
            bytes=needed,
            value=str(running.rows),
        ),
        evidence=evidence_of(case, running, need),
        advice=[*_advice(need, estimate, trains), *([compiled.advice] if compiled else [])],
        changes=changes,
    )


def _refused(case: Case, running: RunningCall) -> int | None:
    """Bytes of a request that was refused, where it has the rows of the batch or is that of a whole compiled step."""
    found = allocation_refused.check(case) if case.uncaught is not None else None
    asked = found.culprit if found else None
    if asked is not None and compiled_step(case) is not None:
        return asked.bytes
    if asked is None or not asked.shape or running.rows not in asked.shape[:1]:
        return None
    return asked.bytes


def _what(running: RunningCall) -> str:
    if running.kind == "call":
        return f"a training step of {running.name}"
    if running.kind == "session":
        return "a session step"
    return f"`{running.name}`" if running.kind == "function" else f"a step of `{running.kind}`"


def _amount(need: Need | None, estimate: Estimate | None, running: RunningCall, refused: int | None) -> str:
    free = f"a request for {words.size(refused)} failed" if refused else f"{words.size(running.grown_bytes)} was free"
    if refused and estimate is not None and estimate.needed_bytes == refused:
        return f"{words.size(refused)} at once, which XLA asked for"
    if estimate is not None and estimate.needed_bytes > running.grown_bytes:
        return f"about {words.size(estimate.needed_bytes)} (estimate); {free}"
    if need is not None and need.peak_bytes > running.grown_bytes:
        return f"{words.size(need.peak_bytes)}; {free}"
    if refused:
        return f"at least {words.size(max(running.grown_bytes, refused))}; {free}"
    return f"more than the {words.size(running.grown_bytes)} that was free"


def _fits(need: Need | None, estimate: Estimate | None) -> str:
    if estimate is not None and estimate.fits:
        return f"; a batch of about {estimate.fits:,} should fit (estimate)"
    return f"; a batch of {need.fits:,} should fit (predicted)" if need and need.fits else ""


def _chosen(case: Case, running: RunningCall) -> tuple[Location, str]:
    choice = batch_size_place(case.sources, running.place, running.rows, running.kind)
    told = chosen_by(case, running.rows, running.began_s)
    if told is not None and (choice is None or choice.location != running.place):
        # A pipeline that was seen to make batches of that size tells more than a number in the source.
        place = case.locate(told.frames[-1])
        given = (
            argument(case.sources, place, told.method, "0")
            or argument(case.sources, place, told.method, "batch_size")
            or "batch"
        )
        return place, told.method if given.isdigit() else given
    if choice is not None:
        return choice.location, choice.name
    if running.kind == "session":
        return running.place, fed_value(case.sources, running.place) or "batch"
    if running.batched_by_default:
        return running.place, "batch_size"
    word = running.arguments[0] if running.arguments else "0"
    return running.place, argument(case.sources, running.place, running.name, word) or "batch"


def _advice(need: Need | None, estimate: Estimate | None, trains: bool) -> list[str]:
    smaller = "a smaller batch"
    if need is not None and need.fits:
        smaller = f"a batch of {_at_most(need.fits)} (predicted, not yet tried)"
    elif estimate is not None and estimate.fits:
        smaller = f"a batch of about {_at_most(estimate.fits)} (estimated, not yet tried)"
    advice = [f"Try {smaller}."]
    if trains:
        advice.append("Accumulating gradients over several small batches gives the same update as the large one.")
    layer, size = need.memory.by_layer[0] if need is not None and need.memory.by_layer else ("", 0)
    if layer:
        advice.append(f"Most of it belongs to layer {layer}: {words.size(size)} at the peak.")
    return [*advice, *_squared(need)]


def _at_most(rows: int) -> str:
    return f"{rows:,} or less" if rows > 1 else "1"


def _squared(need: Need | None) -> list[str]:
    """What the largest tensor tells of a length that it has more than once: attention over a text, the sides of a
    picture."""
    found = repeated_length(need)
    if found is None:
        return []
    largest, long, times = found
    power, part = POWERS[times], _PARTS[times]
    return [
        f"The largest tensor, {list(largest.shape)}, grows with the {power} of {long:,}: half that length takes "
        f"{part} of the memory."
    ]
