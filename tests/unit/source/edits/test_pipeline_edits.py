"""Data sets, iterators, generators, and tensors that have no values yet."""

from __future__ import annotations

import ast

import pytest

from tests.unit.source.edits.test_edits import FILE, lines_of, source_of
from whydied.source.edits.programs import pipeline_edits as edits
from whydied.source.edits.programs.tensor_edits import as_tensors, in_lambda
from whydied.source.trees import walk


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it = iter(data.batch(2))", "it = iter(data.batch(2).repeat())"),
        ("it = data.make_one_shot_iterator()", "it = data.repeat().make_one_shot_iterator()"),
        ("it = iter(a if b else c)", "it = iter((a if b else c).repeat())"),
    ],
)
def test_the_data_of_an_iterator_are_repeated(text: str, expected: str) -> None:
    source = source_of(text)
    assert lines_of(source, edits.iterator_repeated(source, FILE, "it")) == [expected]
    assert edits.iterator_repeated(source, FILE, "other") is None
    assert edits.iterator_repeated(source_of(f"{text}\nit = 2\n"), FILE, "it") is None


def test_a_generator_begins_anew() -> None:
    source = source_of("def rows():\n    n = 2\n    for row in table:\n        yield row\n")
    function = walk(source.tree, ast.FunctionDef)[0]
    assert lines_of(source, *edits.begun_anew(source, FILE, function))[2:] == [
        "    while True:",
        "        for row in table:",
        "            yield row",
    ]
    ended = source_of("def rows():\n    for row in table:\n        yield row\n    close()\n")
    assert edits.begun_anew(ended, FILE, walk(ended.tree, ast.FunctionDef)[0]) == []


def test_a_loop_ends_with_an_exception_of_its_statement() -> None:
    source = source_of("while True:\n    run(next_batch)\n    count += 1\n")
    assert lines_of(source, *edits.caught(source, FILE, 2, "OutOfRange")) == [
        "while True:",
        "    try:",
        "        run(next_batch)",
        "    except OutOfRange:",
        "        break",
        "    count += 1",
    ]
    assert edits.caught(source_of("run(next_batch)\n"), FILE, 1, "OutOfRange") == []


def test_a_generator_is_asked_under_a_lock() -> None:
    source = source_of("import os\nrows = table()\ndef work():\n    row = next(rows)\n")
    assert lines_of(source, *edits.under_lock(source, FILE, 4, "rows")) == [
        "import os",
        "import threading",
        "rows = table()",
        "lock = threading.Lock()",
        "def work():",
        "    with lock:",
        "        row = next(rows)",
    ]
    taken = source_of("rows = table()\nlock = 1\ndef work():\n    row = next(rows)\n")
    assert edits.under_lock(taken, FILE, 4, "rows") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = x / peak.numpy()", "y = x / peak"),
        ("y = np.sum(np.exp(x), axis=0)", "y = tf.reduce_sum(tf.exp(x), axis=0)"),
    ],
)
def test_numpy_in_a_graph(text: str, expected: str) -> None:
    source = source_of(f"import tensorflow as tf\n{text}\n")
    assert lines_of(source, *as_tensors(source, FILE, 2))[1] == expected


def test_numpy_without_a_counterpart_stays() -> None:
    for text in ("y = np.unique(x) + z.numpy()", "y = np.sum(x, dtype='f')"):
        assert as_tensors(source_of(f"import tensorflow as tf\n{text}\n"), FILE, 2) == []
    assert as_tensors(source_of("y = x.numpy()\n"), FILE, 1) == []


def test_an_operation_on_a_keras_tensor_becomes_a_layer() -> None:
    source = source_of("import tensorflow as tf\ny = tf.reduce_sum(x + 1, axis=1)\nz = tf.matmul(x, x)\n")
    changed = in_lambda(source, FILE, 2, "x")
    assert lines_of(source, *changed)[1] == "y = tf.keras.layers.Lambda(lambda x: tf.reduce_sum(x, axis=1))(x + 1)"
    assert in_lambda(source, FILE, 3, "x") == []


def test_a_function_of_arrays_runs_outside_of_the_graph() -> None:
    source = source_of("import tensorflow as tf\nvalue = score(x.numpy(), y.numpy(), 3)\n")
    assert lines_of(source, *as_tensors(source, FILE, 2))[1] == (
        "value = tf.py_function(lambda x, y: score(x.numpy(), y.numpy(), 3), [x, y], tf.float32)"
    )
    method = source_of("import tensorflow as tf\ndef update_state(self, x):\n    v = score(x.numpy())\n")
    assert lines_of(method, *as_tensors(method, FILE, 3))[2] == (
        "    v = tf.ensure_shape(tf.py_function(lambda x: score(x.numpy()), [x], tf.float32), [])"
    )
