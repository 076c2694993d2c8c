from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.memory_runs import killed
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.statement_shapes import Made, made_by


def _made(statement: str, before: str = "") -> Made | None:
    line = before.count("\n") + 1
    place = Location(file=FILE, line=line, end_line=line, function="<module>", source=statement)
    return made_by(killed(f"{before}{statement}\n"), place, 1.0)


@pytest.mark.parametrize(
    ("statement", "shape", "dtype"),
    [
        ("x = np.zeros((60, 40))", [60, 40], "float64"),
        ("x = np.ones(10**9)", [10**9], "float64"),
        ("x = np.empty(int(1e9), 'uint8')", [10**9], "uint8"),
        ("x = np.full(10**9, 7)", [10**9], "float64"),
        ("x = np.random.rand(60, 40).astype('float32')", [60, 40], "float32"),
        ("x = np.random.normal(5, 2, 10**9)", [10**9], "float64"),
        ("x = np.random.normal(5, 2, size=(30, 20))", [30, 20], "float64"),
        ("x = np.random.randint(1, 256, 5 * 10**8)", [5 * 10**8], "int64"),
        ("x = rng.integers(0, 10, (30, 20))", [30, 20], "int64"),
        ("x = rng.random((30, 20), dtype='float32')", [30, 20], "float32"),
        ("x = np.random.gamma(2, 1, 900)", [900], "float64"),
        ("x = np.random.gamma(shape=2, size=900)", [900], "float64"),
        ("x = np.eye(500)", [500, 500], "float64"),
        ("x = np.eye(500, 20)", [500, 20], "float64"),
        ("x = np.arange(900)", [900], "int64"),
        ("x = tf.random.normal([24_000, 4], 5, 2)", [24_000, 4], "float32"),
        ("x = tf.fill([30, 20], 7.0)", [30, 20], "float32"),
        ("x = tf.constant(0.0, shape=[30, 20])", [30, 20], "float32"),
        ("x = generator.normal([30, 20])", [30, 20], "float64"),
        ("x = keras.random.uniform((30, 20), 0, 1)", [30, 20], "float32"),
    ],
)
def test_the_shape_that_a_call_is_given(statement: str, shape: list[int], dtype: str) -> None:
    made = _made(statement)
    assert made is not None
    assert (made.shape, made.dtype) == (shape, dtype)


@pytest.mark.parametrize(
    "statement",
    [
        "x = load(5, 2, 10**9)",
        "x = np.random.normal(5, 2)",
        "x = np.random.randint(1, 10**9)",
        "x = random.randint(1, 10**9)",
        "x = np.array([5, 2, 10**9])",
        "x = tf.tile(y, [1000, 1000])",
        "x = np.arange(0, 10**9, 10**8)",
        "for n in range(10**9): pass",
        "x.fill(10**9)",
        "x = keras.Input(shape=(10**5, 10**5))",
        "x = np.broadcast_to(y, (10**5, 10**5))",
        "x = np.zeros(1e9)",
        "x = np.zeros((1e400, 2))",
        "x = np.zeros(((-8) ** 0.5, 2))",
        "x = np.zeros((30, -1))",
        "x = np.zeros((10**30, 10**30))",
        "x = np.random.rand(*shape)",
    ],
)
def test_numbers_that_are_no_shape(statement: str) -> None:
    assert _made(statement) is None


def test_operands_that_were_reshaped() -> None:
    made = _made("c = a @ b", "a = np.arange(600).reshape(300, 2)\nb = np.ones((2, 50))\n")
    assert made is not None
    assert made.shape == [300, 50]
    assert _made("c = a @ b", "a = np.arange(600).reshape(-1, 2)\nb = np.ones((2, 50))\n") is None


def test_an_operand_too_deep_to_write_out() -> None:
    deep = "a = np.ones((30, 2))" + " + y" * 900
    made = _made("c = a @ b", f"{deep}\nb = np.ones((2, 50))\n")
    assert made is None or made.shape == [30, 50]
