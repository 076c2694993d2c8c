"""Names that two things share, and shapes that an Input declares: what is written for each."""

from __future__ import annotations

import ast

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.calls import callee
from whydied.source.edits.programs.layer_calls import called_later
from whydied.source.edits.programs.layer_names import own_layer_name
from whydied.source.edits.shapes.declared_sizes import declared_sizes
from whydied.source.edits.shapes.rebound_names import own_name
from whydied.source.edits.statement_edits import only_if
from whydied.source.location import Location
from whydied.source.trees import walk

FEED = """
x = tf.placeholder(tf.float32)
for i, x in enumerate(rows(x)):
    print(i, x)
    run({x: x[0]})
print(run({x: rows}))
"""


def test_a_loop_that_takes_the_name_of_a_placeholder() -> None:
    source = source_of(FEED)
    changes = own_name({FILE: source}, Location(file=FILE, line=2, function="<module>"), "x")
    assert after(source, changes[0].edits) == [
        "for i, x_value in enumerate(rows(x)):",
        "print(i, x_value)",
        "run({x: x_value[0]})",
    ]


def test_an_assignment_that_takes_it() -> None:
    source = source_of("x = tf.placeholder(tf.float32)\nx = pictures(x)\nprint(run({x: x}))\n")
    changes = own_name({FILE: source}, Location(file=FILE, line=2, function="<module>"), "x")
    assert after(source, changes[0].edits) == ["x_value = pictures(x)", "print(run({x: x_value}))"]
    twice = source_of("x = tf.placeholder(tf.float32)\nx = pictures(x)\nx = x / 2\nprint(run({x: x}))\n")
    assert own_name({FILE: twice}, Location(file=FILE, line=2, function="<module>"), "x") == []


MODEL = """
base = Net(top=False)(inputs)
base.trainable = False
x = Flatten()(base)
"""


def _later(text: str) -> list[str]:
    source = source_of(text)
    node = next(
        one for one in walk(source.tree, ast.Call) if isinstance(one.func, ast.Call) and callee(one.func) == "Net"
    )
    return [line for _, edits in called_later(source, FILE, node) for line in after(source, edits)]


def test_a_model_that_is_made_and_called_at_once_keeps_its_name() -> None:
    assert _later(MODEL) == ["base = Net(top=False)", "outputs = base(inputs)", "x = Flatten()(outputs)"]
    # Another value has the name, too.
    assert _later(f"{MODEL}base = Flatten()(base)\n") == []


@pytest.mark.parametrize(
    ("shape", "was", "wanted", "line"),
    [
        ("(units,)", [16], [32], "h = Input(shape=(units * 2,))"),
        ("(units - 1, 4)", [16, 4], [8, 4], "h = Input(shape=((units - 1) // 2, 4))"),
        ("(16,)", [16], [32], "h = Input(shape=(32,))"),
        ("(units,)", [16], [17], "h = Input(shape=(17,))"),
    ],
)
def test_the_size_of_an_input_is_declared_anew(shape: str, was: list[int], wanted: list[int], line: str) -> None:
    source = source_of(f"h = Input(shape={shape})\n")
    edits = declared_sizes(source, FILE, 1, was, wanted)
    assert edits is not None
    assert after(source, edits) == [line]


def test_a_shape_that_is_not_written_out_is_not_declared_anew() -> None:
    assert declared_sizes(source_of("h = Input(shape=shape)\n"), FILE, 1, [16], [32]) is None


def test_the_name_that_a_class_gives_each_of_its_layers() -> None:
    text = 'class Unit(Layer):\n    def __init__(self, n, name="unit"):\n        super().__init__(name=name)\n'
    source = source_of(text)
    found = own_layer_name({FILE: source}, "Unit", "unit")
    assert found is not None
    assert after(source, found.edits) == ["def __init__(self, n, name=None):"]
    assert own_layer_name({FILE: source}, "Unit", "other") is None
    fixed = source_of(
        'class Unit(Layer):\n    def __init__(self):\n        super().__init__(name="unit", dtype=None)\n'
    )
    found = own_layer_name({FILE: fixed}, "Unit", "unit")
    assert found is not None
    assert after(fixed, found.edits) == ["super().__init__(dtype=None)"]


def test_the_statements_that_use_an_empty_list() -> None:
    text = "gpus = listed()\nfirst = gpus[0]\nuse(first, 1)\nprint(2)\n"
    source = source_of(text)
    assert after(source, only_if(source, FILE, 2, "gpus")) == ["if gpus:", "first = gpus[0]", "use(first, 1)"]
    # What is made of the list is used further below.
    assert only_if(source_of(f"{text}print(first)\n"), FILE, 2, "gpus") == []
