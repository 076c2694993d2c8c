"""Edits of numbers, optimizers, rows and accumulated gradients."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits import import_edits
from whydied.source.edits.edit import Edit
from whydied.source.edits.runs import accumulation_edits, literal_numbers, optimizer_edits, row_edits
from whydied.source.training.accumulation import accumulators


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("opt = SGD(learning_rate=5.0)\n", 1, ["opt = SGD(learning_rate=0.05)"]),
        ("RATE = 20.0\nopt = keras.optimizers.SGD(RATE)\n", 2, ["RATE = 0.2"]),
        ("def make(rate=0.5):\n    return Adam(rate)\nmake()\n", 2, ["def make(rate=0.005):"]),
        ("class T:\n    def __init__(self, rate):\n        self.o = SGD(rate)\nT(0.1)\n", 3, ["T(0.001)"]),
        ("train = GradientDescentOptimizer(0.5).minimize(loss)\n", 1, None),
        (
            "class T:\n    def __init__(self, lr=0.1):\n        self.lr = lr\n        SGD(self.lr)\n",
            4,
            ["def __init__(self, lr=0.001):"],
        ),
        ("p.add_argument('--rate', default=0.5)\nopt = SGD(o.rate)\n", 2, ["p.add_argument('--rate', default=0.005)"]),
        ("C = {'rate': 0.5}\nopt = SGD(C['rate'])\n", 2, ["C = {'rate': 0.005}"]),
        ("class H:\n    rate: float = 0.5\nopt = SGD(h.rate)\n", 3, ["rate: float = 0.005"]),
        ("class H:\n    rate: float = 0.5\nh = H(rate=2.0)\nopt = SGD(h.rate)\n", 4, []),
        ("a.rate = 1.0\na.rate = 2.0\nopt = SGD(a.rate)\n", 3, []),
        ("opt = Adam(schedule)\n", 1, []),
        ("rate = 1.0\nrate = 2.0\nopt = SGD(rate)\n", 3, []),
    ],
)
def test_a_rate_is_divided_where_it_is_written(text: str, line: int, expected: list[str] | None) -> None:
    source = source_of(text)
    found = optimizer_edits.slower(source, FILE, line, 100.0)
    wanted = ["train = GradientDescentOptimizer(0.005).minimize(loss)"] if expected is None else expected
    assert (after(source, [found[0]]) if found is not None else []) == wanted


def test_a_rate_by_hand_a_name_clipping_epsilon_and_decay() -> None:
    source = source_of(
        """
        import keras
        step = 30.0
        w.assign_sub(step * slope)
        model.compile("sgd", "mse")
        opt = keras.optimizers.Adam(0.01, epsilon=0.0)
        rate = ExponentialDecay(0.01, decay_steps=5, decay_rate=1.5)
        """
    )
    by_hand = optimizer_edits.slower_by_hand(source, FILE, 3, 10.0)
    edits = [
        by_hand[0] if by_hand is not None else None,
        optimizer_edits.named(source, FILE, 4, 0.001),
        optimizer_edits.with_epsilon(source, FILE, 5),
        optimizer_edits.clipped(source, FILE, 5),
        optimizer_edits.falling(source, FILE, 6),
    ]
    assert after(source, [edit for edit in edits if edit is not None]) == [
        "step = 3.0",
        'model.compile(keras.optimizers.SGD(learning_rate=0.001), "mse")',
        "opt = keras.optimizers.Adam(0.01, epsilon=1e-7, clipnorm=1.0)",
        "rate = ExponentialDecay(0.01, decay_steps=5, decay_rate=0.67)",
    ]
    twice = source_of("def fit(self):\n    a.assign_sub(self.r * s)\n    b.assign_sub(self.r * t)\nself.r = 0.5\n")
    found = optimizer_edits.slower_by_hand(twice, FILE, 2, 10.0)
    assert found is not None
    assert after(twice, [found[0]]) == ["self.r = 0.05"]
    healthy = source_of('opt = Adam(0.1, clipnorm=2.0, epsilon=1e-6)\nmodel.compile(opt, "mse")\n')
    assert optimizer_edits.clipped(healthy, FILE, 1) is None
    assert optimizer_edits.with_epsilon(healthy, FILE, 1) is None
    assert optimizer_edits.named(healthy, FILE, 2, 0.1) is None


def test_numbers_are_rounded_and_written_as_people_do() -> None:
    assert [literal_numbers.rounded_down(value) for value in (0.3, 1, 4.9, 50, 199, 7777)] == [1, 1, 2, 50, 100, 5000]
    assert [literal_numbers.plain(value) for value in (256, 0.30000000000000004, 5e-06)] == ["256", "0.3", "5e-06"]


def test_rows_that_are_not_finite_are_left_out_of_all_arrays() -> None:
    source = source_of("import numpy as np\nx = load()\ny = load()\nmodel.fit(x, y, epochs=2)\n")
    cut = ["finite = np.isfinite(x).all(axis=1)", "x, y = x[finite], y[finite]"]
    assert after(source, row_edits.finite_rows(source, FILE, "x", 2)) == cut
    sliced = source_of(
        """
        import numpy as np
        x, y = load(), load()
        for epoch in range(3):
            for at in range(0, 90, 10):
                step(x[at : at + 10], y[at : at + 10])
        """
    )
    edits = row_edits.finite_rows(sliced, FILE, "y", 1)
    assert after(sliced, edits) == ["finite = np.isfinite(y)", "x, y = x[finite], y[finite]"]
    assert all(edit.start == (3, 0) for edit in edits)


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as np\nx = load()\nmodel.fit(x, other.labels)\n",
        "import numpy as np\nx = y = load()\ndef train():\n    model.fit(x, y)\n",
        "import numpy as np\nx = y = load()\nfor fold in range(3):\n    model.fit(x, y)\n",
        "x = y = load()\nmodel.fit(x, y)\n",
    ],
)
def test_rows_of_which_not_all_is_known_stay(text: str) -> None:
    assert row_edits.finite_rows(source_of(text), FILE, "x", 2) == []


def test_a_layer_is_adapted_to_rows_that_are_finite() -> None:
    source = source_of("import numpy as np\nlayer.adapt(speed)\n")
    edit = row_edits.adapted_to_finite(source, FILE, 2)
    assert edit is not None
    assert after(source, [edit]) == ["layer.adapt(speed[np.isfinite(speed).all(axis=1)])"]
    twice = source_of("import numpy as np\nlayer.adapt(speed)\nother.adapt(height)\n")
    assert row_edits.adapted_to_finite(twice, FILE, 2) is None
    assert row_edits.adapted_to_finite(source_of("import numpy as np\nlayer.adapt(rows.map(f))\n"), FILE, 2) is None


def test_accumulated_gradients_are_divided_and_reset() -> None:
    source = source_of(
        """
        import tensorflow as tf
        totals = [tf.zeros_like(one) for one in weights]
        for number in range(20):
            fresh = tape.gradient(loss, weights)
            totals = [old + new for old, new in zip(totals, fresh)]
            if (number + 1) % every == 0:
                opt.apply_gradients(zip(totals, weights))
        """
    )
    [found] = accumulators(source.tree)
    assert after(source, accumulation_edits.reset_after(source, FILE, found)) == [
        "opt.apply_gradients(zip([total / every for total in totals], weights))",
        "totals = [tf.zeros_like(total) for total in totals]",
    ]
    assert accumulation_edits.reset_after(source, FILE, found._replace(is_reset=True)) == []


@pytest.mark.parametrize(
    ("text", "module", "name"),
    [
        ("import tensorflow as tf\n", "tensorflow", "tf"),
        ("import tensorflow.compat.v1 as tf\n", "tensorflow", "tf"),
        ("import tensorflow as tf\n", "keras", "tf.keras"),
        ("from tensorflow import keras\n", "keras", "keras"),
        ("import numpy\n", "numpy", "numpy"),
        ("from numpy import *\n", "numpy", None),
        ("import numpy.random\n", "numpy", None),
    ],
)
def test_the_name_by_which_a_file_has_a_module(text: str, module: str, name: str | None) -> None:
    assert import_edits.name_of(source_of(text), module) == name


def test_an_import_is_added_once_and_below_those_of_the_future() -> None:
    source = source_of('"""A program."""\nfrom __future__ import annotations\nimport numpy\n')
    [edit] = import_edits.imported(source, FILE, "collections")
    assert (edit.start, edit.text) == ((3, 0), "import collections\n")
    assert import_edits.imported(source_of("import collections\n"), FILE, "collections") == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("kept = []\n", 1),
        ('"""A program."""\n\nkept = []\n', 3),
        ("# a\n@cached\ndef f():\n    import collections\n", 2),
    ],
)
def test_a_file_without_imports_gets_one_at_its_head(text: str, line: int) -> None:
    assert import_edits.imported(source_of(text), FILE, "collections") == [
        Edit(FILE, (line, 0), (line, 0), "import collections\n")
    ]
