"""Trials with tamer weights and with an ordinary batch, to tell weights that have grown out of bounds from data that is
bad as a whole; runs in the process of the replay.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.inside.numerics.step_file import numbers_of
from whydied.replay import first_bad_value, value_wording
from whydied.replay.captured_step import Scene
from whydied.replay.execution.execution_trace import Event, Trace
from whydied.replay.execution.graph_nodes import Source
from whydied.replay.trials import Trials

EXPLODED = 1e4
"""Weights above this are never meant: initial ones are of the order of 1, and so are those of a trained network."""
_LARGE = 10.0
_WEIGHTS = ("weight", "slot", "statistic", "other")


class Tempered(NamedTuple):
    """Weights with which a trial was finite once they were made tamer, the largest first."""

    nodes: list[str]
    values: list[str]
    tried: bool
    words: str


def exploded(scene: Scene, trace: Trace, root: Event, trials: Trials) -> Tempered | None:
    """Weights so large that rows need not be asked."""
    large = [node for node in _weights_behind(scene, trace, root) if _largest(scene.variables[node]) >= EXPLODED]
    return _tried(scene, trials, large) if large else None


def weights(scene: Scene, trace: Trace, root: Event, trials: Trials) -> Tempered | None:
    """Weights behind an op with which it is finite, once they are scaled down or, where they are small, are ones."""
    return _tried(scene, trials, _weights_behind(scene, trace, root))


def _tried(scene: Scene, trials: Trials, nodes: list[str]) -> Tempered | None:
    order = sorted(nodes, key=lambda node: -_largest(scene.variables[node]))
    for chosen in [[node] for node in order[:3]] + ([order] if len(order) > 1 else []):
        if trials.is_finite(variables={node: _tamed(scene.variables[node]) for node in chosen}):
            shown = [_shown(scene, node) for node in chosen[:5]]
            return Tempered(chosen, shown, True, "the step is finite with less extreme weights, whatever the rows")
    return None


def _shown(scene: Scene, node: str) -> str:
    return f"{scene.state[node].name}: {value_wording.span(numbers_of(scene.variables[node]))}"


def _weights_behind(scene: Scene, trace: Trace, root: Event) -> list[str]:
    found = {
        trace.events[number].node.name
        for number in first_bad_value.ancestors(trace, root.number)
        if trace.events[number].leaf == "variable"
    }
    return sorted(
        node
        for node in found
        if node in scene.variables and scene.variables[node].dtype.kind in "fV" and scene.state[node].role in _WEIGHTS
    )


def _tamed(array: Any) -> Any:
    import numpy

    largest = _largest(array)
    if largest > 1.0:
        return (array.astype(numpy.float64) / largest).astype(array.dtype)
    return numpy.ones_like(array)


def _largest(array: Any) -> float:
    import numpy

    if not array.size:
        return 0.0
    with numpy.errstate(all="ignore"):
        wide = numpy.abs(array.astype(numpy.float64))
        return float(numpy.where(numpy.isfinite(wide), wide, 0.0).max())


def batch(trials: Trials) -> tuple[Source, ...] | None:
    """The values of the batch with which the step is finite once they are ordinary numbers; one alone if it can be."""
    import numpy

    arrays = {
        source: array for source, array in trials.batch.arrays.items() if array.dtype.kind in "fiu" and array.ndim
    }
    for source, array in sorted(arrays.items(), key=lambda pair: pair[1].dtype.kind != "f"):
        fills = (1.0, 0.5) if array.dtype.kind == "f" else (1,)
        if any(trials.is_finite(feeds={source: numpy.full_like(array, fill)}) for fill in fills):
            return (source,)
    if len(arrays) > 1 and trials.is_finite(feeds={source: numpy.ones_like(array) for source, array in arrays.items()}):
        return tuple(arrays)
    return None


def stronger(
    scene: Scene, trials: Trials, neutral: tuple[Source, ...], found: Tempered
) -> tuple[tuple[Source, ...] | None, Tempered | None]:
    """Where both other data and other weights help: the one that is far out of the ordinary, else neither."""
    arrays = [trials.batch.arrays[source] for source in neutral]
    # A word or a class may have any number.
    data = max((_largest(array) for array in arrays if array.dtype.kind == "f"), default=0.0)
    weight = max(_largest(scene.variables[node]) for node in found.nodes)
    if weight >= _LARGE and weight >= data:
        return None, found
    if data >= _LARGE:
        return neutral, None
    return None, None
