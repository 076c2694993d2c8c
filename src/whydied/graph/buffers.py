"""Which ops share, reuse or need memory, as their CPU kernels do. Pure; used by `whydied.graph.simulation`."""

from __future__ import annotations

from whydied.graph.expansion import Cell, Node


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VIEWS = words(
    "Identity IdentityN Reshape Squeeze ExpandDims StopGradient Snapshot PreventGradient EnsureShape CheckNumerics "
    "PlaceholderWithDefault Bitcast Enter Exit NextIteration Switch Merge RefEnter RefExit "
    "Assign AssignAdd AssignSub ApplyGradientDescent ApplyMomentum ApplyAdam ApplyAdagrad ApplyRMSProp ApplyFtrl "
    "ScatterAdd ScatterSub ScatterUpdate DestroyTemporaryVariable"
)
_REUSING = words(
    "Mul Sub AddV2 Add RealDiv Div Pow Sqrt Square Neg Rsqrt RsqrtGrad SqrtGrad Relu Relu6 ReluGrad Relu6Grad "
    "LeakyRelu LeakyReluGrad Sigmoid SigmoidGrad Tanh TanhGrad Exp Expm1 Log Log1p Maximum Minimum SquaredDifference "
    "BiasAdd AddN Softmax LogSoftmax DivNoNan MulNoNan Erf Erfc Elu EluGrad Selu SeluGrad Softplus SoftplusGrad Abs "
    "_UnaryOpsComposition Select SelectV2 "
    "Sign Reciprocal FloorMod FloorDiv LogicalAnd LogicalOr LogicalNot Xdivy Xlogy Sin Cos Floor Round"
)
_ROWS = frozenset({"Split", "SplitV", "Slice", "StridedSlice", "Unpack"})
_COPY_ON_READ = ("ResourceScatter", "ResourceGather", "ResourceSparseApply")
_LOSSES = frozenset({"SparseSoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits"})
_ALIGNMENT = 64


def shared_input(node: Node, number: int, cells: list[Cell]) -> int:
    """The cell whose memory an output shares, or -1."""
    kind = node.op.type
    if kind in _VIEWS and node.inputs:
        return node.inputs[number if kind == "IdentityN" and number < len(node.inputs) else 0]
    if kind in ("TensorListGetItem", "TensorListPopBack") and number == len(node.outputs) - 1:
        # The item, where it is known, stands after the op's own inputs.
        return node.inputs[-1] if len(node.inputs) > len(node.op.inputs) else -1
    if kind in _ROWS and node.inputs:
        return _rows_of(node, number, cells)
    if kind in ("Cast", "Transpose", "BroadcastTo", "Tile", "Sum", "Mean", "Max", "Pack", "ConcatV2") and node.inputs:
        return _unchanged(node, number, cells)
    return -1


def _rows_of(node: Node, number: int, cells: list[Cell]) -> int:
    """Consecutive rows along the first axis are a piece of the same memory, if they are aligned."""
    position = 1 if node.op.type == "Split" else 0
    if position >= len(node.inputs):
        return -1
    source, output = cells[node.inputs[position]], cells[node.outputs[number]]
    whole, part = source.shape, output.shape
    rest = part[1:] if len(part) == len(whole) else part
    if not whole or rest != whole[1:] or (len(part) == len(whole) and whole[0] < part[0]):
        return -1
    if part == whole or output.size_bytes % _ALIGNMENT == 0:
        return node.inputs[position]
    return -1


def _unchanged(node: Node, number: int, cells: list[Cell]) -> int:
    """Ops that do nothing here hand their input on."""
    source, output = cells[node.inputs[0]], cells[node.outputs[number]]
    if source.dtype != output.dtype or source.size_bytes != output.size_bytes or not source.size_bytes:
        return -1
    if node.op.type in ("Pack", "ConcatV2"):
        return node.inputs[0] if len(node.inputs) == (1 if node.op.type == "Pack" else 2) else -1
    if node.op.type == "Transpose":
        order = cells[node.inputs[1]].value if len(node.inputs) > 1 else None
        if order is None or sorted(order) != list(range(len(source.shape))):
            return -1
        moved = [axis for axis in order if source.shape[axis] != 1]
        return node.inputs[0] if moved == sorted(moved) else -1
    return node.inputs[0] if node.op.type == "Cast" or source.shape == output.shape else -1


def may_reuse(node: Node, number: int) -> bool:
    """Whether an output may take the memory of an input that nobody else waits for."""
    return node.op.type in _REUSING or (node.op.type in _LOSSES and number == 1)


def scratch_bytes(node: Node, cells: list[Cell]) -> int:
    """What an op takes for itself as long as it runs."""
    if node.op.type in _LOSSES and node.outputs:
        return cells[node.outputs[0]].size_bytes
    if node.op.type in ("Conv2D", "Conv2DBackpropFilter") and len(node.inputs) > 1 and node.outputs:
        return _grouped_scratch_bytes(node, cells)
    return 0


def _grouped_scratch_bytes(node: Node, cells: list[Cell]) -> int:
    """A convolution in groups has no kernel of its own on the CPU: XLA compiles it. It copies the image, and computes
    the gradient of the filter for all pairs of channels, of which it then takes those within the groups."""
    image, result = cells[node.inputs[0]], cells[node.outputs[0]]
    filters = result if node.op.type == "Conv2DBackpropFilter" else cells[node.inputs[1]]
    if len(image.shape) != 4 or len(filters.shape) != 4 or image.shape[3] <= filters.shape[2]:
        return 0
    if node.op.type == "Conv2D":
        return image.size_bytes
    pairs_bytes = filters.size_bytes // filters.shape[2] * image.shape[3]
    return pairs_bytes + max(pairs_bytes, image.size_bytes)


def copies_on_read(kind: str) -> bool:
    """Ops that change a variable in place, so that each reader of it gets a copy."""
    return kind.startswith(_COPY_ON_READ)
