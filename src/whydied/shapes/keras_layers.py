"""What a Keras layer makes of a shape, from its type and settings. Pure.

The layer is taken as if it were built anew, so that a plan can be tried with other sizes than the program had.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence

from whydied.records import LayerFacts
from whydied.shapes.shape import Refusal, Shape, agree, broadcast, count

Answer = Shape | Refusal | None
"""A shape, a refusal, or None where the rule of the layer is not known."""

SAME = frozenset(
    [
        "Activation",
        "ActivityRegularization",
        "AlphaDropout",
        "BatchNormalization",
        "Dropout",
        "ELU",
        "GaussianDropout",
        "GaussianNoise",
        "GroupNormalization",
        "Identity",
        "LayerNormalization",
        "LeakyReLU",
        "Masking",
        "PReLU",
        "ReLU",
        "Rescaling",
        "Softmax",
        "SpatialDropout1D",
        "SpatialDropout2D",
        "SpatialDropout3D",
        "ThresholdedReLU",
        "UnitNormalization",
    ]
)
"""Layers that give the shape that they get."""
_MERGED = frozenset(["Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract"])
_RECURRENT = frozenset(["GRU", "LSTM", "SimpleRNN", "CuDNNLSTM", "CuDNNGRU"])


def output(layer: LayerFacts, inputs: Sequence[Shape]) -> Answer:
    """What comes out of a layer that is given these shapes, the batch first."""
    if not inputs:
        return None
    given = inputs[0]
    if layer.type in SAME:
        return list(given)
    if layer.type in _MERGED:
        return _merged(inputs)
    if layer.type in _RECURRENT:
        return _recurrent(layer, given)
    windowed = _window_rank(layer.type)
    if windowed:
        return _windowed(layer, given, *windowed)
    rule = _RULES.get(layer.type)
    return rule(layer, inputs) if rule is not None else None


def wanted_rank(layer: LayerFacts) -> int | None:
    """The number of axes that a layer takes, the batch included; None where it takes several or is not known."""
    windowed = _window_rank(layer.type)
    return windowed[1] + 2 if windowed else 3 if layer.type in _RECURRENT else None


def is_recurrent(layer: LayerFacts) -> bool:
    """Whether a layer has states, which it may be given beside its input."""
    return layer.type in _RECURRENT or (layer.wrapped is not None and layer.wrapped.type in _RECURRENT)


def number(layer: LayerFacts, name: str) -> int | None:
    text = layer.settings.get(name, "")
    return int(text) if text.lstrip("-").isdigit() else None


def numbers(layer: LayerFacts, name: str, rank: int, otherwise: int | None = None) -> list[int] | None:
    """A setting that is one number for each axis, or one for all."""
    text = layer.settings.get(name)
    if text is None:
        return [otherwise] * rank if otherwise is not None else None
    value = _literal(text) if text[:1] in "(-0123456789" else None
    listed = [value] * rank if isinstance(value, int) else list(value) if isinstance(value, tuple) else []
    return listed if len(listed) == rank else None


def numbers_of(layer: LayerFacts, name: str) -> list[int]:
    """A setting that is several numbers; empty where it is not."""
    value = _literal(layer.settings[name]) if name in layer.settings else None
    return list(value) if isinstance(value, tuple) else []


@functools.lru_cache
def _literal(text: str) -> int | tuple[int, ...] | None:
    """The number or numbers of a setting; plans are tried with many sizes, and their settings stay."""
    value = ast.literal_eval(text)
    return value if isinstance(value, (int, tuple)) else None


def is_channels_first(layer: LayerFacts) -> bool:
    return layer.settings.get("data_format") == "channels_first"


def _rank(given: Shape, wanted: int) -> Refusal | None:
    return None if len(given) == wanted else Refusal(f"expects {wanted} axes, got {len(given)}")


def _dense(layer: LayerFacts, inputs: Sequence[Shape]) -> Answer:
    units, given = number(layer, "units"), inputs[0]
    if len(given) < 2:
        return Refusal(f"expects at least 2 axes, got {len(given)}")
    if given[-1] is None:
        return Refusal("the last axis of the input must be known")
    return [*given[:-1], units] if units is not None else None


def _recurrent(layer: LayerFacts, given: Shape) -> Answer:
    units = number(layer, "units")
    if units is None or layer.settings.get("return_state") == "True":
        return None
    wrong = _rank(given, 3)
    if wrong is not None:
        return wrong
    return [given[0], given[1], units] if layer.settings.get("return_sequences") == "True" else [given[0], units]


def _bidirectional(layer: LayerFacts, inputs: Sequence[Shape]) -> Answer:
    inner = _recurrent(layer.wrapped, inputs[0]) if layer.wrapped is not None else None
    if not isinstance(inner, list) or inner[-1] is None:
        return inner
    both = layer.settings.get("merge_mode", "concat") == "concat"
    return [*inner[:-1], inner[-1] * 2 if both else inner[-1]]


def _each_step(layer: LayerFacts, inputs: Sequence[Shape]) -> Answer:
    given = inputs[0]
    if len(given) < 3:
        return Refusal(f"expects at least 3 axes, got {len(given)}")
    inner = output(layer.wrapped, [[given[0], *given[2:]]]) if layer.wrapped is not None else None
    return [given[0], given[1], *inner[1:]] if isinstance(inner, list) else inner


def _embedding(layer: LayerFacts, inputs: Sequence[Shape]) -> Answer:
    width = number(layer, "output_dim")
    return [*inputs[0], width] if width is not None else None


def _flatten(layer: LayerFacts, inputs: Sequence[Shape]) -> Answer:
    given = inputs[0]
    return [given[0] if given else None, count(given[1:]) if len(given) > 1 else 1]


def _reshape(layer: LayerFacts, inputs: Sequence[Shape]) -> Answer:
    text = layer.settings.get("target_shape")
    if text is None:
        return None
    wanted, values = list(ast.literal_eval(text)), count(inputs[0][1:])
    if values is None:
        return [inputs[0][0], *(None if size == -1 else size for size in wanted)]
    known = count([size for size in wanted if size != -1]) or 0
    if -1 in wanted:
        if not known or values % known:
            return Refusal(f"{values} values cannot be reshaped to {tuple(wanted)}")
        wanted[wanted.index(-1)] = values // known
    elif known != values:
        return Refusal(f"{values} values cannot be reshaped to {tuple(wanted)}")
    return [inputs[0][0], *wanted]


def _repeat(layer: LayerFacts, inputs: Sequence[Shape]) -> Answer:
    times, given = number(layer, "n"), inputs[0]
    wrong = _rank(given, 2)
    return wrong or ([given[0], times, given[1]] if times is not None else None)


def _permute(layer: LayerFacts, inputs: Sequence[Shape]) -> Answer:
    dims, given = numbers(layer, "dims", len(inputs[0]) - 1), inputs[0]
    return [given[0], *(given[dim] for dim in dims)] if dims is not None else None


def _merged(inputs: Sequence[Shape]) -> Answer:
    result: Answer = list(inputs[0])
    for other in inputs[1:]:
        if isinstance(result, list):
            result = broadcast(result, other)
    return result


def _concatenated(layer: LayerFacts, inputs: Sequence[Shape]) -> Answer:
    at, first = number(layer, "axis"), inputs[0]
    if len(inputs) < 2 or at is None:
        return None
    at = at % len(first)
    total: int | None = 0
    for shape in inputs:
        if len(shape) != len(first):
            return Refusal(f"expects inputs with the same number of axes, got {len(first)} and {len(shape)}")
        for axis, (one, other) in enumerate(zip(first, shape, strict=True)):
            if axis != at and not agree(one, other):
                return Refusal(f"axis {axis} is {one} and {other}; only axis {at} may differ")
        size = shape[at]
        total = None if total is None or size is None else total + size
    return [*first[:at], total, *first[at + 1 :]]


def _window_rank(kind: str) -> tuple[str, int] | None:
    """The kind of a layer with windows and its number of spatial axes: ("Conv", 2)."""
    turned = kind.endswith("Transpose")
    kind = kind.removesuffix("Transpose")
    if kind[-1:] != "D" or not kind[-2:-1].isdigit():
        return None
    word = kind[:-2]
    if turned:
        return ("transposed", int(kind[-2])) if word in ("Conv", "Convolution") else None
    known = {
        "Conv": "convolution", "Convolution": "convolution", "SeparableConv": "convolution",
        "SeparableConvolution": "convolution", "DepthwiseConv": "depthwise", "MaxPooling": "pooling",
        "MaxPool": "pooling", "AveragePooling": "pooling", "AvgPool": "pooling", "GlobalMaxPooling": "global",
        "GlobalAveragePooling": "global", "GlobalMaxPool": "global", "GlobalAvgPool": "global",
        "ZeroPadding": "padding", "Cropping": "cropping", "UpSampling": "upsampling",
    }  # fmt: skip
    return (known[word], int(kind[-2])) if word in known else None


def _windowed(layer: LayerFacts, given: Shape, kind: str, spatial: int) -> Answer:
    wrong = _rank(given, spatial + 2)
    if wrong is not None:
        return wrong
    first = is_channels_first(layer)
    channels, inner = (given[1], given[2:]) if first else (given[-1], given[1:-1])
    if kind == "global":
        kept = layer.settings.get("keepdims") == "True"
        return _put(given[0], [1] * spatial, channels, first) if kept else [given[0], channels]
    sizes = _changed(layer, kind, list(inner))
    if not isinstance(sizes, list):
        return sizes
    if kind in ("convolution", "transposed"):
        if channels is None:
            return Refusal("the number of channels of the input must be known")
        channels = number(layer, "filters")
        if channels is None:
            return None
    if kind == "depthwise":
        times = number(layer, "depth_multiplier")
        channels = channels * (times or 1) if channels is not None else None
    return _put(given[0], sizes, channels, first)


def rounds(layer: LayerFacts, given: Shape | None) -> bool:
    """Whether a layer with strides leaves out a part of what it is given."""
    windowed = _window_rank(layer.type)
    if windowed is None or windowed[0] not in ("convolution", "depthwise", "pooling") or given is None:
        return False
    inner = given[2:] if is_channels_first(layer) else given[1:-1]
    window = numbers(layer, "pool_size" if windowed[0] == "pooling" else "kernel_size", len(inner))
    strides = numbers(layer, "strides", len(inner)) or (window if windowed[0] == "pooling" else None)
    if window is None or strides is None:
        return False
    same = layer.settings.get("padding", "valid") != "valid"
    sizes = zip(inner, window, strides, strict=True)
    return any(size is not None and (size if same else size - width) % step for size, width, step in sizes)


def _put(rows: int | None, inner: Shape, channels: int | None, first: bool) -> Shape:
    return [rows, channels, *inner] if first else [rows, *inner, channels]


def _changed(layer: LayerFacts, kind: str, inner: Shape) -> Shape | Refusal | None:
    """The spatial sizes behind a layer."""
    rank = len(inner)
    if kind == "upsampling":
        times = numbers(layer, "size", rank)
        return (
            [size * by if size is not None else None for size, by in zip(inner, times, strict=True)] if times else None
        )
    if kind in ("padding", "cropping"):
        return None
    if kind == "transposed":
        return _transposed(layer, inner)
    window = numbers(layer, "pool_size" if kind == "pooling" else "kernel_size", rank)
    strides = numbers(layer, "strides", rank) or (window if kind == "pooling" else None)
    dilated = numbers(layer, "dilation_rate", rank, 1)
    if window is None or strides is None or dilated is None:
        return None
    padding = layer.settings.get("padding", "valid")
    result: Shape = []
    for size, width, step, gap in zip(inner, window, strides, dilated, strict=True):
        if size is None:
            result.append(None)
            continue
        covered = (width - 1) * gap + 1
        left = -(-size // step) if padding in ("same", "causal") else (size - covered) // step + 1
        if left < 1:
            return Refusal(f"a window of {covered} does not fit into {size}")
        result.append(left)
    return result


def _transposed(layer: LayerFacts, inner: Shape) -> Shape | None:
    """The sizes behind a transposed convolution, which makes its strides of each value."""
    rank = len(inner)
    window, strides = numbers(layer, "kernel_size", rank), numbers(layer, "strides", rank, 1)
    padded = layer.settings.get("output_padding", "None") != "None"
    if window is None or strides is None or padded or numbers(layer, "dilation_rate", rank, 1) != [1] * rank:
        return None
    same = layer.settings.get("padding", "valid") == "same"
    sizes = zip(inner, window, strides, strict=True)
    return [
        None if size is None else size * step + (0 if same else max(width - step, 0)) for size, width, step in sizes
    ]


_RULES: dict[str, Callable[[LayerFacts, Sequence[Shape]], Answer]] = {
    "Bidirectional": _bidirectional,
    "Dense": _dense,
    "TimeDistributed": _each_step,
    "Embedding": _embedding,
    "Flatten": _flatten,
    "Reshape": _reshape,
    "RepeatVector": _repeat,
    "Permute": _permute,
    "Concatenate": _concatenated,
}
