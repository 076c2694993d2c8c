"""GRF017: tensors of a loop in a graph that a Python list keeps, and never the name of another line."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.graphs import symbolic_as_value
from whydied.records import Operand
from whydied.source.text import Source

PROGRAM = """def call(inputs):
    rules = []
    for row in tf.range(3):
        product = inputs[row] * 2
        rules.append(product)
    return tf.stack(rules)
"""
MESSAGE = (
    "<tf.Tensor 'layer/{node}:0' shape=(81,) dtype=float64> is out of scope and cannot be used here.\n"
    "<tf.Tensor 'layer/{node}:0' shape=(81,) dtype=float64> was defined here:\n"
    f'    File "{FILE}", line 4, in call\n\nThe tensor cannot be accessed'
)
MEMBERS = [Operand(text="members", type="keras.KerasTensor", shape=[None, 4, 3])]


def _case(node: str, source: str = PROGRAM) -> Case:
    error = raised("InaccessibleTensorError", MESSAGE.replace("{node}", node), number=6, operands=MEMBERS)
    case = case_of(exit_code=1, process=[error])
    case.recording.sources = {FILE: Source(source)}
    return case


def test_the_list_and_the_loop_are_told() -> None:
    case = _case("while/mul_2")
    found = symbolic_as_value.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 5
    assert "`product` is made in the loop `for row in tf.range(3)` (line 3" in found.message
    assert "members" not in repr(found.evidence) + found.message
    assert patches_of(case, found) == [
        [
            "-    rules = []",
            "+    rules = tf.TensorArray(tf.float64, size=0, dynamic_size=True)",
            "-        rules.append(product)",
            "-    return tf.stack(rules)",
            "+        rules = rules.write(rules.size(), product)",
            "+    return rules.stack()",
        ]
    ]


def test_a_loop_over_rows_is_told_also_where_a_helper_makes_the_tensor() -> None:
    source = PROGRAM.replace("tf.range(3)", "inputs").replace("inputs[row] * 2", "double(row)")
    message = MESSAGE.replace("was defined here:\n", f'was defined here:\n    File "{FILE}", line 4, in call\n')
    last = "line 9, in double\n\nThe tensor"
    error = raised(
        "InaccessibleTensorError",
        message.replace("{node}", "while/mul").replace("line 4, in call\n\nThe tensor", last),
        number=6,
    )
    case = case_of(exit_code=1, process=[error])
    case.recording.sources = {FILE: Source(f"{source}\ndef double(row):\n    return row * 2\n")}
    found = symbolic_as_value.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    first = patches_of(case, found)[0]
    assert "+    for row in tf.unstack(inputs):" in first


def test_a_tensor_of_a_function_is_no_tensor_of_a_loop_and_has_no_name_of_another_line() -> None:
    found = symbolic_as_value.check(_case("mul_2"))
    assert found is not None
    assert "belongs to the graph of a function" in found.message
    assert "members" not in found.message


def test_a_list_that_the_failing_line_does_not_read_is_not_told() -> None:
    found = symbolic_as_value.check(_case("while/mul_2", PROGRAM.replace("tf.stack(rules)", "tf.stack(others)")))
    assert found is not None
    assert "Python list" not in found.message


def test_a_list_that_is_read_elsewhere_too_has_no_patch() -> None:
    case = _case("while/mul_2", PROGRAM.replace("tf.stack(rules)", "tf.stack(rules), len(rules)"))
    found = symbolic_as_value.check(case)
    assert found is not None
    assert "Python list `rules`" in found.message
    assert not found.changes


@pytest.mark.parametrize(
    ("stacked", "right"),
    [
        ("tf.stack(rules, axis=1)", "tf.transpose(rules.stack())"),
        ("tf.stack(rules, -1)", "tf.transpose(rules.stack())"),
        ("tf.stack(rules, axis=0)", "rules.stack()"),
        ("tf.concat(rules, axis=0)", "rules.concat()"),
    ],
)
def test_the_array_is_read_as_the_list_was(stacked: str, right: str) -> None:
    case = _case("while/mul_2", PROGRAM.replace("tf.stack(rules)", stacked))
    found = symbolic_as_value.check(case)
    assert found is not None
    assert f"`{right}` behind it; or use `tf.map_fn`." in found.advice[0]
    assert f"+    return {right}" in patches_of(case, found)[0]


def test_an_axis_that_is_computed_is_not_guessed() -> None:
    found = symbolic_as_value.check(_case("while/mul_2", PROGRAM.replace("(rules)", "(rules, axis=self.axis)")))
    assert found is not None
    assert "behind it" not in found.advice[0]
    assert not found.changes


def test_what_is_carried_from_turn_to_turn_cannot_be_mapped() -> None:
    carried = PROGRAM.replace("product = inputs[row] * 2", "product = product + inputs[row]")
    found = symbolic_as_value.check(_case("while/mul_2", carried))
    assert found is not None
    assert "map_fn" not in found.advice[0]
