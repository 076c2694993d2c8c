"""The shapes that ops really give, from the shapes and small values that they really get. Pure.

A traced graph has unknown sizes, or those of the batch it was traced with. Here every shape is concrete.
Where an op has no function here, its recorded shape is used with the unknown sizes taken from inputs of the
same rank, at last the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from whydied.graph import integers
from whydied.graph.integers import Known
from whydied.graph.op_table import Dims, Op, Shape, elements


class Batch(NamedTuple):
    """Rows in a step: as traced (None: not fixed by the trace) and as wanted."""

    traced: int | None
    wanted: int

    @property
    def changed(self) -> bool:
        return self.traced is not None and self.traced != self.wanted


Rule = Callable[[Op, Sequence[Known], Batch], "list[Shape | None]"]


def infer(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape]:
    """The shapes of all outputs of an op."""
    rule = _RULES.get(op.type)
    found: list[Shape | None] = []
    if rule is not None:
        try:
            found = rule(op, given, batch)
        except (IndexError, ValueError, ZeroDivisionError, TypeError, KeyError):
            found = []
    result = []
    for number, static in enumerate(op.shapes):
        shape = found[number] if number < len(found) else None
        if shape is None:
            result.append(_fallback(static, given, batch))
        elif static is not None and len(static) == len(shape) and not batch.changed:
            result.append(tuple(s if d is None else d for d, s in zip(static, shape, strict=True)))
        else:
            result.append(tuple(max(0, dim) for dim in shape))
    return result


def _fallback(static: Dims | None, given: Sequence[Known], batch: Batch) -> Shape:
    if static is None:
        return max((shape for shape, _ in given), key=elements, default=())
    result = []
    for axis, dim in enumerate(static):
        if dim is not None and not (axis == 0 and batch.changed and dim == batch.traced):
            result.append(dim)
            continue
        alike = [shape for shape, _ in given if len(shape) == len(static)]
        leading = [shape for shape, _ in given if shape and axis == 0]
        result.append(next((shape[axis] for shape in (*alike, *leading)), batch.wanted if axis == 0 else 1))
    return tuple(result)


def rebatched(value: Sequence[int], batch: Batch) -> Shape:
    """A shape that the trace wrote down, with the wanted batch in front, or second where time is first."""
    if batch.changed:
        for axis in range(min(2, len(value))):
            if value[axis] == batch.traced:
                return (*value[:axis], batch.wanted, *value[axis + 1 :])
    return tuple(value)


def broadcast(*shapes: Shape) -> Shape:
    rank = max((len(shape) for shape in shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for axis, dim in enumerate(shape, rank - len(shape)):
            # Where two sizes do not fit, one of them was fixed by the trace: the step has the larger.
            result[axis] = dim if result[axis] == 1 else result[axis] if dim == 1 else max(dim, result[axis])
    return tuple(result)


def _matmul(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    left, right = given[0][0], given[1][0]
    flip_left = op.attributes.get("transpose_a") or op.attributes.get("adj_x")
    flip_right = op.attributes.get("transpose_b") or op.attributes.get("adj_y")
    rows = left[-1] if flip_left else left[-2]
    columns = right[-2] if flip_right else right[-1]
    return [(*broadcast(left[:-2], right[:-2]), rows, columns)]


def _einsum(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    inputs, output = str(op.attributes["equation"]).replace(" ", "").split("->")
    sizes: dict[str, int] = {}
    free: Shape = ()
    for labels, (shape, _) in zip(inputs.split(","), given, strict=True):
        before, dots, after = labels.partition("...")
        tail = len(shape) - len(after) if dots else len(before)
        if dots:
            free = broadcast(free, shape[len(before) : tail])
        for label, dim in (*zip(before, shape, strict=False), *zip(after, shape[tail:], strict=False)):
            sizes[label] = max(dim, sizes.get(label, 1))
    before, dots, after = output.partition("...")
    return [(*(sizes[label] for label in before), *free, *(sizes[label] for label in after))]


def _reshape(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    count, target = elements(given[0][0]), given[1][1]
    static = op.shapes[0]
    if target is None:
        if static is None or sum(1 for dim in static if dim is None) > 1:
            return [None]
        target = tuple(-1 if dim is None else dim for dim in static)
    known = elements(tuple(dim for dim in target if dim != -1))
    if -1 in target:
        if known and count % known:
            target = rebatched(target, batch)
            known = elements(tuple(dim for dim in target if dim != -1))
        return [tuple(count // max(1, known) if dim == -1 else dim for dim in target)]
    if known != count and known and target and batch.changed:
        # The trace wrote its own batch into the shape, perhaps times a sequence length: the first size carries it.
        rest = max(1, elements(target[1:]))
        return [(count // rest, *target[1:])]
    return [target]


def _reduce(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, chosen = given[0][0], given[1][1]
    if chosen is None:
        return [None]
    gone = {axis % len(shape) for axis in chosen} if shape else set()
    if op.attributes.get("keep_dims"):
        return [tuple(1 if axis in gone else dim for axis, dim in enumerate(shape))]
    return [tuple(dim for axis, dim in enumerate(shape) if axis not in gone)]


def _broadcast_gradient_args(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    left, right = given[0][1], given[1][1]
    if left is None or right is None:
        return [None, None]
    return [(len(axes),) for axes in integers.broadcast_gradient_args(left, right)]


def _arg_reduce(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, chosen = given[0][0], given[1][1]
    gone = (chosen or (0,))[0] % len(shape)
    return [tuple(dim for axis, dim in enumerate(shape) if axis != gone)]


def _concat(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    axis = (given[-1][1] or (0,))[0] % len(given[0][0])
    first = list(given[0][0])
    first[axis] = sum(shape[axis] for shape, _ in given[:-1])
    return [tuple(first)]


def _pack(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape = given[0][0]
    axis = int(op.attributes.get("axis", 0)) % (len(shape) + 1)
    return [(*shape[:axis], len(given), *shape[axis:])]


def _unpack(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape = given[0][0]
    axis = int(op.attributes.get("axis", 0)) % len(shape)
    return [(*shape[:axis], *shape[axis + 1 :])] * len(op.shapes)


def _split(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    axis, shape = (given[0][1] or (0,))[0] % len(given[1][0]), given[1][0]
    return [(*shape[:axis], shape[axis] // len(op.shapes), *shape[axis + 1 :])] * len(op.shapes)


def _split_sizes(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, sizes, axis = given[0][0], given[1][1] or (), (given[2][1] or (0,))[0] % len(given[0][0])
    rest = shape[axis] - sum(size for size in sizes if size >= 0)
    return [(*shape[:axis], rest if size < 0 else size, *shape[axis + 1 :]) for size in sizes]


def _transpose(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, order = given[0][0], given[1][1]
    return [tuple(shape[axis] for axis in order) if order is not None else None]


def _gather(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, chosen = given[0][0], given[1][0]
    axis = (given[2][1] or (0,))[0] % len(shape) if len(given) > 2 else 0
    return [(*shape[:axis], *chosen[int(op.attributes.get("batch_dims", 0)) :], *shape[axis + 1 :])]


def _gather_nd(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, chosen = given[0][0], given[1][0]
    return [(*chosen[:-1], *shape[chosen[-1] :])]


def _one_hot(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, depth = given[0][0], given[1][1]
    axis = int(op.attributes.get("axis", -1))
    at = len(shape) if axis == -1 else axis
    return [(*shape[:at], depth[0], *shape[at:]) if depth else None]


def _expand_dims(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, axis = given[0][0], (given[1][1] or (0,))[0] % (len(given[0][0]) + 1)
    return [(*shape[:axis], 1, *shape[axis:])]


def _squeeze(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape = given[0][0]
    gone = {axis % len(shape) for axis in op.attributes.get("squeeze_dims", [])}
    return [tuple(dim for axis, dim in enumerate(shape) if (axis not in gone if gone else dim != 1))]


def _tile(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, times = given[0][0], given[1][1]
    if times is None or not shape:
        return [None if times is None else ()]
    if batch.changed and times[0] == batch.traced and shape[0] == 1:
        times = (batch.wanted, *times[1:])
    return [tuple(dim * count for dim, count in zip(shape, times, strict=True))]


def _pad(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, rows = given[0][0], given[1][1]
    if rows is None:
        return [None]
    return [tuple(dim + rows[2 * axis] + rows[2 * axis + 1] for axis, dim in enumerate(shape))]


def _filled(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    """Ops whose first input is the shape that they make."""
    return [rebatched(given[0][1], batch) if given[0][1] is not None else None]


def _broadcast_to(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    target = given[1][1]
    return [broadcast(rebatched(target, batch), given[0][0]) if target is not None else None]


def _slice(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, begin, size = given[0][0], given[1][1], given[2][1]
    if begin is None or size is None:
        return [None]
    size = rebatched(size, batch)
    return [tuple(d - b if s < 0 else min(s, d - b) for d, b, s in zip(shape, begin, size, strict=True))]


def _strided_slice(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape = given[0][0]
    begin, end, step = given[1][1], given[2][1], given[3][1]
    masks = {name: int(op.attributes.get(f"{name}_mask", 0)) for name in ("begin", "end", "ellipsis", "new_axis")}
    shrink = int(op.attributes.get("shrink_axis_mask", 0))
    if step is None:
        return [None]
    count = given[1][0][0]
    taken = sum(1 for i in range(count) if not (masks["new_axis"] >> i & 1 or masks["ellipsis"] >> i & 1))
    result: list[int] = []
    axis = 0
    for i in range(count):
        if masks["ellipsis"] >> i & 1:
            rest = len(shape) - taken
            result += shape[axis : axis + rest]
            axis += rest
        elif masks["new_axis"] >> i & 1:
            result.append(1)
        elif shrink >> i & 1:
            axis += 1
        else:
            first = None if masks["begin"] >> i & 1 else begin[i] if begin else None
            last = None if masks["end"] >> i & 1 else end[i] if end else None
            if i == 0 and batch.changed and last == batch.traced:
                last = batch.wanted
            result.append(len(range(*slice(first, last, step[i]).indices(shape[axis]))))
            axis += 1
    return [(*result, *shape[axis:])]


def _fused_convolution(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    return [convolved(op, given[0][0], given[1][0])]


def _window_grad(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    """The input of a convolution or a mean over windows, from its recorded shape; the batch is that of the gradient,
    which comes last."""
    sizes = given[0][1]
    return [(given[-1][0][0], *sizes[1:]) if sizes is not None else None]


def _bias_grad(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    return [op.shapes[0] if op.shapes[0] and None not in op.shapes[0] else (given[0][0][-1],)]  # type: ignore[list-item]


def _loss(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    logits = given[0][0]
    return [logits[:1], logits]


def _top_k(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    count = (given[1][1] or (1,))[0] if len(given) > 1 else int(op.attributes.get("k", 1))
    return [(*given[0][0][:-1], count)] * 2


def _resize(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    shape, size = given[0][0], given[1][1]
    return [(shape[0], *size, shape[-1]) if size is not None else None]


def _range(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    first, last, step = (value[0] if value else None for _, value in given)
    return [(len(range(first, last, step)),) if None not in (first, last, step) else None]  # type: ignore[arg-type]


def _segment_sum(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    count = given[2][1]
    return [(count[0], *given[0][0][len(given[1][0]) :]) if count is not None else None]


def _words(text: str) -> list[str]:
    return text.split()


_UNARY = _words(
    "Identity Relu Relu6 LeakyRelu Elu Selu Softplus Softsign Sigmoid Tanh Exp Expm1 Log Log1p Sqrt Rsqrt "
    "Square Neg Abs Sign Reciprocal Inv Erf Erfc Sin Cos Floor Ceil Round Rint Softmax LogSoftmax Cast "
    "StopGradient Snapshot ZerosLike OnesLike IsNan IsInf IsFinite LogicalNot BiasAdd BiasAddV1 "
    "PreventGradient CheckNumerics EnsureShape Cumsum Cumprod ReverseV2 PlaceholderWithDefault Roll "
    "InvertPermutation Lgamma Digamma LRN Print Erfinv"
)
_BINARY = _words(
    "Add AddV2 Sub Mul RealDiv Div DivNoNan MulNoNan FloorDiv FloorMod Pow Maximum Minimum "
    "SquaredDifference Less LessEqual Greater GreaterEqual Equal NotEqual LogicalAnd LogicalOr Select "
    "SelectV2 AddN AccumulateNV2 Atan2 Xdivy Xlogy BitwiseAnd BitwiseOr NextAfter TruncateDiv TruncateMod "
    "BroadcastArgs"
)
_GRADIENTS = _words(
    "ReluGrad Relu6Grad LeakyReluGrad EluGrad SeluGrad SoftplusGrad SoftsignGrad SigmoidGrad TanhGrad "
    "SqrtGrad RsqrtGrad ReciprocalGrad InvGrad ReluGradV2"
)
_REDUCE = _words("Sum Mean Max Min Prod All Any EuclideanNorm")
_FILL = _words("Fill Empty RandomUniform RandomStandardNormal TruncatedNormal RandomUniformInt")
_STATELESS = [
    f"StatelessRandom{kind}{version}"
    for kind in ("Uniform", "Normal", "UniformInt", "UniformFullInt", "Bernoulli")
    for version in ("", "V2")
]


def _pool(op: Op, given: Sequence[Known], batch: Batch) -> list[Shape | None]:
    """oneDNN's kernel for training has a second output: which element of each window was the largest, in a byte where
    that is enough."""
    result = pooled(op, given[0][0])
    number_bytes = 1 if elements(tuple(_list(op, "ksize", len(result)))) <= 255 else 4
    return [result] if len(op.shapes) < 2 else [result, (elements(result) * number_bytes,)]


_CONVOLUTIONS = ("Conv2D", "Conv3D", "DepthwiseConv2dNative")
_POOLS = ("MaxPool", "MaxPoolV2", "AvgPool", "MaxPool3D", "AvgPool3D")

_RULES: dict[str, Rule] = {
    **dict.fromkeys([*_UNARY, "MaxPoolGrad", "MaxPoolGradV2", "MaxPool3DGrad"], lambda op, given, batch: [given[0][0]]),
    **dict.fromkeys(_BINARY + _GRADIENTS, lambda op, given, batch: [broadcast(*(shape for shape, _ in given))]),
    **dict.fromkeys(_REDUCE, _reduce),
    **dict.fromkeys(_FILL + _STATELESS, _filled),
    **dict.fromkeys(_CONVOLUTIONS, lambda op, given, batch: [convolved(op, given[0][0], given[1][0])]),
    **dict.fromkeys([f"{kind}BackpropInput" for kind in _CONVOLUTIONS] + ["Conv3DBackpropInputV2"], _window_grad),
    **dict.fromkeys(
        [f"{kind}BackpropFilter" for kind in _CONVOLUTIONS] + ["Conv3DBackpropFilterV2"],
        lambda op, given, batch: [given[1][1]],
    ),
    **dict.fromkeys(_POOLS, _pool),
    **dict.fromkeys(["MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"], _matmul),
    **dict.fromkeys(["ArgMax", "ArgMin"], _arg_reduce),
    **dict.fromkeys(["AvgPoolGrad", "AvgPool3DGrad"], _window_grad),
    **dict.fromkeys(["Pad", "PadV2", "MirrorPad"], _pad),
    **dict.fromkeys(["Gather", "GatherV2"], _gather),
    **dict.fromkeys(["ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic"], _resize),
    **dict.fromkeys(["SparseSoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits"], _loss),
    **dict.fromkeys(
        ["FusedBatchNormV3", "FusedBatchNorm", "FusedBatchNormV2"],
        lambda op, given, batch: [given[0][0], *([given[1][0]] * 4), (0,)],
    ),
    **dict.fromkeys(
        ["FusedBatchNormGradV3", "FusedBatchNormGrad", "FusedBatchNormGradV2"],
        lambda op, given, batch: [given[1][0], given[2][0], given[2][0], (0,), (0,)],
    ),
    **dict.fromkeys(["Shape", "ShapeN"], lambda op, given, batch: [(len(shape),) for shape, _ in given]),
    **dict.fromkeys(["_FusedConv2D", "_FusedDepthwiseConv2dNative"], _fused_convolution),
    **dict.fromkeys(["_FusedMatMul", "_FusedBatchMatMulV2"], _matmul),
    "_FusedBatchNormEx": lambda op, given, batch: [given[0][0], *([given[1][0]] * 4), (0,)],
    "Conv2DBackpropFilterWithBias": lambda op, given, batch: [given[1][1], (given[1][1] or (0,))[-1:]],
    "IdentityN": lambda op, given, batch: [shape for shape, _ in given],
    "ResizeBilinearGrad": lambda op, given, batch: [given[1][0]],
    "Einsum": _einsum,
    "BroadcastGradientArgs": _broadcast_gradient_args,
    "Reshape": _reshape,
    "ConcatV2": _concat,
    "Pack": _pack,
    "Unpack": _unpack,
    "Split": _split,
    "SplitV": _split_sizes,
    "Transpose": _transpose,
    "GatherNd": _gather_nd,
    "OneHot": _one_hot,
    "ExpandDims": _expand_dims,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "BroadcastTo": _broadcast_to,
    "Slice": _slice,
    "StridedSlice": _strided_slice,
    "StridedSliceGrad": _filled,
    "BiasAddGrad": _bias_grad,
    "TopKV2": _top_k,
    "Range": _range,
    "UnsortedSegmentSum": _segment_sum,
}


def convolved(op: Op, image: Shape, filters: Shape) -> Shape:
    """The output of a convolution; the filter is height, width (…), in, out, or multiplier for a depthwise one."""
    rank = len(image) - 2
    spatial, channel = axes(op, len(image))
    strides, dilations = _list(op, "strides", len(image)), _list(op, "dilations", len(image))
    result = list(image)
    for number in range(rank):
        axis = spatial[number]
        size = (filters[number] - 1) * dilations[axis] + 1
        result[axis] = _window(op, image[axis], size, strides[axis], axis)
    result[channel] = image[channel] * filters[-1] if "Depthwise" in op.type else filters[-1]
    return tuple(result)


def pooled(op: Op, image: Shape) -> Shape:
    sizes, strides = _list(op, "ksize", len(image)), _list(op, "strides", len(image))
    return tuple(_window(op, dim, sizes[axis], strides[axis], axis) for axis, dim in enumerate(image))


def axes(op: Op, rank: int) -> tuple[list[int], int]:
    """The spatial axes and the channel axis."""
    if str(op.attributes.get("data_format", "")).startswith("NC"):
        return list(range(2, rank)), 1
    return list(range(1, rank - 1)), rank - 1


def _window(op: Op, dim: int, size: int, stride: int, axis: int) -> int:
    padding = op.attributes.get("padding", "VALID")
    if padding == "SAME":
        return -(-dim // stride)
    extra = 0
    if padding == "EXPLICIT":
        explicit: list[Any] = op.attributes.get("explicit_paddings", [])
        extra = sum(explicit[2 * axis : 2 * axis + 2])
    return max(0, (dim + extra - size) // stride + 1)


def _list(op: Op, name: str, rank: int) -> list[int]:
    found = op.attributes.get(name) or []
    return list(found) if len(found) == rank else [1] * rank
