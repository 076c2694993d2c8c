"""What an eager training step needs, estimated from the outputs of the model's layers. Pure.

An eager step leaves no graph. A gradient tape keeps what the layers give, and the backward pass has two gradients of
the largest besides. Of layers whose insides are not one op (recurrent ones, attention) this says nothing: with such a
layer there is no estimate.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.memory.call_at_death import RunningCall
from whydied.records import LayersPlanned, WeightMade

MARGIN = 0.8
"""Part of the room that a batch may use to be called fitting. It and the factors below were fitted on six models: the
estimate is rough."""
_ONCE = (
    "Conv", "Dense", "Pool", "ReLU", "LeakyReLU", "PReLU", "ELU", "Activation", "Add", "Subtract", "Multiply",
    "Average", "Maximum", "Minimum", "Concatenate", "Softmax", "Embedding", "Padding", "Cropping", "UpSampling",
    "Dropout", "Rescaling",
)  # fmt: skip
_NOTHING = ("InputLayer", "Flatten", "Reshape", "Permute", "RepeatVector")
_NORMALISES = 2.2
"""Batch normalisation is several ops in an eager step, each of which is kept."""


class Estimate(NamedTuple):
    """`fits` is the largest batch that stays within the room there was, None where not even one row does."""

    needed_bytes: int
    fits: int | None


def estimate_of(case: Case, running: RunningCall) -> Estimate | None:
    """For a model that is called under a gradient tape, where all of its layers are known."""
    if running.kind != "call" or not running.trains or not running.rows or case.uncaught is not None:
        return None
    planned = [one for one in case.records.all(LayersPlanned) if one.model == running.name]
    parts = [_kept(one.type, one.elements * one.item_bytes) for one in planned[-1].layers] if planned else []
    known = [part for part in parts if part is not None]
    if not parts or len(known) < len(parts):
        return None
    row = round(sum(known)) + 2 * round(max(known))
    made = case.records.last(WeightMade)
    # Each weight has a gradient.
    fixed = made.total_bytes if made else 0
    fits = int((MARGIN * running.grown_bytes - fixed) / row) if row else 0
    return Estimate(running.rows * row + fixed, fits if 0 < fits < running.rows else None)


def _kept(kind: str, size_bytes: int) -> float | None:
    """Bytes that the output of a layer takes until the backward pass; None for a layer whose insides are not known."""
    if kind in _NOTHING:
        return 0.0
    if kind == "BatchNormalization":
        return _NORMALISES * size_bytes
    return float(size_bytes) if any(word in kind for word in _ONCE) and "LSTM" not in kind else None
