"""What is kept of a training so that another run of the program can go on with it. See `whydied.records`."""

from __future__ import annotations

from whydied.records.values import Frame, Important, Value


class FitState(Value, frozen=True, kw_only=True):
    """`state.json` beside the weights of one call of `fit`: `epoch` is the next one, from 0, of `epochs`. `shapes` are
    those of the weights and `data` some values of the arrays, behind their sizes, empty where none were passed: a call
    that differs in either begins anew. `rate` is the learning rate that the program had set when the call began. What
    is not finite is None."""

    epoch: int
    epochs: int
    weights: str
    finished: bool = False
    shapes: list[list[int]] = []
    data: list[float | None] = []
    rate: float | None = None
    history: dict[str, list[float | None]] = {}
    history_epochs: list[int] = []


class FitResumed(Important, frozen=True, kw_only=True):
    """A call of `fit` went on where an earlier run had died: at `epoch`, from 0. Where it could not, `reason` says
    why, and it began anew."""

    epoch: int
    epochs: int
    frames: list[Frame] = []
    reason: str = ""
