"""Facts about the models of a program. See `whydied.records`."""

from __future__ import annotations

from whydied.records.values import Important, Value


class LayerSeen(Value, frozen=True, kw_only=True):
    """A layer of a model. `shape` is that of its output, None where it is not known before the model is called;
    `parameters` counts the numbers in its weights, those of the layers in it included, None before it is built."""

    name: str
    type: str
    shape: list[int | None] | None = None
    dtype: str = ""
    parameters: int | None = None
    trainable: bool = True


class ModelSeen(Important, frozen=True, kw_only=True):
    """A model as it was when a call of it began: its outer layers in their order, and what it was compiled with.
    `layers_left_out` counts those beyond the first few hundred."""

    model: str
    type: str
    call: int
    layers: list[LayerSeen] = []
    layers_left_out: int = 0
    optimizer: str = ""
    loss: str = ""
