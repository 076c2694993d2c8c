"""Which ops are what to a replay. Pure tables; used in the process of the replay."""

from __future__ import annotations

CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
BRANCHES = frozenset({"If", "StatelessIf"})
CASES = frozenset({"Case", "StatelessCase"})
LOOPS = frozenset({"While", "StatelessWhile"})

SAME = frozenset(
    {
        "Identity",
        "IdentityN",
        "StopGradient",
        "PreventGradient",
        "EnsureShape",
        "Snapshot",
        "DebugGradientIdentity",
        # These would stop the step at the value that is looked for.
        "CheckNumerics",
        "CheckNumericsV2",
    }
)
"""Ops whose outputs are their inputs."""

CLASSIC_BRANCHES = frozenset({"Switch", "RefSwitch", "Merge", "RefMerge"})
STACKS = frozenset({"StackV2", "StackPushV2", "StackPopV2", "StackCloseV2"})

FLOWS = frozenset(
    {"TensorArrayWriteV3", "TensorArrayScatterV3", "TensorArraySplitV3", "TensorArrayV3", "TensorArrayGradV3"}
)
"""Ops on tensor arrays whose float output has no meaning but what it was computed from."""

PYTHON = frozenset({"PyFunc", "PyFuncStateless", "EagerPyFunc"})

HANDLES = frozenset({"VarHandleOp", "Placeholder", "_Arg"})
REF_VARIABLES = frozenset({"VariableV2", "Variable"})

READS = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "VarIsInitializedOp"})
"""Ops that take a variable and leave it as it is; any other op is taken to write it."""

STATEFUL = frozenset(
    {
        "TensorArrayV3",
        "TensorArrayReadV3",
        "TensorArrayWriteV3",
        "TensorArrayGatherV3",
        "TensorArrayScatterV3",
        "TensorArrayConcatV3",
        "TensorArraySplitV3",
        "TensorArraySizeV3",
        "TensorArrayGradV3",
        "RngReadAndSkip",
        "StatefulStandardNormalV2",
        "StatefulTruncatedNormal",
        "StatefulUniform",
        "StatefulUniformFullInt",
        "StatefulUniformInt",
        "StatefulRandomBinomial",
        "CollectiveReduceV2",
    }
)
"""Ops with a state that may nevertheless be executed: it is within the step, or in a variable of the capture."""

RESOURCE_FORM = {
    "Assign": "AssignVariableOp",
    "AssignAdd": "AssignAddVariableOp",
    "AssignSub": "AssignSubVariableOp",
}


def resource_form(op: str) -> str:
    """The op on resource variables that does the same as one on the variables of TensorFlow 1."""
    if op in RESOURCE_FORM:
        return RESOURCE_FORM[op]
    return f"Resource{op}" if op.startswith(("Apply", "SparseApply", "Scatter")) else ""


PASSING = frozenset(
    {
        "Cast",
        "Reshape",
        "Squeeze",
        "ExpandDims",
        "Transpose",
        "ReadVariableOp",
        "Pack",
        "Unpack",
        "Slice",
        "StridedSlice",
        "Split",
        "SplitV",
        "ConcatV2",
        "Tile",
        "BroadcastTo",
        "ReverseV2",
        "GatherV2",
        "TensorListFromTensor",
        "TensorListSetItem",
        "TensorListGetItem",
        "TensorListStack",
        "TensorListPushBack",
        "TensorListPopBack",
        "Pad",
        "PadV2",
    }
)
"""Ops that only move values."""
