"""Layers that the function of a Lambda makes, put into the model itself."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, source_of, whole
from whydied.source.edits.programs.lambda_edits import maker

PART = """
def part(x, units=3):
    inner = Sequential([LSTM(units)])
    return inner(x)
model = Sequential([Lambda({}), Dense(2)])
"""


def _without(text: str, line: int) -> str | None:
    source = source_of(text)
    found = maker({FILE: source}, FILE, line)
    return whole(source, found.edits) if found is not None and found.edits else None


@pytest.mark.parametrize(
    ("given", "instead"),
    [("part", "part()"), ("lambda x: part(x, 5)", "part(5)"), ("lambda t: part(t, units=5)", "part(units=5)")],
)
def test_a_function_gives_its_layer_to_a_list(given: str, instead: str) -> None:
    assert _without(PART.format(given), 2) == (
        "def part(units=3):\n"
        "    inner = Sequential([LSTM(units)])\n"
        "    return inner\n"
        f"model = Sequential([{instead}, Dense(2)])"
    )


def test_a_chain_of_layers() -> None:
    source = "def part(x):\n    return Dense(4)(LSTM(3)(x))\nmodel = Sequential()\nmodel.add(Lambda(part, name='a'))\n"
    assert _without(source, 2) == (
        "def part():\n    return Sequential([LSTM(3), Dense(4)])\nmodel = Sequential()\nmodel.add(part())"
    )
    listed = "model = Sequential([Lambda(lambda x: Dense(4)(LSTM(3)(x))), Dense(1)])\n"
    assert _without(listed, 1) == "model = Sequential([LSTM(3), Dense(4), Dense(1)])"
    assert _without("model.add(Lambda(lambda x: Dense(4)(x)))\n", 1) == "model.add(Dense(4))"


def test_on_a_tensor_of_the_model_the_function_is_called_itself() -> None:
    assert _without("y = Lambda(lambda x: Dense(4)(x) + 1, name='a')(inputs[0])\n", 1) == "y = Dense(4)(inputs[0]) + 1"
    source = PART.replace("Sequential([Lambda({}), Dense(2)])", "Lambda(part)(inputs)")
    assert "model = part(inputs)" in (_without(source, 2) or "")


def test_what_is_not_plain_is_left() -> None:
    used = PART.format("part").replace("return inner(x)", "return inner(x) + x")
    assert _without(used, 2) is None
    assert _without(PART.format("part") + "part(3)\n", 2) is None
    # Another line, or several Lambdas of the function.
    assert maker({FILE: source_of(PART.format("part"))}, FILE, 4) is None
    assert maker({FILE: source_of(PART.format("part") + "y = Lambda(part)(x)\n")}, FILE, 2) is None
