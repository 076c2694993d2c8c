"""At which learning rate the captured step comes down on its own batch; runs in the process of the replay.

A training that diverged is seen once its weights are huge, and the steps before are gone. What remains is the loss as a
function of the weights. From weights of ordinary size a few steps of gradient descent are taken at one rate after the
other: the largest rate at which the loss falls is what this batch and this model bear. The same with the batch scaled
to around one tells a rate that is too large from data that is.

Invariant: only weights whose gradients the capture names are moved, and nothing is said where none is.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from whydied.records import Descent
from whydied.replay.captured_step import Scene
from whydied.replay.execution.graph_nodes import Source, tensor_source
from whydied.replay.execution.replay_errors import ReplayError
from whydied.replay.trials import Trials

UNSCALED = 20.0
"""From this size on data is far from one. Also in the rules."""
LONGEST_S = 8.0
SLOWEST_S = 0.25
"""Of one execution: there are up to a hundred and twenty."""
STEPS = 6
HIGHEST, LOWEST = 1, -12
"""Powers of ten of the rates that are tried."""
_LARGE = 10.0
"""A weight beyond this was moved there, and its neighbours with it."""
_SIGNED = ("velocity", "accumulator", "/v/", "rms")
"""Parts of the names of what an optimizer keeps that divides by the size of its gradients."""

_ONES = ("gamma", "scale", "variance")
"""Parts of the names of what begins as one."""


class _Way(NamedTuple):
    """The loss, and the gradient of each variable, by its node."""

    loss: Source
    gradients: dict[str, Source]

    @property
    def targets(self) -> tuple[Source, ...]:
        return (self.loss, *self.gradients.values())


def descent(scene: Scene, trials: Trials) -> Descent | None:
    """None where the capture does not show enough, or there is not enough time."""
    way = _way(scene)
    if way is None or trials.is_over:
        return None
    start = _start(scene, way)
    began = time.monotonic()
    # The first execution of an op makes its kernel, so only the second one says how long a step takes.
    if not all(_computed(trials, way.targets, {}, start) for _ in range(2)):
        return None
    until = time.monotonic() + LONGEST_S
    if (time.monotonic() - began) / 3 > SLOWEST_S:
        return None
    scaled = {source: array for source, array in scene.feeds.items() if _is_unscaled(scene, source)}
    signed = any(part in value.name.lower() for value in scene.state.values() for part in _SIGNED)
    plain = _largest(trials, way, start, {}, signed, until)
    feeds = {source: _scaled(array) for source, array in scaled.items()}
    return Descent(
        rate=plain,
        scaled_rate=_largest(trials, way, start, feeds, signed, until) if feeds else None,
        scaled=[scene.fed[source].name for source in scaled],
        signed=signed,
        tried=time.monotonic() < until,
        rows=trials.batch.rows,
    )


def _way(scene: Scene) -> _Way | None:
    suspects = scene.capture.suspects
    named = {one.name: one.tensor for one in suspects if one.role == "gradient" and one.tensor}
    losses = [one.tensor for one in suspects if one.role == "loss" and one.tensor]
    known = {tensor_source(name) for name in named.values()}
    others = [target for target in scene.targets if target not in known]
    loss = tensor_source(losses[0]) if losses else others[0] if others else None
    gradients = {
        node: tensor_source(named[state.name])
        for node, state in scene.state.items()
        if state.name in named and node in scene.variables and scene.variables[node].dtype.kind == "f"
    }
    if not gradients and loss is not None:
        gradients = _by_shape(scene, [target for target in others if target != loss])
    return _Way(loss, gradients) if loss is not None and gradients else None


def _by_shape(scene: Scene, targets: list[Source]) -> dict[str, Source]:
    """The only gradient that is looked for beside the loss, of the only weight that has more than one element."""
    wide = [node for node, array in scene.variables.items() if array.dtype.kind == "f" and array.ndim > 1]
    return {wide[0]: targets[0]} if len(wide) == 1 and len(targets) == 1 else {}


def _is_unscaled(scene: Scene, source: Source) -> bool:
    array = scene.feeds[source]
    return array.dtype.kind == "f" and UNSCALED <= _extent(array) < float("inf")


def _largest(
    trials: Trials, way: _Way, start: dict[str, Any], feeds: dict[Source, Any], signed: bool, until: float
) -> float | None:
    """The largest power of ten at which the loss falls."""
    for power in range(HIGHEST, LOWEST - 1, -1):
        if time.monotonic() > until or trials.is_late:
            return None
        if _falls(trials, way, start, feeds, 10.0**power, signed):
            return 10.0**power
    return None


def _falls(
    trials: Trials, way: _Way, start: dict[str, Any], feeds: dict[Source, Any], rate: float, signed: bool
) -> bool:
    import numpy

    weights, losses = dict(start), []
    for _ in range(STEPS):
        values = _computed(trials, way.targets, feeds, weights)
        if values is None or not all(numpy.isfinite(value).all() for value in values):
            return False
        losses.append(float(numpy.mean(values[0])))
        if losses[-1] > 2 * max(abs(losses[0]), 1e-30):
            return False
        for node, slope in zip(way.gradients, values[1:], strict=True):
            if slope.shape != weights[node].shape:
                return False
            moved = numpy.sign(slope) if signed else slope
            weights[node] = (weights[node] - rate * moved).astype(weights[node].dtype)
    return losses[-1] <= losses[0] and losses[-1] <= losses[1]


def _computed(
    trials: Trials, targets: tuple[Source, ...], feeds: dict[Source, Any], weights: dict[str, Any]
) -> list[Any] | None:
    try:
        return trials.values(targets, feeds, weights)
    except ReplayError:
        return None


def _start(scene: Scene, way: _Way) -> dict[str, Any]:
    """The weights as they are, where all are of ordinary size; else all of them as an initializer draws them."""
    import numpy

    floats = {node: array for node, array in scene.variables.items() if array.dtype.kind == "f"}
    roles = {node: scene.state[node].role for node in floats}
    weights = [node for node in floats if node in way.gradients or roles[node] in ("weight", "statistic")]
    if all(numpy.isfinite(floats[node]).all() and _extent(floats[node]) < _LARGE for node in weights):
        return {node: floats[node] for node in weights}
    return {node: _drawn(floats[node], scene.state[node].name) for node in weights}


def _drawn(array: Any, name: str) -> Any:
    import numpy

    if array.ndim < 2:
        ones = any(word in name.lower() for word in _ONES)
        return numpy.full_like(array, 1.0 if ones else 0.0)
    inputs = array.size // array.shape[-1]
    drawn = numpy.random.default_rng(array.size).normal(0.0, inputs**-0.5, array.shape)
    return drawn.astype(array.dtype)


def _scaled(array: Any) -> Any:
    """Each column with mean 0 and deviation 1 where there are columns of several rows; else divided by the largest."""
    import numpy

    wide = array.astype(numpy.float64)
    if wide.ndim and wide.shape[0] > 1:
        axes = 0 if wide.ndim == 2 else None
        spread = wide.std(axis=axes)
        wide = (wide - wide.mean(axis=axes)) / numpy.where(spread > 0, spread, 1.0)
    else:
        wide = wide / max(_extent(array), 1.0)
    return wide.astype(array.dtype)


def _extent(array: Any) -> float:
    import numpy

    return float(numpy.abs(array.astype(numpy.float64)).max()) if array.size else 0.0
