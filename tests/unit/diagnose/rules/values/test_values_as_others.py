"""FRM031 to FRM039 and what FRM010 says of calls that give None: names, labels and values that are used as others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.rules.framework import none_result
from whydied.diagnose.rules.values import (
    attribute_of_another_type,
    estimator_input_rank,
    keys_for_items,
    labels_for_positions,
    labels_misplaced,
    lengths_differ,
    shadowed_name,
    table_read_otherwise,
    wrong_unpacking,
)

FOLDS = """
    def train(rows):
        return len(rows)

    for train, test in [([0, 1], [2]), ([1, 2], [0])]:
        score = train(train)
"""


def test_a_loop_takes_the_name_of_a_function(tmp_path: Path) -> None:
    case = died_of(tmp_path, FOLDS)
    found = shadowed_name.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (4, "certain")
    assert "the function of line 1" in found.message
    (lines,) = patches_of(case, found)
    assert lines[-1] == "+    score = train(train_values)"


def test_a_cell_takes_the_name_of_what_is_built_in(tmp_path: Path) -> None:
    found = shadowed_name.check(died_of(tmp_path, "list = [1, 2]", "names = (1, 2)", "list(names)"))
    assert found is not None
    assert found.location is not None
    assert (found.location.cell, found.location.line) == (1, 1)
    assert "Python's own `list`" in found.message
    assert "del list" in found.advice[0]


def test_a_variable_takes_the_name_of_a_module(tmp_path: Path) -> None:
    found = shadowed_name.check(died_of(tmp_path, "import math\nmath = 0.5\nmath.sqrt(4)"))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2


def test_an_attribute_takes_the_name_of_a_method(tmp_path: Path) -> None:
    found = shadowed_name.check(
        died_of(
            tmp_path,
            """
            class Model:
                def __init__(self):
                    self.predict = None

                def predict(self, x):
                    return x

            Model().predict(3)
            """,
        )
    )
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3


def test_what_was_never_a_function_is_not_shadowed(tmp_path: Path) -> None:
    assert shadowed_name.check(died_of(tmp_path, "rows = [1]\nrows(0)")) is None
    assert shadowed_name.check(died_of(tmp_path, "rows = [1]\nrows.size")) is None


def test_a_method_that_changes_its_object_gives_none(tmp_path: Path) -> None:
    case = died_of(tmp_path, "rows = [3, 1]\nranked = rows.sort()\nprint(ranked[0])")
    found = none_result.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (2, "certain")
    assert patches_of(case, found) == [["-ranked = rows.sort()", "+rows.sort()", "+ranked = rows"]]


@pytest.mark.filterwarnings("ignore")
def test_a_table_that_is_changed_in_place(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    text = """
        import pandas as pd
        df = pd.DataFrame({"a": [1], "b": [2]})
        df = df.drop(columns=["b"], inplace=True)
        df["a"]
    """
    case = died_of(tmp_path, text)
    found = none_result.check(case)
    assert found is not None
    assert patches_of(case, found)[0][-1] == '+df = df.drop(columns=["b"])'


def test_none_that_was_written_is_no_result(tmp_path: Path) -> None:
    own = "class Rows:\n    def sort(self):\n        return None\n\nranked = Rows().sort()\nranked[0]"
    assert none_result.check(died_of(tmp_path, own)) is None


FILTERED = """
    import numpy as np
    import pandas as pd

    df = pd.DataFrame({"kind": ["a", "b", "a", "b"], "area": [1, 2, 3, 4]})
    df = df[df.kind == "b"]
    rows = np.array([0, 1])
    df.loc[rows]
"""


def test_positions_are_asked_of_labels(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    case = died_of(tmp_path, FILTERED)
    found = labels_for_positions.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (5, "certain")
    assert patches_of(case, found)[0][-1].endswith('"b"].reset_index(drop=True)')


def test_lookups_by_position_are_written_for_all_of_a_loop(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    text = """
        import numpy as np
        import pandas as pd
        table = pd.DataFrame({"a": [1, None, 3, 4], "b": [1, 2, 3, 4]}).dropna()
        y, other = table["b"], pd.Series([1, 2])
        for train, test in [(np.array([0, 1]), np.array([2]))]:
            size = other[0]
            y_train, y_test = y[train], y[test]
    """
    case = died_of(tmp_path, text)
    patches = patches_of(case, labels_for_positions.check(case))
    assert patches[-1] == [
        "-    y_train, y_test = y[train], y[test]",
        "+    y_train, y_test = y.iloc[train], y.iloc[test]",
    ]


def test_a_row_beyond_the_table_is_no_position(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    assert labels_for_positions.check(died_of(tmp_path, FILTERED.replace("[0, 1]", "[0, 7]"))) is None
    counted = FILTERED.replace('"b"]\n', '"b"].reset_index(drop=True)\n').replace("[0, 1]", "[0, 5]")
    assert labels_for_positions.check(died_of(tmp_path, counted)) is None


def test_a_tuple_of_names_in_brackets(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    text = """
        import pandas as pd
        df = pd.DataFrame({"a": [1], "b": [2]})
        names = ("a", "b")
        df.drop(columns=[names])
    """
    case = died_of(tmp_path, text)
    found = labels_misplaced.check(case)
    assert patches_of(case, found) == [["-df.drop(columns=[names])", "+df.drop(columns=list(names))"]]
    assert labels_misplaced.check(died_of(tmp_path, text.replace('("a", "b")', '"c"'))) is None


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("LabelEncoder().fit(['a', 'b']).inverse_transform(1)", None),
        ("encoder.inverse_transform(label)", "encoder.inverse_transform([label])[0]"),
        ("encoder.inverse_transform(chances)", "encoder.inverse_transform(chances.argmax(axis=1))"),
        ("scaler.fit_transform(column)", "scaler.fit_transform(column.reshape(-1, 1))"),
    ],
)
def test_the_axes_that_an_estimator_takes(tmp_path: Path, line: str, right: str | None) -> None:
    pytest.importorskip("sklearn")
    text = f"""
        import numpy as np
        from sklearn.preprocessing import LabelEncoder, StandardScaler
        encoder, scaler = LabelEncoder().fit(["a", "b"]), StandardScaler()
        label, chances, column = np.int64(1), np.eye(2), np.arange(3.0)
        {line}
    """
    case = died_of(tmp_path, text)
    found = estimator_input_rank.check(case)
    assert (patches_of(case, found)[0][-1] if found is not None else None) == (f"+{right}" if right else None)


def test_as_many_values_as_a_function_returns(tmp_path: Path) -> None:
    found = wrong_unpacking.check(
        died_of(tmp_path, "def load():\n    x, y, names = 1, 2, 3\n    return x, y, names\n\nx, y = load()")
    )
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (5, "certain")
    assert "returns 3 values (line 3" in found.message


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ('words = {"the": 1}\nfor word, number in words:\n    pass', "for word, number in words.items():"),
        ("rows = [7, 8]\nfor i, row in rows:\n    pass", "for i, row in enumerate(rows):"),
    ],
)
def test_a_loop_without_items_or_enumerate(tmp_path: Path, text: str, right: str) -> None:
    case = died_of(tmp_path, text)
    assert patches_of(case, wrong_unpacking.check(case))[0][-1] == f"+{right}"


def test_a_picture_without_colours(tmp_path: Path) -> None:
    found = wrong_unpacking.check(
        died_of(tmp_path, "import numpy as np\npicture = np.zeros((4, 5))\nhigh, wide, colours = picture.shape")
    )
    assert found is not None
    assert "`picture` has 2 axes, (4, 5), and 3 are taken" in found.message


def test_pairs_that_are_no_pairs_are_not_explained(tmp_path: Path) -> None:
    assert wrong_unpacking.check(died_of(tmp_path, "pairs = [(1, 2, 3)]\nfor one, other in pairs:\n    pass")) is None


@pytest.mark.parametrize(
    ("metrics", "taken"),
    [('["mae", "acc"]', "loss, mae, acc"), ("[iou]", None), ('[iou, "acc"]', "loss, iou_value, acc")],
)
def test_evaluate_gives_one_value_for_each_metric(tmp_path: Path, metrics: str, taken: str | None) -> None:
    text = f"""
        class Net:
            def compile(self, loss, metrics):
                self.number = 1 + len(metrics)

            def __getattr__(self, name):
                return lambda: [0.0] * 3

        iou = None
        model = Net()
        model.compile("mse", metrics={metrics})
        loss, acc = model.evaluate()
    """
    case = died_of(tmp_path, text)
    found = wrong_unpacking.check(case)
    assert (patches_of(case, found)[0][-1] if found is not None else None) == (
        f"+{taken} = model.evaluate()" if taken else None
    )


def test_a_table_is_replaced_by_an_array_of_the_same_name(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    made = "import numpy as np\nimport pandas as pd\ntrain = pd.DataFrame({'a': [1.0, 2.0]})"
    found = attribute_of_another_type.check(died_of(tmp_path, made, "train = np.log(train.values)", "train.columns"))
    assert found is not None
    assert found.location is not None
    assert (found.location.cell, found.location.line, found.certainty) == (2, 1, "likely")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("rows = [1, 2]\nrows.reshape(-1, 1)", "np.array(rows).reshape(-1, 1)"),
        ("rows = [1, 2]\nrows.shap", None),
        ("rows = 'ab'\nrows.reshape(2)", None),
    ],
)
def test_an_attribute_of_an_array(tmp_path: Path, text: str, right: str | None) -> None:
    case = died_of(tmp_path, text)
    found = attribute_of_another_type.check(case)
    assert (patches_of(case, found)[0][-1] if found is not None else None) == (f"+{right}" if right else None)


REGIONS = """
    def outlines(files):
        return [r["shape"] for r in files["regions"]]

    outlines({"regions": {"0": {"shape": 1}}})
"""


def test_a_loop_over_a_dictionary_gives_its_keys(tmp_path: Path) -> None:
    case = died_of(tmp_path, REGIONS)
    (lines,) = patches_of(case, keys_for_items.check(case))
    assert lines[-1] == "+    return [r[\"shape\"] for r in files['regions'].values()]"
    assert keys_for_items.check(died_of(tmp_path, REGIONS.replace('{"0": {"shape": 1}}', '["0"]'))) is None


@pytest.mark.parametrize(
    ("text", "wanted", "argument"),
    [
        ("age, label\\n1, 0", "label", "skipinitialspace=True"),
        ("age;label\\n1;0", "label", "sep=';'"),
        ("age,label\\n1,0", "lable", None),
    ],
)
def test_how_a_table_was_read(tmp_path: Path, text: str, wanted: str, argument: str | None) -> None:
    pytest.importorskip("pandas")
    case = died_of(
        tmp_path,
        f"""
        import io
        import pandas as pd
        table = pd.read_csv(io.StringIO("{text}"))
        table["{wanted}"]
        """,
    )
    found = table_read_otherwise.check(case)
    line = patches_of(case, found)[0][-1] if found is not None else ""
    assert line.endswith(f", {argument})") if argument else found is None


def test_a_reshape_makes_other_rows(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    text = """
        import numpy as np
        from sklearn.model_selection import train_test_split
        vectors, labels = [np.zeros(8) for _ in range(6)], list(range(6))
        x = np.array(vectors)
        x = x.reshape(-1, 4)
        train_test_split(x, labels)
    """
    found = lengths_differ.check(died_of(tmp_path, text))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 5
    assert "12 rows of the 6" in found.message
    other = text.replace("labels = [np", "labels = [np").replace("range(6))\n", "range(5))\n").replace("-1, 4", "-1, 8")
    assert lengths_differ.check(died_of(tmp_path, other)) is None


@pytest.mark.parametrize(
    ("made", "right"),
    [("np.ones((4, 3)) / 3", "scores.argmax(axis=1)"), ("np.full(4, 0.3)", "(scores > 0.5).astype(int)")],
)
def test_probabilities_where_class_numbers_are_taken(tmp_path: Path, made: str, right: str) -> None:
    pytest.importorskip("sklearn")
    text = f"""
        import numpy as np
        from sklearn.metrics import confusion_matrix
        labels, scores = np.array([0, 1, 1, 0]), {made}
        confusion_matrix(labels, scores)
    """
    case = died_of(tmp_path, text)
    assert patches_of(case, estimator_input_rank.check(case))[0][-1] == f"+confusion_matrix(labels, {right})"


def test_numbers_that_were_counted_to_a_written_one(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    text = """
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        losses = [0.3, 0.2]
        at = range(20)
        plt.plot(at, losses)
    """
    case = died_of(tmp_path, text)
    assert patches_of(case, lengths_differ.check(case)) == [["-at = range(20)", "+at = range(len(losses))"]]


CURVES = """
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    runs = {"long": [3.0, 2.0, 1.0], "short": [2.0, 1.0]}
    def draw(runs):
        most = max(len(one) for one in runs.values())
        at = list(range(1, most + 1))
        for name, one in runs.items():
            plt.plot(at, one, label=name)
            plt.scatter(at, one)
        plt.plot(at, [0.0] * most)
    draw(runs)
"""


def test_numbers_that_were_counted_for_the_longest(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    case = died_of(tmp_path, CURVES)
    found = lengths_differ.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (7, "likely")
    assert "`at` has the 3 numbers of `list(range(1, most + 1))`, and `one` on line 9 of" in found.message
    (change,) = found.changes
    assert [edit.text for edit in change.edits][:2] == ["list(range(1, len(one) + 1))"] * 2


@pytest.mark.parametrize("drawn", ["plt.plot", "plt.bar"])
def test_numbers_that_were_counted_in_the_call(tmp_path: Path, drawn: str) -> None:
    pytest.importorskip("matplotlib")
    text = CURVES.partition("def draw")[0] + f"short = runs['short']\n    {drawn}(range(1, 20 + 1), short)\n"
    case = died_of(tmp_path, text)
    (lines,) = patches_of(case, lengths_differ.check(case))
    assert lines[-1] == f"+{drawn}(range(1, len(short) + 1), short)"


@pytest.mark.parametrize("at", ["[1, 2, 3]", "[one / 2 for one in range(3)]", "range(0, 6, 2)"])
def test_numbers_that_count_nothing_stay(tmp_path: Path, at: str) -> None:
    pytest.importorskip("matplotlib")
    text = CURVES.partition("def draw")[0] + f"at = {at}\n    plt.plot(at, runs['short'])\n"
    assert lengths_differ.check(died_of(tmp_path, text)) is None


def test_a_column_of_another_length(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    text = "import pandas as pd\ntable = pd.DataFrame({'a': [1, 2]})\ntable['b'] = [1, 2, 3]"
    found = lengths_differ.check(died_of(tmp_path, text))
    assert found is not None
    assert "gets 3 values, and `table` has 2 rows: 1 too many" in found.message


def test_a_column_that_is_looked_for_among_the_rows(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    text = "import pandas as pd\ntable = pd.DataFrame({'a': [1], 'b': [2]})\ntable.drop('b')"
    case = died_of(tmp_path, text)
    assert patches_of(case, labels_misplaced.check(case))[0][-1] == "+table.drop('b', axis=1)"
    assert labels_misplaced.check(died_of(tmp_path, text.replace("drop('b')", "drop('c')"))) is None


def test_a_column_that_was_numbered_anew(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    text = """
        import pandas as pd
        table = pd.DataFrame({"a": [1, 2, 3, 4]})
        table = table[table.a > 2]
        labels = pd.Series([0, 1])
        labels.loc[table.index]
    """
    found = labels_for_positions.check(died_of(tmp_path, text))
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (4, "likely")
    other = text.replace("[0, 1])", "[0, 1], index=[0, 1])")
    assert labels_for_positions.check(died_of(tmp_path, other)) is None


def test_a_column_that_counts_anew_gets_the_index_of_the_table_with_as_many_rows(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    text = """
        import pandas as pd
        def main():
            whole = pd.DataFrame({"a": [1, 2, 3, 4]})
            chosen = whole[whole["a"] > 2]
            label = pd.Series([0, 1])
            return label.loc[chosen.index]
        main()
    """
    case = died_of(tmp_path, text)
    found = labels_for_positions.check(case)
    wanted = ["-    label = pd.Series([0, 1])", "+    label = pd.Series([0, 1], index=chosen.index)"]
    assert patches_of(case, found) == [wanted]
    other = died_of(tmp_path, text.replace("[0, 1])", "[0, 1, 1])"))
    assert patches_of(other, labels_for_positions.check(other)) == []


@pytest.mark.parametrize(
    ("text", "certainty"),
    [
        # Written into a text.
        ("def score(rows):\n    sum(rows)\nvalue = score([1])\nprint(f'{value:.3f}')", "certain"),
        ("def score(rows):\n    sum(rows)\nprint(f'{score([1]):.3f}')", "certain"),
        # Beside another call, of which nobody knows what it gave.
        ("def score(rows):\n    sum(rows)\nprint(sum([1]) + score([2]))", "certain"),
        # Passed on to what fails of something else.
        ("def score(rows):\n    sum(rows)\nvalue = score([1])\nmax([], key=value)", "likely"),
    ],
)
def test_a_function_without_return_behind_any_exception(tmp_path: Path, text: str, certainty: str) -> None:
    found = none_result.check(died_of(tmp_path, text))
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (2, certainty)
    assert "`score` has no `return`" in found.message


def test_none_that_is_written_is_not_the_cause_of_whatever_fails(tmp_path: Path) -> None:
    assert none_result.check(died_of(tmp_path, "value = None\nmax([], key=value)")) is None
    assert none_result.check(died_of(tmp_path, "rows = {}\nvalue = rows.get(1)\nmax([], key=value)")) is None


def test_spaces_around_the_names_of_columns_are_taken_away_from_the_table_that_is_asked(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    text = """
        import pandas as pd
        houses = pd.DataFrame({"age ": [1], "b": [2]})
        houses["age"].mean()
    """
    case = died_of(tmp_path, text)
    found = table_read_otherwise.check(case)
    assert patches_of(case, found) == [["+houses.columns = houses.columns.str.strip()"]]
