"""SHP011: an axis that the tensor does not have, or that the function cannot take."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.shapes.axis_mismatch import check
from whydied.records import Operand
from whydied.source.text import Source


def told(line: str, shape: list[int | None], *more: Operand, name: str = "x") -> Finding | None:
    operands = [Operand(text=name, type="tensorflow.EagerTensor", shape=shape), *more]
    error = raised("InvalidArgumentError", "refused", number=1, operands=operands)
    link = msgspec.structs.replace(error.chain[0], module="tensorflow.python.framework.errors_impl")
    error = msgspec.structs.replace(error, chain=[link])
    case = case_of(exit_code=1, process=[error])
    case.recording.sources[FILE] = Source(f"{line}\n")
    return check(case)


@pytest.mark.parametrize(
    ("line", "shape", "words", "advice"),
    [
        (
            "m = tf.reduce_mean(x, axis=2)",
            [8, 20],
            "`axis=2` of `tf.reduce_mean` is out of range: `x` (8, 20) has 2 axes, so -2 to 1 are valid",
            "Write `axis=-1`, which gives (8,), or `axis=0`, which gives (20,).",
        ),
        (
            "m = x.mean(2)",
            [8, 20],
            "`axis=2` of `x.mean` is out of range: `x` (8, 20) has 2 axes, so -2 to 1 are valid",
            "Write `axis=-1`, which gives (8,), or `axis=0`, which gives (20,).",
        ),
        (
            "y = tf.transpose(x, [0, 3, 1, 2])",
            [32, 30, 3],
            "`[0, 3, 1, 2]` orders 4 axes, and `x` (32, 30, 3) has 3",
            "Write `perm=[2, 0, 1]`, which gives (3, 32, 30).",
        ),
        (
            "y = tf.squeeze(x, 1)",
            [8, 5],
            "axis 1 of `x` (8, 5) has 5 entries, and `squeeze` removes only an axis with one",
            "Leave the `squeeze` out to keep all 5, or take one of them: `x[:, 0]`.",
        ),
        (
            "a, b, c = tf.split(x, 3, axis=1)",
            [8, 10],
            "axis 1 of `x` (8, 10) has 10 entries, which 3 equal parts do not divide",
            "Write `[4, 3, 3]`.",
        ),
    ],
)
def test_what_is_said(line: str, shape: list[int | None], words: str, advice: str) -> None:
    found = told(line, shape)
    assert found is not None
    assert (found.message, found.certainty) == (f"train.py:1: {words}", "certain")
    assert found.advice == [advice]


def test_the_axis_of_a_variable() -> None:
    found = told("y = tf.concat([x, z], AXIS)", [3], Operand(text="AXIS", type="int", value="1"))
    assert found is not None
    assert "`axis=1` of `tf.concat`" in found.message


@pytest.mark.parametrize(
    ("line", "shape"),
    [
        ("m = tf.reduce_mean(x, axis=-2)", [8, 20]),
        ("y = tf.expand_dims(x, 2)", [8, 20]),
        ("y = tf.squeeze(x, 1)", [8, None]),
        ("y = tf.transpose(x, [1, 0])", [8, 20]),
        ("a, b = tf.split(x, 2, axis=1)", [8, 20]),
        ("y = max(x, 7)", [8]),
        ("y = tf.reduce_mean(other, axis=4)", [8]),
    ],
)
def test_what_fits_is_not_at_fault(line: str, shape: list[int | None]) -> None:
    assert told(line, shape) is None
