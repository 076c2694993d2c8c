"""What a traced step takes, from hand-made tables, and what is told of it."""

from __future__ import annotations

import io
import json
from typing import Any

import click
import pytest

from whydied.cli.estimate import command
from whydied.graph.op_table import Function, Layer, Line, Op, Table, Variable
from whydied.graph.traced_step import AllocatorState, Calibration, Place, TracedStep, decode, encode
from whydied.report.estimate_page import as_json, show
from whydied.sizing.estimate import Estimate, estimate_step, largest_that_fits
from whydied.sizing.prediction import FIRST_STEP_BYTES, Steps, overhead_bytes

MB = 1 << 20
WIDE = MB // 4


def dense() -> Table:
    """`relu(x @ kernel)` of 1 MB a row with its gradient, and an update with one slot."""
    big: dict[str, Any] = {"shapes": ((None, WIDE),), "dtypes": ("float32",)}
    kernel: dict[str, Any] = {"shapes": ((8, WIDE),), "dtypes": ("float32",)}
    ops = (
        Op("x", "_Arg", shapes=((None, 8),), dtypes=("float32",)),
        Op("k", "_Arg", shapes=((),), dtypes=("resource",), variable=0),
        Op("m", "_Arg", shapes=((),), dtypes=("resource",), variable=1),
        Op("net/dense/read", "ReadVariableOp", ((1, 0),), **kernel, layer=0),
        Op("net/dense/MatMul", "MatMul", ((0, 0), (3, 0)), **big, layer=0, line=0),
        Op("net/dense/Relu", "Relu", ((4, 0),), **big, layer=0, line=0),
        Op("gradient_tape/net/dense/ReluGrad", "ReluGrad", ((5, 0), (5, 0)), **big, layer=0),
        Op(
            "gradient_tape/net/dense/MatMul", "MatMul", ((0, 0), (6, 0)), **kernel, layer=0,
            attributes={"transpose_a": True},
        ),
        Op("sgd/m", "AssignAddVariableOp", ((2, 0), (7, 0))),
        Op("sgd/k", "AssignSubVariableOp", ((1, 0), (7, 0))),
    )  # fmt: skip
    variables = (Variable("kernel", (8, WIDE), "float32"), Variable("momentum", (8, WIDE), "float32"))
    layers = (Layer("dense", "Dense", "/p/train.py", 3),)
    return Table(
        "step",
        (Function("step", ops, (0, 1, 2), ()),),
        (Line("/p/train.py", 3, "main"),),
        layers,
        variables,
        threads=1,
        origin="final",
    )


STEP = TracedStep(
    kind="fit",
    place=Place(file="/p/train.py", line=9, function="main", source="model.fit(x)"),
    batch=16,
    inputs=[(None, 8)],
    input_dtypes=["float32"],
    rss_bytes=500 * MB,
    most_rss_bytes=500 * MB,
    optimizer="Adam",
)


def test_the_peak_grows_with_the_batch() -> None:
    steps = Steps(STEP, dense())
    small, large = steps.predict(16), steps.predict(64)
    # Relu reuses the product and its gradient reuses nothing: the backward pass needs the one while it makes the other.
    assert small.peak_tensor_bytes >= (8 + 8 + 16) * MB
    assert large.peak_tensor_bytes - small.peak_tensor_bytes >= 48 * MB
    assert small.peak_rss_bytes > 500 * MB


def test_what_was_in_use_before_is_counted() -> None:
    known = AllocatorState(current_bytes=100 * MB, peak_bytes=900 * MB)
    steps = Steps(TracedStep(**{**_fields(STEP), "allocator": known}), dense())
    assert steps.predict(16).peak_tensor_bytes == 900 * MB
    assert steps.predict(2048).peak_tensor_bytes > 2048 * MB


KNOWN = AllocatorState(current_bytes=1, peak_bytes=1)


def _fields(step: Any) -> dict[str, Any]:
    return {name: getattr(step, name) for name in step.__struct_fields__}


def test_a_calibration_replaces_the_usual_overhead() -> None:
    assert overhead_bytes(Steps(STEP, dense())) == FIRST_STEP_BYTES
    seen = Calibration(batch=1, before_bytes=500 * MB, peak_bytes=700 * MB)
    measured = overhead_bytes(Steps(TracedStep(**{**_fields(STEP), "calibration": seen}), dense()))
    assert 100 * MB < measured < 200 * MB


def test_a_step_of_marked_rows_takes_as_much_as_one_with_open_rows() -> None:
    def marked(shape: Any) -> Any:
        return tuple(202 if extent is None else extent for extent in shape)

    found = dense()
    (function,) = found.functions
    ops = tuple(Op(**{**_fields(op), "shapes": tuple(marked(shape) for shape in op.shapes)}) for op in function.ops)
    fixed = Table(**{**_fields(found), "functions": (Function(**{**_fields(function), "ops": ops}),)})
    step = TracedStep(**{**_fields(STEP), "traced_rows": 202})
    for batch in (1, 16, 64):
        expected = Steps(STEP, found).predict(batch).peak_tensor_bytes
        assert Steps(step, fixed).predict(batch).peak_tensor_bytes == expected


def test_what_could_not_be_found_out_is_told() -> None:
    assert estimate_step(TracedStep(**{**_fields(STEP), "allocator": KNOWN}), dense(), (), 1 << 30).notes == ()
    unread = AllocatorState(current_bytes=1, peak_bytes=1, unread="where 1 of 2 variables lie is not known")
    step = TracedStep(
        **{**_fields(STEP), "allocator": unread, "fixed_because": "ValueError: 32 rows", "not_calibrated": "why not"}
    )
    call = estimate_step(step, dense(), (), 1 << 30)
    assert ["ValueError: 32 rows" in call.notes[0], "why not" in call.notes[1]] == [True, True]
    assert call.notes[2] == unread.unread
    assert json.loads(as_json(Estimate((call,), 1)))["calls"][0]["notes"] == list(call.notes)


def test_layers_tensors_and_remedies() -> None:
    call = estimate_step(STEP, dense(), (16, 32), 2048 * MB)
    (row,) = [row for row in call.layers if row.name == "dense"]
    assert (row.weights_bytes, row.gradients_bytes, row.slots_bytes) == (8 * MB, 8 * MB, 8 * MB)
    assert row.activations_bytes == 16 * MB
    assert [point.batch_size for point in call.points] == [16, 32]
    assert any(tensor.layer and tensor.layer.name == "dense" for tensor in call.alive)
    saved = {remedy.name: remedy.saves_bytes for remedy in call.remedies}
    assert saved["half_batch"] > 0
    assert saved["sgd"] == 8 * MB
    assert saved["accumulation"] > 0
    assert saved["mixed_precision"] > 0
    assert 16 < call.largest_batch.batch_size < 2048
    assert "As written (batch 16) this needs" in call.sentence
    assert "the largest batch that fits is" in call.sentence


def test_the_largest_batch_fits_and_a_little_more_does_not() -> None:
    for slope, base in ((3, 100), (1000, 5), (7, 0)):
        found = largest_that_fits(lambda rows, s=slope, b=base: b + s * rows, 100_000, 32)  # type: ignore[misc]
        exact = (100_000 - base) // slope
        assert found <= exact
        assert found >= exact * 0.95 - 1


def test_not_even_one_row_fits() -> None:
    assert largest_that_fits(lambda rows: 1000 + rows, 10, 32) == 0


def test_float64_data_can_be_halved() -> None:
    wide = TracedStep(**{**_fields(STEP), "input_dtypes": ["float64"], "inputs": [(None, WIDE)], "rows": 100})
    names = [remedy.name for remedy in estimate_step(wide, dense(), (), 1 << 40).remedies]
    assert "float32_input" in names
    assert "float32_input" not in [remedy.name for remedy in estimate_step(STEP, dense(), (), 1 << 40).remedies]


def test_the_json_is_schema_1() -> None:
    told = json.loads(as_json(Estimate((estimate_step(STEP, dense(), (8,), 1 << 30),), 1 << 30)))
    assert told["schema"] == 1
    (call,) = told["calls"]
    assert call["kind"] == "fit"
    assert call["location"]["line"] == 9
    assert set(call["points"][0]) == {"batch_size", "peak_tensor_bytes", "peak_rss_bytes"}
    assert call["largest_batch"]["limit_bytes"] == 1 << 30
    assert call["layers"][0]["name"] == "dense"


def test_a_step_survives_its_file() -> None:
    assert decode(encode(STEP)) == STEP


@pytest.mark.parametrize(
    ("words", "program", "batches"),
    [
        (["train.py", "--batch-size", "8,32", "--epochs", "5"], ("script", "train.py", "--epochs", "5"), "8,32"),
        (["--batch-size=8", "train.py"], ("script", "train.py"), "8"),
        (["train.py", "--", "--batch-size", "4"], ("script", "train.py", "--batch-size", "4"), None),
        (["-m", "pack.train", "--json"], ("module", "pack.train"), None),
    ],
)
def test_options_may_stand_behind_the_script(words: list[str], program: tuple[str, ...], batches: str | None) -> None:
    context = click.Context(command)
    command.parse_args(context, words)
    assert (context.params["program"], context.params["batches"]) == (program, batches)


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_an_estimate_fits_its_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = io.StringIO()
    show(Estimate((estimate_step(STEP, dense(), (8, 32), 1024 * MB),), 1024 * MB), shown)
    lines = shown.getvalue().splitlines()
    assert max(map(len, lines)) <= columns
    assert any("dense (Dense)" in line for line in lines)
    assert any(line.strip().startswith("32") and "#" in line for line in lines)
    assert sum("train.py:3" in line for line in lines) >= 2
