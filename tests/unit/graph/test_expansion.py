"""Tables become flat steps: functions, loops, lists, batches."""

from __future__ import annotations

import pytest

from tests.unit.graph.drawing import Drawing, table
from whydied.graph import expansion as expansion_module
from whydied.graph.expansion import Bindings, Expansion, expand, named, traced_batch
from whydied.graph.op_table import Function, Table, Variable


def kinds(expansion: Expansion) -> list[str]:
    return [node.op.type for node in expansion.nodes]


def test_the_batch_goes_through() -> None:
    drawing = Drawing()
    x = drawing.argument((None, 4))
    y = drawing.op("Relu", x, shape=(None, 4))
    expansion = expand(table(drawing.function(y)), Bindings(32))
    assert expansion.cells[expansion.results[0]].shape == (32, 4)
    assert expansion.cells[expansion.results[0]].size_bytes == 512


def test_a_trace_with_a_fixed_batch_takes_another() -> None:
    drawing = Drawing()
    x = drawing.argument((8, 4))
    y = drawing.op("Relu", x, shape=(8, 4))
    made = table(drawing.function(y))
    assert traced_batch(made) == 8
    assert expand(made, Bindings()).cells[-1].shape == (8, 4)
    assert expand(made, Bindings(100)).cells[-1].shape == (100, 4)


def test_shapes_that_the_step_really_got() -> None:
    drawing = Drawing()
    x = drawing.argument((None, None), name="tokens")
    y = drawing.op("Relu", x, shape=(None, None))
    made = table(drawing.function(y))
    assert expand(made, named(made, [("tokens:0", (16, 4000))])).cells[-1].shape == (16, 4000)


def test_inputs_with_other_first_sizes_keep_them() -> None:
    drawing = Drawing()
    x, ids = drawing.argument((None, None)), drawing.argument((None,), "int32")
    y = drawing.op("Mystery", x, ids, shape=(None, None))
    made = table(drawing.function(y))
    got = Bindings(inputs=((16, 300), (70,)))
    shapes = [[cell.shape for cell in expand(made, bound).cells[:2]] for bound in (got, got._replace(batch=32))]
    assert shapes == [[(16, 300), (70,)], [(32, 300), (70,)]]


def test_what_nobody_needs_does_not_run() -> None:
    drawing = Drawing()
    x = drawing.argument((8, 4))
    drawing.op("Exp", x, shape=(8, 4))
    effect = drawing.op("AssignVariableOp", x, shapes=())
    y = drawing.op("Relu", x, shape=(8, 4))
    assert sorted(kinds(expand(table(drawing.function(y, keep=(effect,))), Bindings()))) == ["AssignVariableOp", "Relu"]


def test_calls_are_inlined_and_inherit_layer_and_direction() -> None:
    inner = Drawing("inner")
    a = inner.argument((None, 4))
    b = inner.op("Relu", a, shape=(None, 4))
    outer = Drawing()
    x = outer.argument((None, 4))
    call = outer.op(
        "PartitionedCall", x, shape=(None, 4), layer=3, name="gradient_tape/m/call", attributes={"f": "inner"}
    )
    expansion = expand(table(outer.function(call), inner.function(b)), Bindings(2))
    assert kinds(expansion) == ["Relu"]
    assert (expansion.nodes[0].layer, expansion.nodes[0].backward) == (3, True)


def loop(limit: int) -> Table:
    """for i in range(limit): x = exp(x); pushed.append(x)"""
    cond = Drawing("cond")
    i = cond.argument((), "int32")
    cond.argument((None, 4))
    cond.argument((), "variant")
    less = cond.op("Less", i, cond.integers(limit, scalar=True), shape=(), dtype="bool")
    body = Drawing("body")
    j, x, held = body.argument((), "int32"), body.argument((None, 4)), body.argument((), "variant")
    after = body.op("AddV2", j, body.integers(1, scalar=True), shape=(), dtype="int32")
    y = body.op("Exp", x, shape=(None, 4))
    pushed = body.op("TensorListPushBack", held, y, shape=(), dtype="variant")
    outer = Drawing()
    data = outer.argument((None, 4))
    empty = outer.op("EmptyTensorList", outer.integers(4), outer.integers(10, scalar=True), shape=(), dtype="variant")
    start = outer.integers(0, scalar=True)
    whole = outer.op(
        "While",
        start,
        data,
        empty,
        shapes=((), (None, 4), ()),
        dtypes=("int32", "float32", "variant"),
        attributes={"cond": "cond", "body": "body"},
    )
    stack = outer.op("TensorListStack", (whole, 2), outer.integers(4), shape=(None, None, 4))
    functions: tuple[Function, ...] = (cond.function(less), body.function(after, y, pushed))
    return table(outer.function(stack), *functions)


def test_a_loop_runs_as_often_as_its_condition_says() -> None:
    expansion = expand(loop(7), Bindings(16))
    assert kinds(expansion).count("Exp") == 7
    assert expansion.cells[expansion.results[0]].shape == (7, 16, 4)


def test_an_endless_loop_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansion_module, "LARGEST_NODES", 2000)
    expansion = expand(loop(1 << 30), Bindings(1))
    assert 2000 < len(expansion.nodes) < 2100


def test_items_are_rows_of_the_tensor_that_a_list_was_made_of() -> None:
    drawing = Drawing()
    x = drawing.argument((10, 8, 4))
    rows = drawing.op("TensorListFromTensor", x, drawing.integers(8, 4), shape=(), dtype="variant")
    at = drawing.integers(3, scalar=True)
    row = drawing.op("TensorListGetItem", rows, at, drawing.integers(8, 4), shape=None)
    expansion = expand(table(drawing.function(row)), Bindings())
    assert expansion.cells[expansion.results[0]].shape == (8, 4)


def test_a_branch_is_chosen_by_its_predicate_or_the_longest_is_taken() -> None:
    yes, no = Drawing("yes"), Drawing("no")
    a, b = yes.argument((4,)), no.argument((4,))
    p = yes.op("Exp", a, shape=(4,))
    q = no.op("Neg", no.op("Log", b, shape=(4,)), shape=(4,))
    for known, expected in ((True, ["Const", "Exp"]), (False, ["Log", "Neg"])):
        outer = Drawing()
        x = outer.argument((4,))
        answer = outer.integers(1, scalar=True) if known else outer.argument((), "bool")
        branches = {"then_branch": "yes", "else_branch": "no"}
        z = outer.op("If", answer, x, shape=(4,), attributes=branches)
        assert kinds(expand(table(outer.function(z), yes.function(p), no.function(q)), Bindings())) == expected


def test_a_variable_of_unknown_shape_has_that_of_what_is_read() -> None:
    drawing = Drawing()
    handle = drawing.argument((), "resource", variable=0)
    read = drawing.op("ReadVariableOp", handle, shape=(300, 5))
    expansion = expand(table(drawing.function(read), variables=(Variable("w", None, ""),)), Bindings())
    assert expansion.cells[0].size_bytes == 6000


def test_inputs_may_be_younger_than_their_user() -> None:
    """The gradient of a loop gives the loop new inputs."""
    drawing = Drawing()
    x = drawing.argument((4,))
    y = drawing.op("AddV2", x, 2, shape=(4,))
    drawing.op("Exp", x, shape=(4,))
    assert kinds(expand(table(drawing.function(y)), Bindings())) == ["Exp", "AddV2"]
