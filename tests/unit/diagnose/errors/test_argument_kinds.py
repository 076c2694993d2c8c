"""What documentation says of a parameter, in the words of TensorFlow and Keras, is read as the kinds that it takes."""

from __future__ import annotations

import pytest

from whydied.diagnose.errors.argument_kinds import Taken, converted, fit, taken
from whydied.records import Argument


@pytest.mark.parametrize(
    ("says", "kinds"),
    [
        ("Positive integer, dimensionality of the output space.", {"int"}),
        ("Integer. Number of epochs to train the model.", {"int"}),
        ("Integer or `None`. Number of samples per gradient update.", {"int"}),
        ("int or tuple/list of 2 integer, specifying the size of the window.", {"int", "tuple", "list"}),
        ("A shape tuple (tuple of integers or `None` objects), not including the batch size.", {"tuple"}),
        ("A list of `Tensor` objects or a single `Tensor`.", {"list", "tensor"}),
        ("The `Tensor` to split.", {"tensor"}),
        ("Boolean, whether the layer uses a bias vector.", {"bool"}),
        ('string, either `"valid"` or `"same"` (case-insensitive).', {"str"}),
        ("Input data. It can be: - A NumPy array", {"tensor", "dict"}),
        ("Initializer for the bias vector.", None),
        ("", None),
    ],
)
def test_kinds_are_read_from_the_beginning(says: str, kinds: set[str] | None) -> None:
    found = taken(Argument(parameter="p", says=says))
    assert (set(found.kinds) if found is not None else None) == kinds


@pytest.mark.parametrize(
    ("says", "given", "level"),
    [
        ("Positive integer, dimensionality.", {"type": "int"}, 2),
        ("Positive integer, dimensionality.", {"type": "float"}, 0),
        ("Positive integer, dimensionality.", {"type": "numpy.int64"}, 2),
        ("A shape tuple (tuple of integers).", {"type": "int"}, 0),
        ("A shape tuple (tuple of integers).", {"type": "list"}, 1),
        ("0-D `int32` `Tensor`. Dimension.", {"type": "int"}, 2),
        ("0-D `int32` `Tensor`. Dimension.", {"type": "tensorflow.EagerTensor", "shape": [4, 3]}, 0),
        ("A list of `Tensor` objects.", {"type": "int"}, 0),
        ("Target data. Like the input data `x`.", {"type": "list", "held": ["int"]}, 0),
        ("Target data. Like the input data `x`.", {"type": "list", "held": ["numpy.ndarray"]}, None),
        ("Target data. Like the input data `x`.", {"type": "numpy.ndarray", "shape": [4]}, 2),
        ("Initializer for the bias vector.", {"type": "int"}, None),
        ("Positive integer.", {"type": "own.Thing"}, None),
    ],
)
def test_an_argument_is_of_a_kind_or_not(says: str, given: dict[str, object], level: int | None) -> None:
    argument = Argument(parameter="p", says=says, **given)  # type: ignore[arg-type]
    assert fit(argument, taken(argument)) == level


@pytest.mark.parametrize(
    ("text", "value", "right"), [("'3'", "'3'", "3"), ("args.epochs", "'3'", "int(args.epochs)"), ("'x'", "'x'", "")]
)
def test_a_quoted_number_loses_its_quotes(text: str, value: str, right: str) -> None:
    argument = Argument(parameter="epochs", text=text, type="str", value=value)
    assert converted(text, "str", Taken(frozenset({"int"})), argument) == right
