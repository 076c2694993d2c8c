"""FRM045: the name of a variable is given to a tensor, and an exception shows it."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework.variable_rebound import check
from whydied.records import Operand
from whydied.source.text import Source

LAYER = """class Memory(Layer):
    def build(self, shape):
        self.table = self.add_weight(shape=shape)
        self.seen = self.add_weight()

    def call(self, x):
        y = x @ self.table
        self.table = self.table + x
        self.seen += 1.0
        return y
"""
SCOPE = (
    "<tf.Tensor 'add:0' shape=(8, 6) dtype=float32> is out of scope and cannot be used here.\n"
    "<tf.Tensor 'add:0' shape=(8, 6) dtype=float32> was defined here:\n"
    '    File "{}", line {}, in call\n    File "/lib/ops.py", line 3, in add\n\nThe tensor <tf.Tensor> cannot'
)
DESCENT = """w = tf.Variable(0.0)
for step in range(9):
    with tf.GradientTape() as tape:
        loss = (w - 3) ** 2
    g = tape.gradient(loss, w)
    w = w - 0.1 * g
"""


def _case(source: str, number: int, kind: str, message: str, *operands: Operand) -> Case:
    case = case_of(exit_code=1, process=[raised(kind, message, number=number, operands=list(operands))])
    case.recording.sources[FILE] = Source(source)
    return case


def _line(found: Finding | None) -> tuple[int, str]:
    assert found is not None
    assert found.location is not None
    return found.location.line, found.certainty


def test_a_tensor_of_another_trace_under_the_name_of_a_weight() -> None:
    case = _case(LAYER, 7, "InaccessibleTensorError", SCOPE.format(FILE, 8))
    found = check(case)
    assert _line(found) == (8, "certain")
    assert patches_of(case, found) == [
        [
            "-        self.table = self.table + x",
            "-        self.seen += 1.0",
            "+        self.table.assign_add(x)",
            "+        self.seen.assign_add(1.0)",
        ]
    ]
    # TensorFlow names another line; the failing one reads the attribute.
    assert _line(check(_case(LAYER, 7, "InaccessibleTensorError", SCOPE.format(FILE, 6)))) == (8, "likely")
    kept = LAYER.replace("self.table = self.table + x", "self.last = self.table + x")
    assert check(_case(kept, 10, "InaccessibleTensorError", SCOPE.format(FILE, 8))) is None


def test_a_gradient_by_a_name_that_is_a_tensor_by_then() -> None:
    message = "unsupported operand type(s) for *: 'float' and 'NoneType'"
    case = _case(DESCENT, 6, "TypeError", message)
    assert _line(check(case)) == (6, "likely")
    assert patches_of(case, check(case)) == [["-    w = w - 0.1 * g", "+    w.assign_sub(0.1 * g)"]]
    seen = Operand(text="w", type="tensorflow.python.framework.ops.EagerTensor")
    assert _line(check(_case(DESCENT, 6, "TypeError", message, seen))) == (6, "certain")
    # The gradient is by something else.
    other = DESCENT.replace("gradient(loss, w)", "gradient(loss, model.weights)")
    assert check(_case(other, 6, "TypeError", message)) is None


@pytest.mark.parametrize("attribute", ["assign", "assign_add"])
def test_a_tensor_is_asked_for_what_variables_have(attribute: str) -> None:
    source = LAYER.replace("y = x @ self.table", f"self.table.{attribute}(x)")
    message = f"'tensorflow.python.framework.ops.EagerTensor' object has no attribute '{attribute}'"
    assert _line(check(_case(source, 7, "AttributeError", message))) == (8, "certain")
    assert check(_case(source, 7, "AttributeError", f"'list' object has no attribute '{attribute}'")) is None


def test_an_operator_that_tensorflow_refuses() -> None:
    source = "w = tf.Variable(0.0)\nw += 1.0\n"
    case = _case(source, 2, "RuntimeError", "`variable += value` with `tf.Variable`s is not supported. Use `variable.")
    assert patches_of(case, check(case)) == [["-w += 1.0", "+w.assign_add(1.0)"]]
    assert (
        check(_case("w = f()\n", 1, "RuntimeError", "`variable += value` with `tf.Variable`s is not supported")) is None
    )
