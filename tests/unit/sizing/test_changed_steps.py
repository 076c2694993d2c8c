"""Steps that are run in another way than they were traced: by Python, with recomputed activations, with less width."""

from __future__ import annotations

from typing import Any

from whydied.graph.op_table import Function, Layer, Op, Table, Variable
from whydied.graph.traced_step import MeasuredRun, Place, TracedStep
from whydied.sizing.answer import NO_STEP, answer
from whydied.sizing.device import CONTEXT_BYTES, RESERVED_BYTES, SMALL_RESERVED_BYTES, assumed_bytes
from whydied.sizing.estimate import estimate_step
from whydied.sizing.measured_step import estimate_measured
from whydied.sizing.prediction import Steps
from whydied.sizing.recomputation import blocks_of, recomputed
from whydied.sizing.shrinking import candidates, narrowed

MB = 1 << 20
WIDE = MB // 4
LAYERS = 9


def chain(layers: int = LAYERS, *, updates: bool = True, origin: str = "final") -> Table:
    """`x = tanh(x * kernel)`, 1 MB a row each, with gradients; the last of them is the result. The weights are updated,
    or not."""
    big: dict[str, Any] = {"shapes": ((None, WIDE),), "dtypes": ("float32",)}
    kernel: dict[str, Any] = {"shapes": ((WIDE,),), "dtypes": ("float32",)}
    given = "_Arg" if origin == "final" else "Placeholder"
    ops = [Op("x", given, shapes=((None, WIDE),), dtypes=("float32",))]
    ops += [Op(f"k{n}", given, shapes=((),), dtypes=("resource",), variable=n) for n in range(layers)]
    outputs = []
    before = 0
    for n in range(layers):
        read = len(ops)
        ops.append(Op(f"net/l{n}/read", "ReadVariableOp", ((1 + n, 0),), **kernel, layer=n))
        ops.append(Op(f"net/l{n}/Mul", "Mul", ((before, 0), (read, 0)), **big, layer=n))
        ops.append(Op(f"net/l{n}/Tanh", "Tanh", ((read + 1, 0),), **big, layer=n))
        before = read + 2
        outputs.append(before)
    gradient = result = before
    for n in reversed(range(layers)):
        at = len(ops)
        ops.append(Op(f"gradient_tape/net/l{n}/TanhGrad", "TanhGrad", ((outputs[n], 0), (gradient, 0)), **big, layer=n))
        gradient = result = at
        if updates:
            result = at + 1
            ops.append(Op(f"gradient_tape/net/l{n}/Sum", "Sum", ((at, 0),), **kernel, layer=n))
            ops.append(Op(f"sgd/k{n}", "AssignSubVariableOp", ((1 + n, 0), (at + 1, 0))))
    variables = tuple(Variable(f"k{n}", (WIDE,), "float32") for n in range(layers))
    names = tuple(Layer(f"l{n}", "Scale", "/p/train.py", 3 + n) for n in range(layers))
    function = Function("step", tuple(ops), tuple(range(layers + 1)), ((result, 0),))
    return Table("step", (function,), (), names, variables, threads=1, origin=origin)


STEP = TracedStep(
    kind="fit",
    place=Place(file="/p/train.py", line=9),
    batch=16,
    inputs=[(None, WIDE)],
    input_dtypes=["float32"],
    rss_bytes=500 * MB,
    most_rss_bytes=500 * MB,
)


def test_recomputed_activations_are_not_kept() -> None:
    # Without updates: gradients of weights that wait for their update would hide it.
    table = chain(updates=False)
    steps = Steps(STEP, table)
    now = steps.predict(16)
    blocks = blocks_of(now.expansion)
    assert sorted(set(blocks.values())) == [0, 1, 2]
    assert recomputed(now.expansion, blocks) is not None
    less = steps.changed(lambda one: recomputed(one, blocks) or one).predict(16)
    # Of nine activations of 16 MB the ends of three blocks are kept, and those of one block while it is gone through.
    assert now.step_bytes - less.step_bytes >= 3 * 16 * MB
    saved = {one.name: one.saves_bytes for one in estimate_step(STEP, table, (), 1 << 40).remedies}
    assert saved["recomputation"] >= 3 * 16 * MB


def test_blocks_follow_the_data_wherever_weights_are_read() -> None:
    expansion = Steps(STEP, chain(updates=False)).expanded(16)
    expected = blocks_of(expansion)
    assert [expected[layer] for layer in range(LAYERS)] == sorted(expected.values())
    numbers = range(len(expansion.nodes))
    reads = [number for number in numbers if expansion.nodes[number].op.type == "ReadVariableOp"]
    assert len(reads) == LAYERS
    order = [*reversed(reads), *(number for number in numbers if number not in reads)]
    for cell in expansion.cells:
        cell.node = order.index(cell.node) if cell.node >= 0 else -1
    assert blocks_of(expansion._replace(nodes=[expansion.nodes[number] for number in order])) == expected


def test_a_step_of_few_layers_has_nothing_to_recompute() -> None:
    assert blocks_of(Steps(STEP, chain(2)).expanded(16)) == {}


def _eagerly(**fields: Any) -> TracedStep:
    return TracedStep(**{**{name: getattr(STEP, name) for name in STEP.__struct_fields__}, "eager": True, **fields})


def test_python_runs_one_op_after_the_other() -> None:
    table = chain()
    order = [node.op.name for node in Steps(_eagerly(), table).expanded(16).nodes if node.op.type != "NoOp"]
    assert order == [node.op.name for node in Steps(STEP, table).expanded(16).nodes]


def test_python_holds_the_inputs_of_an_op() -> None:
    big: dict[str, Any] = {"shapes": ((None, WIDE),), "dtypes": ("float32",)}
    ops = (
        Op("x", "Placeholder", **big),
        Op("Exp", "Exp", ((0, 0),), **big),
        Op("Tanh", "Tanh", ((1, 0),), **big),
    )
    table = Table("step", (Function("step", ops, (0,), ((2, 0),)),), (), (), (), threads=1, origin="function")
    # In a graph `Tanh` takes over the memory of `Exp`.
    assert Steps(_eagerly(), table).predict(16).step_bytes == Steps(STEP, table).predict(16).step_bytes + 16 * MB


def test_a_name_of_the_loop_keeps_the_last_gradients() -> None:
    table = chain(3, origin="function")
    once = Steps(_eagerly(), table).predict(16)
    stays = Steps(_eagerly(results_stay=True), table).predict(16)
    assert stays.peak_tensor_bytes == once.peak_tensor_bytes + MB


def dense() -> Table:
    """Two dense layers: 64 units, then 8."""

    def kind(*shape: int | None) -> dict[str, Any]:
        return {"shapes": (shape,), "dtypes": ("float32",)}

    ops = (
        Op("x", "_Arg", **kind(None, 1024)),
        Op("k", "_Arg", shapes=((),), dtypes=("resource",), variable=0),
        Op("l", "_Arg", shapes=((),), dtypes=("resource",), variable=1),
        Op("net/a/read", "ReadVariableOp", ((1, 0),), **kind(1024, 64), layer=0),
        Op("net/a/MatMul", "MatMul", ((0, 0), (3, 0)), **kind(None, 64), layer=0),
        Op("net/a/Relu", "Relu", ((4, 0),), **kind(None, 64), layer=0),
        Op("net/b/read", "ReadVariableOp", ((2, 0),), **kind(64, 8), layer=1),
        Op("net/b/MatMul", "MatMul", ((5, 0), (6, 0)), **kind(None, 8), layer=1),
        Op("loss", "Mean", ((7, 0),), **kind()),
    )  # fmt: skip
    variables = (Variable("k", (1024, 64), "float32"), Variable("l", (64, 8), "float32"))
    layers = (Layer("a", "Dense", "/p/train.py", 3), Layer("b", "Dense", "/p/train.py", 4))
    return Table(
        "step", (Function("step", ops, (0, 1, 2), ((8, 0),)),), (), layers, variables, threads=1, origin="final"
    )


def test_a_narrower_layer_shrinks_what_follows_from_it() -> None:
    table = dense()
    step = TracedStep(kind="predict", batch=32, inputs=[(None, 1024)], input_dtypes=["float32"])
    expansion = Steps(step, table).expanded(32)
    first, last = candidates(table, expansion)
    assert (first.name, first.what, first.width) == ("a", "units", 64)
    less = narrowed(expansion, first)
    assert less is not None
    sizes = {cell.variable: cell.size_bytes for cell in less.cells if cell.node < 0 and cell.variable >= 0}
    assert sizes == {0: 1024 * 32 * 4, 1: 32 * 8 * 4}
    made = {node.op.name: less.cells[node.outputs[0]].size_bytes for node in less.nodes if node.outputs}
    assert (made["net/a/Relu"], made["net/b/MatMul"]) == (32 * 32 * 4, 32 * 8 * 4)
    # What the loss compares with the labels has the width of the labels.
    assert narrowed(expansion, last) is None


def test_weights_of_8_bits_are_for_inference() -> None:
    table = dense()
    step = TracedStep(kind="predict", batch=32, inputs=[(None, 1024)], input_dtypes=["float32"])
    saved = {one.name: one.saves_bytes for one in estimate_step(step, table, (), 1 << 40).remedies}
    assert saved["int8_weights"] == (1024 * 64 + 64 * 8) * 3
    trained = TracedStep(kind="fit", batch=32, inputs=[(None, 1024)], input_dtypes=["float32"])
    assert "int8_weights" not in [one.name for one in estimate_step(trained, table, (), 1 << 40).remedies]


def test_data_on_disk_are_not_in_memory() -> None:
    table = chain(3)
    step = TracedStep(**{**{name: getattr(STEP, name) for name in STEP.__struct_fields__}, "rows": 1000, "ready": 2})
    saved = {one.name: one.saves_bytes for one in estimate_step(step, table, (), 1 << 40).remedies}
    assert saved["streamed_input"] == (2 * 1000 - 2 * 16) * MB
    assert "streamed_input" not in [one.name for one in estimate_step(STEP, table, (), 1 << 40).remedies]


def test_a_device_has_less_than_its_memory_for_tensors() -> None:
    assert assumed_bytes(24 << 30) == CONTEXT_BYTES + RESERVED_BYTES
    assert assumed_bytes(2 << 30) == CONTEXT_BYTES + SMALL_RESERVED_BYTES
    found = estimate_step(STEP, chain(), (64,), 1 << 40, 8 << 30).device
    assert found is not None
    assert [point.batch_size for point in found.points] == [16, 64]
    for point in found.points:
        assert point.peak_device_bytes == point.peak_tensor_bytes + found.assumed_bytes
    row = (found.points[1].peak_tensor_bytes - found.points[0].peak_tensor_bytes) / 48
    room = found.memory_bytes - found.assumed_bytes - found.points[0].peak_tensor_bytes
    assert 0.75 < found.largest_batch / (16 + room / row) < 1.25
    assert f"the largest batch that fits there is {found.largest_batch:,}" in found.sentence
    tiny = estimate_step(STEP, chain(), (), 1 << 40, 1 << 29).device
    assert tiny is not None
    assert "does not fit" in tiny.sentence
    assert "not even a batch of one row" in tiny.sentence


def test_a_step_that_was_measured_goes_on_as_a_line() -> None:
    runs = [
        MeasuredRun(rows=2, peak_tensor_bytes=20 * MB, peak_rss_bytes=600 * MB),
        MeasuredRun(rows=16, peak_tensor_bytes=48 * MB, peak_rss_bytes=620 * MB),
    ]
    step = TracedStep(kind="eager", batch=64, eager=True, untraced="TypeError: float()", measured=runs)
    call = estimate_measured(step, (16, 64), 1 << 30)
    assert [point.peak_tensor_bytes for point in call.points] == [48 * MB, 144 * MB]
    assert call.points[1].peak_rss_bytes == 716 * MB
    assert call.largest_batch.batch_size in range(205, 220)
    assert "measured with a few rows" in call.how
    assert answer(step, None, (), 1 << 30).calls == (estimate_measured(step, (), 1 << 30),)


def test_without_a_step_the_reason_is_told() -> None:
    assert answer(None, None, (), 1 << 30).reason == NO_STEP
    assert answer(TracedStep(reason="because"), None, (), 1 << 30).reason == "because"
