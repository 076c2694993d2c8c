"""Whatever a table says, the analysis answers: it runs after a death, and over graphs of versions we have not seen."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.unit.graph.drawing import table
from whydied.graph import buffers, expansion, op_shapes
from whydied.graph.expansion import Bindings
from whydied.graph.op_table import Function, Op, Table, Variable, decode, encode
from whydied.graph.step_memory import analyse

KINDS = sorted(
    {*op_shapes._RULES, *buffers._VIEWS, *buffers._REUSING, *expansion._CALLS, *expansion._LOOPS, *expansion._CHOICES}
    | {"Const", "Placeholder", "ReadVariableOp", "AssignVariableOp", "AssignSubVariableOp", "VarHandleOp", "Mystery"}
    | {f"TensorList{end}" for end in ("Reserve", "PushBack", "PopBack", "SetItem", "GetItem", "Stack", "FromTensor")}
    | {"EmptyTensorList", "IteratorGetNext", "ResourceGather", "NextIteration", "Split", "Unpack"}
)
DIMS = st.one_of(st.none(), st.lists(st.one_of(st.none(), st.integers(0, 5)), max_size=4).map(tuple))
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(["f", "body", "cond", "then_branch", "else_branch"], st.sampled_from(["f0", "f1", "none"])),
        "strides": st.lists(st.integers(0, 3), max_size=4),
        "equation": st.sampled_from(["ab,bc->ac", "...a->a...", "->", "broken"]),
        "axis": st.integers(-3, 3),
        "squeeze_dims": st.lists(st.integers(-3, 3), max_size=2),
        "shrink_axis_mask": st.integers(0, 3),
        "padding": st.sampled_from(["SAME", "VALID", "EXPLICIT"]),
    },
)


@st.composite
def functions(draw: st.DrawFn, name: str) -> Function:
    count = draw(st.integers(1, 8))
    rows = []
    for _ in range(count):
        number = st.tuples(st.integers(-1, count - 1), st.integers(0, 2))
        outputs = draw(st.lists(DIMS, max_size=2))
        dtype = st.sampled_from(["float32", "int32", "bool", "variant", "resource", "unheard"])
        rows.append(
            Op(
                draw(st.sampled_from(["a/b", "gradient_tape/a/b/c", "gradients/x_grad/y", ""])),
                draw(st.sampled_from(KINDS)),
                tuple(draw(st.lists(number, max_size=4))),
                tuple(draw(st.lists(st.integers(0, count - 1), max_size=2))),
                tuple(outputs),
                tuple(draw(dtype) for _ in outputs),
                variable=draw(st.integers(-1, 1)),
                value=draw(st.one_of(st.none(), st.lists(st.integers(-2, 6), max_size=4).map(tuple))),
                attributes=draw(ATTRIBUTES),
            )
        )
    with_outputs = [number for number, row in enumerate(rows) if row.shapes]
    inputs = draw(st.lists(st.sampled_from(with_outputs), unique=True, max_size=3)) if with_outputs else []
    numbers = st.integers(0, count - 1)
    results = draw(st.lists(st.tuples(numbers, st.integers(0, 1)), max_size=3))
    return Function(name, tuple(rows), tuple(inputs), tuple(results), tuple(draw(st.lists(numbers, max_size=8))))


@st.composite
def tables(draw: st.DrawFn) -> Table:
    made = [draw(functions(name)) for name in ("step", "f0", "f1")]
    return table(*made, variables=(Variable("w", (3, None), "float32"), Variable("?", None, "")), threads=2)


@settings(
    max_examples=100,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(tables(), st.one_of(st.none(), st.integers(1, 9)))
def test_nothing_raises(made: Table, batch: int | None) -> None:
    before = (expansion.LARGEST_NODES, expansion.LARGEST_DEPTH)
    expansion.LARGEST_NODES, expansion.LARGEST_DEPTH = 200, 4
    try:
        memory = analyse(decode(encode(made)), Bindings(batch))
    finally:
        expansion.LARGEST_NODES, expansion.LARGEST_DEPTH = before
    assert memory.peak_bytes >= 0
    assert memory.tensor_bytes >= 0
