"""Values where they are used or made, in the names of the file."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, whole
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.edits.shapes.value_edits import (
    every_use_edits,
    filled_edits,
    made_edits,
    operand_edits,
    parameter_edits,
    use_edits,
)
from whydied.source.text import Source


@pytest.mark.parametrize(
    ("text", "code", "wanted"),
    [
        ("m.fit(x, y)", "{x}[None]", "m.fit(x[None], y)"),
        ("x = m.fit([a, x], {'k': y})", "{x}.T", "x = m.fit([a, x.T], {'k': y})"),
        ("m.fit(x, y=f(x))", "{x}.T", "m.fit(x.T, y=f(x))"),
        ("m.fit(x, x)", "{x}.T", None),
        ("m.fit(z)", "{x}.T", None),
    ],
)
def test_a_value_is_changed_where_it_is_passed(text: str, code: str, wanted: str | None) -> None:
    source = Source(text)
    assert whole(source, use_edits(source, FILE, 1, "x", code, ["fit"])) == wanted


def test_what_is_not_a_name_is_bracketed_before_a_method_and_an_operator() -> None:
    source = Source("m.fit(x / 255, y)")
    assert whole(source, use_edits(source, FILE, 1, "x / 255", "{x}[None]", ["fit"])) == "m.fit((x / 255)[None], y)"
    assert whole(source, use_edits(source, FILE, 1, "x / 255", "abs({x})", ["fit"])) == "m.fit(abs(x / 255), y)"


@pytest.mark.parametrize(
    ("imports", "code", "wanted"),
    [
        ("import numpy as np", "np.array({x})", "import numpy as np\nf(np.array(x))"),
        ("import numpy", "np.array({x})", "import numpy\nf(numpy.array(x))"),
        ("import os", "np.array({x})", "import numpy as np\nimport os\nf(np.array(x))"),
        ("import tensorflow.compat.v1 as tf", "tf.g({x})", "import tensorflow.compat.v1 as tf\nf(tf.g(x))"),
        ("import keras", "keras.utils.g({x})", "import keras\nf(keras.utils.g(x))"),
        ("import tensorflow as tf", "keras.utils.g({x})", "import tensorflow as tf\nf(tf.keras.utils.g(x))"),
        ("from tensorflow import keras", "keras.utils.g({x})", "from tensorflow import keras\nf(keras.utils.g(x))"),
        ("from keras.utils import g", "keras.utils.g({x})", "from keras.utils import g\nf(g(x))"),
        (
            "from tensorflow.keras.layers import Dense",
            "keras.utils.g({x})",
            "from tensorflow.keras.utils import g\nfrom tensorflow.keras.layers import Dense\nf(g(x))",
        ),
    ],
)
def test_libraries_are_called_as_the_file_calls_them(imports: str, code: str, wanted: str) -> None:
    source = Source(f"{imports}\nf(x)")
    assert whole(source, use_edits(source, FILE, 2, "x", code, ["f"])) == wanted


def test_the_users_own_words_are_kept() -> None:
    source = Source("import numpy\nf(np.x)")
    assert (
        whole(source, use_edits(source, FILE, 2, "np.x", "np.array({x})", ["f"]))
        == "import numpy\nf(numpy.array(np.x))"
    )
    assert library_name(Source("from __future__ import annotations\nx = 1"), FILE, "numpy.eye").needed[0].start == (
        2,
        0,
    )


def test_an_operand_is_known_by_the_words_of_both() -> None:
    source = Source("z = a * a + a * b")
    assert whole(source, operand_edits(source, FILE, 1, ["a", "b"], 0, "g({x})")) == "z = a * a + g(a) * b"
    assert operand_edits(source, FILE, 1, ["", "c"], 0, "g({x})") is None
    stacked = Source("z = tf.concat([a, b], axis=0)")
    assert whole(stacked, operand_edits(stacked, FILE, 1, ["a", "b"], 1, "{x}.T")) == "z = tf.concat([a, b.T], axis=0)"


def test_every_use_in_a_statement() -> None:
    source = Source("n = n / 2 + n")
    assert whole(source, every_use_edits(source, FILE, 1, "n", "float({x})")) == "n = float(n) / 2 + float(n)"
    assert every_use_edits(Source("y = x[n] + n"), FILE, 1, "n", "float({x})") is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("y = load()\nf()", "y = load() - 1\nf()"),
        ("y = a + b\nf()", "y = (a + b) - 1\nf()"),
        ("x, y = load()\nf()", "x, y = load()\ny = y - 1\nf()"),
        ("y = 1\ny = y + 2\nf()", None),
        ("for y in rows:\n    f()", None),
        ("f()", None),
    ],
)
def test_a_value_is_changed_where_it_is_made(text: str, wanted: str | None) -> None:
    source = Source(text)
    assert whole(source, made_edits(source, FILE, len(source.lines), "y", "{x} - 1")) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "def g(y):\n    'Doc.'\n    a = y * 2\n    return y",
            "def g(y):\n    'Doc.'\n    y = f(y)\n    a = y * 2\n    return y",
        ),
        ("def g(y):\n    pass\n    return y", None),
        ("def g(y):\n    a = y * 2\n    y = 1\n    return y", None),
        ("def g(x):\n    a = y * 2\n    return y", None),
    ],
)
def test_a_parameter_that_several_statements_read_is_changed_at_once(text: str, wanted: str | None) -> None:
    source = Source(text)
    assert whole(source, parameter_edits(source, FILE, 3, "y", "f({x})")) == wanted


def test_a_variable_is_changed_once_all_of_it_is_written() -> None:
    made = "import numpy as np\nids = np.zeros(9)\nids[3] = 44\nprint(9)\n"
    used = "for one in np.split(ids, 3):\n    use(one)"
    source = Source(made + used)
    edits = filled_edits(source, FILE, 6, "ids", "np.clip({x}, 0, 29)")
    assert whole(source, edits) == f"{made}ids = np.clip(ids, 0, 29)\n{used}"


def test_an_argument_is_changed_where_its_function_begins() -> None:
    source = Source("def pooled(rows, near):\n    'text'\n    return rows[near]")
    edits = filled_edits(source, FILE, 3, "near", "near % 4")
    assert whole(source, edits) == "def pooled(rows, near):\n    'text'\n    near = near % 4\n    return rows[near]"


def test_a_variable_that_nobody_reads_afterwards_is_not() -> None:
    assert filled_edits(Source("print(ids)\nids = 3\n"), FILE, 1, "ids", "{x} % 4") is None
