"""Where data came from, and what could have made it bad."""

from __future__ import annotations

from tests.unit.source.at import FILE, at
from whydied.source.text import Source
from whydied.source.training.data_way import DataWay, RiskyLine, loss_target, names_passed, sliced
from whydied.source.training.optimizer_rates import rate_settings, schedule

PROGRAM = """\
def load(path):
    table = read(path)
    table[3] = float("nan")
    return table
other = np.nan
raw = load("a.csv")
rows = scale(raw)
model.fit(rows, labels)
def safe(a):
    return np.nan_to_num(a, np.inf)
data = data.map(lambda x: x / norm(x)).map(halve)
def halve(x):
    return x / 2.0
"""


def test_statements_that_the_data_came_through() -> None:
    sources, place = at(PROGRAM, 8)
    names = names_passed(sources, place)
    assert names == {"rows", "labels"}
    way = DataWay(sources, {"rows[3]", *names})
    assert [line for line in range(1, 11) if way.holds(FILE, line)] == [1, 2, 3, 4, 6, 7, 8]
    assert way.nonfinite_literals() == {(FILE, 3)}
    assert not way.holds("/elsewhere.py", 3)


def test_lines_of_mapped_functions_that_can_leave_their_domain() -> None:
    assert DataWay(at(PROGRAM, 1)[0], set()).risky_maps() == [RiskyLine(FILE, 11, True)]


def test_a_class_that_makes_batches_is_on_the_way() -> None:
    program = (
        "SIZE = 16.0\ndef targets(boxes):\n    wide = boxes / SIZE\n    return np.log(wide)\n"
        "class Batches(keras.utils.PyDataset):\n    def __getitem__(self, index):\n        return targets(self.boxes)\n"
        "model.fit(Batches(boxes))\n"
    )
    sources, place = at(program, 8)
    assert DataWay(sources, names_passed(sources, place)).risky_lines() == [RiskyLine(FILE, 4, False)]


def test_what_leaves_gaps_in_a_table_writes_nan() -> None:
    program = "table = table.apply(pd.to_numeric, errors='coerce')\nother = table.shift(1).dropna()\nx = table.values\n"
    assert DataWay(at(program, 3)[0], {"x"}).nonfinite_literals() == {(FILE, 1)}


def test_learning_rates() -> None:
    text = "rate = Decay(0.1)\na = Adam(2 * 1e-3)\nb = SGD()\nc = Adam(learning_rate=rate)\nd = f(lr=0.5)\n"
    sources, place = at(text, 4)
    found = [(one.location.line, one.text, one.value) for one in rate_settings(sources)]
    assert found == [(2, "2 * 0.001", 0.002), (3, "", None), (4, "rate", None), (5, "0.5", 0.5)]
    made = schedule(sources, place, "rate")
    assert made is not None
    assert made.line == 1
    assert schedule(sources, place, "other") is None
    sources, place = at("def stages(config):\n    return Piecewise(config)\na = SGD(stages(CONFIG))\n", 3)
    made = schedule(sources, place, "stages(CONFIG)")
    assert made is not None
    assert made.line == 2


def test_what_the_data_are_called() -> None:
    sources, place = at("loss = bce(labels, model(x, True))\nd = from_tensor_slices((rows, {'a': kinds}))\n", 1)
    assert loss_target(sources, place) == "labels"
    assert loss_target(*at("loss = tf.reduce_mean(bce(y[0], predicted), 0)\n", 1)) == "y[0]"
    assert loss_target(*at("out = model(x, False)\n", 1)) is None
    assert [sliced(sources, 0, ""), sliced(sources, 1, "['a']"), sliced(sources, 2, "")] == ["rows", "kinds", None]
    assert sliced(at("from_tensor_slices(rows)", 1)[0], 1, "") is None


def test_functions_that_a_returned_expression_hands_on_are_on_the_way() -> None:
    source = Source(
        "def scaled(column):\n    return column / column.std()\n"
        "def other(column):\n    return column / column.max()\n"
        "def prepare(table):\n    return table.apply(scaled)\n"
        "x = prepare(table)\n"
    )
    way = DataWay({"a.py": source}, {"x"})
    assert [line.line for line in way.risky_lines()] == [2]


def test_a_merge_that_keeps_rows_without_a_match_leaves_gaps() -> None:
    source = Source("a = b.merge(c, on='id', how='left')\nx = a.merge(d, on='id')\n")
    assert DataWay({"a.py": source}, {"x"}).nonfinite_literals() == {("a.py", 1)}
    filled = Source("x = b.merge(c, on='id', how='outer').fillna(0)\n")
    assert DataWay({"a.py": filled}, {"x"}).nonfinite_literals() == set()
