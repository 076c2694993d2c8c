"""Symbolic tensors in choices and numbers of Python: what is advised and changed."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework import layer_misuse
from whydied.diagnose.rules.graphs import symbolic_as_value
from whydied.records import Operand
from whydied.source.text import Source

BOOL = "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed."
TENSOR = "tensorflow.python.framework.ops.SymbolicTensor"


def _found(statement: str, kind: str, message: str, *names: str) -> Finding:
    operands = [Operand(text=name, type=TENSOR, shape=[], dtype="float32") for name in names]
    case = case_of(exit_code=1, process=[raised(kind, message, number=4, operands=operands)])
    case.recording.sources[FILE] = Source(f"import tensorflow as tf\n\ndef iou(i, u):\n    {statement}\n")
    found = symbolic_as_value.check(case)
    assert found is not None
    return found


def test_a_conditional_expression_is_written_as_an_operation() -> None:
    found = _found("return i / u if u > 1 else u", "OperatorNotAllowedInGraphError", BOOL, "u", "i")
    assert [one.title for one in found.changes] == [
        "Write `tf.where(u > 1, i / u, u)`",
        "Decorate `iou` with `@tf.function`",
    ]
    assert found.advice[0] == (
        "Write `tf.where(u > 1, i / u, u)` for `i / u if u > 1 else u`: "
        "it computes with the tensor when the graph runs."
    )


def test_a_number_of_python_is_left_out() -> None:
    message = "float() argument must be a string or a real number, not 'SymbolicTensor'"
    found = _found("return float(i)", "TypeError", message, "i")
    assert "is used as a Python float" in found.message
    assert [one.edits[0].text for one in found.changes] == ["i"]


def test_what_is_not_known_gets_words_only() -> None:
    found = _found("return check(i)", "OperatorNotAllowedInGraphError", BOOL, "i")
    assert found.changes == []
    assert "tf.cond" in found.advice[0]


def test_a_number_of_something_else_is_none_of_our_business() -> None:
    message = "float() argument must be a string or a real number, not 'NoneType'"
    case = case_of(exit_code=1, process=[raised("TypeError", message)])
    assert symbolic_as_value.check(case) is None


FUNCTION = "import tensorflow as tf\n\n@tf.function\ndef f(x):\n    n = tf.Variable(0.0)\n    return x + n\n"


def test_a_variable_of_a_function_is_created_once() -> None:
    message = "tf.function only supports singleton tf.Variables created on the first call."
    case = case_of(exit_code=1, process=[raised("ValueError", message, number=5)])
    case.recording.sources[FILE] = Source(FUNCTION)
    found = layer_misuse.check(case)
    assert found is not None
    assert found.advice == [
        "Create `n` once, above the function, and only use it in the function; it keeps its value from one call to "
        "the next."
    ]
    assert [edit.start for edit in found.changes[0].edits] == [(3, 0), (5, 0)]
