"""DAT030 to DAT034: what the data of a failing statement held, and the line that made them so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.data import (
    column_removed,
    fitted_on_others,
    index_beyond_size,
    texts_as_numbers,
    uneven_items,
)

TABLE = """
    import pandas as pd
    df = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6], "label": [0, 1, 0]})
"""


def test_a_column_is_popped_by_a_cell_that_ran_before(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    found = column_removed.check(died_of(tmp_path, TABLE, 'y = df.pop("label")', "x = df", 'y = df.pop("label")'))
    assert found is not None
    assert found.location is not None
    assert (found.location.cell, found.location.line, found.certainty) == (2, 1, "likely")
    assert "line 1 of cell [4] asks for it again" in found.message


@pytest.mark.filterwarnings("ignore")
def test_a_column_is_dropped_from_each_table_of_a_loop(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    drop = 'for part in (df,):\n    part.drop("label", axis=1, inplace=True)'
    found = column_removed.check(died_of(tmp_path, TABLE, drop, drop))
    assert found is not None
    assert found.location is not None
    assert (found.location.cell, found.location.line) == (2, 2)


def test_a_function_pops_from_the_same_table_twice(tmp_path: Path) -> None:
    found = column_removed.check(
        died_of(
            tmp_path,
            """
            table = {"x": [1], "label": [0]}

            def parts(table):
                labels = table.pop("label")
                return table["x"], labels

            parts(table)
            parts(table)
            """,
        )
    )
    assert found is not None
    assert found.location is not None
    assert found.location.line == 4
    assert "ran before" in found.message


def test_a_column_that_was_never_there_was_not_removed(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    assert column_removed.check(died_of(tmp_path, TABLE, 'df.pop("b")', 'df["lable"]')) is None
    assert column_removed.check(died_of(tmp_path, TABLE, 'x = df.drop(columns=["label"])', 'df["lable"]')) is None
    other = 'other = df.copy()\nother.pop("label")'
    assert column_removed.check(died_of(tmp_path, TABLE, other, 'df["labels"]')) is None


SCALER = """
    import numpy as np
    from sklearn.preprocessing import LabelEncoder, MinMaxScaler

    data = np.arange(20.0).reshape(5, 4)
    scaler = MinMaxScaler()
    scaled = scaler.fit_transform(data)
    predictions = scaled[:, :1]
    prices = scaler.inverse_transform(predictions)
"""


def test_a_scaler_was_fitted_on_more_columns(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    found = fitted_on_others.check(died_of(tmp_path, SCALER))
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (6, "certain")
    assert "is fitted on 4 columns" in found.message
    assert "`predictions` with 1 column" in found.message


def test_the_column_that_is_turned_back_gets_a_scaler_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    target = SCALER.replace("predictions = ", "y = scaled[2:, -1]\n    predictions = ")
    case = died_of(tmp_path, target.replace("= scaled[:, :1]", "= y[:, None]"))
    assert patches_of(case, fitted_on_others.check(case))[0] == [
        "+target_scaler = MinMaxScaler()",
        "+target_scaler.fit(data[:, [-1]])",
        "-prices = scaler.inverse_transform(predictions)",
        "+prices = target_scaler.inverse_transform(predictions)",
    ]
    # Which column it is cannot be read.
    other = died_of(
        tmp_path,
        target.replace("predictions = ", "x = scaled[:, 0]\n    ya = x\n    yb = scaled[:, 1]\n    predictions = "),
    )
    assert patches_of(other, fitted_on_others.check(other)) == []


def test_a_column_of_another_table_is_not_the_one(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    text = SCALER.replace(
        "predictions = scaled[:, :1]", "raw = np.ones((5, 9))\n    y = raw[:, 2]\n    predictions = y[:, None]"
    )
    case = died_of(tmp_path, text)
    assert patches_of(case, fitted_on_others.check(case)) == []


def test_one_column_is_turned_back_where_the_fit_is_not_seen(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    case = died_of(
        tmp_path,
        """
        import numpy as np
        from sklearn.preprocessing import StandardScaler

        def prepared(data):
            scaler = StandardScaler()
            return scaler, scaler.fit_transform(data)

        scaler, scaled = prepared(np.arange(20.0).reshape(5, 4))
        y = scaled[:, 2]
        prices = scaler.inverse_transform(y[:, None])
        """,
    )
    assert patches_of(case, fitted_on_others.check(case)) == [
        ["-prices = scaler.inverse_transform(y[:, None])", "+prices = y[:, None] * scaler.scale_[2] + scaler.mean_[2]"]
    ]


def test_predictions_that_are_turned_back_as_they_come(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    case = died_of(
        tmp_path,
        """
        import numpy as np
        from sklearn.preprocessing import MinMaxScaler

        class Forecast:
            def __init__(self, table):
                self.scaler = MinMaxScaler()
                self.values = self.scaler.fit_transform(table)
                self.y = self.values[2:, 2]

            def predicted(self):
                return self.y[:, None]

            def error(self):
                prices = self.scaler.inverse_transform(self.predicted())
                return prices - self.scaler.inverse_transform(self.y.reshape(-1, 1))

        Forecast(np.arange(20.0).reshape(5, 4)).error()
        """,
    )
    assert patches_of(case, fitted_on_others.check(case))[0] == [
        "+        self.target_scaler = MinMaxScaler()",
        "+        self.target_scaler.fit(table[:, [2]])",
        "-        prices = self.scaler.inverse_transform(self.predicted())",
        "-        return prices - self.scaler.inverse_transform(self.y.reshape(-1, 1))",
        "+        prices = self.target_scaler.inverse_transform(self.predicted())",
        "+        return prices - self.target_scaler.inverse_transform(self.y.reshape(-1, 1))",
    ]


OWN_SCALER = """
    import numpy as np

    class Scaler:
        def fit_transform(self, values):
            self.scale_ = 1 / values.max(axis=0)
            return values * self.scale_

        def inverse_transform(self, values):
            values = np.array(values)
            values /= self.scale_
            return values

    data = np.arange(1.0, 21.0).reshape(5, 4)
    scaler = Scaler()
    scaled = scaler.fit_transform(data)
    y = scaled[:, 1]
    prices = scaler.inverse_transform(y[:, None])
"""


def test_a_scaler_of_the_programs_own_was_fitted_on_more_columns(tmp_path: Path) -> None:
    case = died_of(tmp_path, OWN_SCALER)
    found = fitted_on_others.check(case)
    assert found is not None
    assert "`scaler` (Scaler) is fitted on 4 columns" in found.message
    assert patches_of(case, found)[0][:2] == ["+target_scaler = Scaler()", "+target_scaler.fit_transform(data[:, [1]])"]
    # What it divides by was not learnt from a table.
    fixed = OWN_SCALER.replace("def fit_transform(self, values):", "def fit_transform(self, values, scale=np.ones(4)):")
    other = died_of(tmp_path, fixed.replace("1 / values.max(axis=0)", "np.ones(4)"))
    assert fitted_on_others.check(other) is None


def test_an_encoder_was_fitted_on_one_part(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    case = died_of(
        tmp_path,
        """
        from sklearn.preprocessing import LabelEncoder

        class Preparation:
            def fit(self, names):
                self.encoder = LabelEncoder()
                self.encoder.fit(names)
                return self

            def numbers(self, names):
                return self.encoder.transform(names)

        train, test = ["a", "b"], ["b", "c"]
        preparation = Preparation().fit(train)
        preparation.numbers(test)
        """,
    )
    found = fitted_on_others.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (13, "likely")
    assert "fitted on `train`" in found.message


def test_a_scaler_that_refuses_for_another_reason(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    text = SCALER.replace("scaler.inverse_transform(predictions)", "scaler.transform([['a', 'b', 'c', 'd']])")
    assert fitted_on_others.check(died_of(tmp_path, text)) is None


PICTURES = """
    import numpy as np

    def read(count):
        pictures = []
        for number in range(count):
            picture = np.zeros((8 + number // 4, 8))
            pictures.append(picture)
        return pictures

    def arrays(pictures):
        return np.array(pictures).reshape(-1, 8, 8, 1)

    arrays(read(5))
"""


def test_items_of_different_shapes_are_followed_to_the_line_that_makes_them(tmp_path: Path) -> None:
    found = uneven_items.check(died_of(tmp_path, PICTURES))
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (6, "certain")
    assert "4 x shape (8, 8), 1 x shape (9, 8)" in found.message
    assert "resize" in found.advice[0]


def test_an_item_that_is_none(tmp_path: Path) -> None:
    found = uneven_items.check(
        died_of(tmp_path, "import numpy as np\nrows = [np.zeros(3), None, np.zeros(3)]\nnp.array(rows)")
    )
    assert found is not None
    assert found.advice == ["Leave out what is not an array: `rows[1]` is NoneType, and 1 in all."]


def test_items_of_one_shape_are_not_told(tmp_path: Path) -> None:
    text = PICTURES.replace("8 + number // 4", "8").replace("(-1, 8, 8, 1)", "(-1, 7, 8, 1)")
    assert uneven_items.check(died_of(tmp_path, text)) is None


def test_numbers_with_commas_are_followed_to_the_reading(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    case = died_of(
        tmp_path,
        """
        import io
        import pandas as pd

        log = pd.read_csv(io.StringIO("speed;angle\\n1,5;0,2\\n2,5;0,1"), sep=";")
        x = log[["speed", "angle"]].values
        x.astype("float32")
        """,
    )
    found = texts_as_numbers.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 4
    assert patches_of(case, found)[0][-1].endswith('sep=";", decimal=",")')


def test_texts_of_a_table_that_the_line_does_not_use_are_not_to_blame(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    program = """
        import pandas as pd
        table = pd.DataFrame({"plan": ["a", "b"], "calls": [1, 2]})
        rows = pd.DataFrame({"a": [True, False], "calls": [[1], 2]}).to_numpy()
        rows.astype("float32")
    """
    assert texts_as_numbers.check(died_of(tmp_path, program)) is None


def test_columns_of_names_are_named(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    case = died_of(
        tmp_path,
        """
        import pandas as pd

        crops = pd.DataFrame({"state": ["Goa", "Punjab"], "area": [1.0, 2.0], "crop": [0, 1]})
        x = crops.drop(columns=["crop"])
        x = x.to_numpy()
        x.astype("float32")
        """,
    )
    found = texts_as_numbers.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 4
    assert "'state'" in found.advice[0]
    assert "'Goa'" in found.message


def test_the_names_of_the_columns_come_from_a_table_of_the_notebook(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    table = """
        import pandas as pd
        crops = pd.DataFrame({"area": [1.0, 2.0], "state": ["Goa", "Punjab"]})
        x = crops.values[::-1]
    """
    found = texts_as_numbers.check(died_of(tmp_path, table, 'x.astype("float32")'))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.name == "state"


def test_a_text_of_its_own_is_no_column(tmp_path: Path) -> None:
    assert texts_as_numbers.check(died_of(tmp_path, 'import numpy as np\nsize = "ten"\nfloat(size)')) is None


WORDS = """
    import numpy as np

    def matrix_of(words, width):
        rows = len(words)
        matrix = np.zeros((rows, width))
        for word, number in words.items():
            matrix[number] = 1.0
        return matrix

    matrix_of({"a": 1, "b": 2, "c": 3}, 4)
"""


def test_numbers_from_one_need_one_row_more(tmp_path: Path) -> None:
    case = died_of(tmp_path, WORDS)
    found = index_beyond_size.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (4, "likely")
    assert patches_of(case, found) == [["-    rows = len(words)", "+    rows = len(words) + 1"]]


def test_a_size_that_was_computed_from_other_data(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        import numpy as np

        def padded(texts, longest):
            table = np.zeros((len(texts), longest))
            for row, text in enumerate(texts):
                for at, word in enumerate(text.split()):
                    table[row, at] = len(word)
            return table

        train, test = ["a b", "c d e"], ["a b c d"]
        longest = max(len(text.split()) for text in train)
        padded(train, longest)
        padded(test, longest)
        """,
    )
    found = index_beyond_size.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 11
    assert "gets 3 columns (`longest`), and index 3 is asked" in found.message
    assert not found.changes


def _encoding(tmp_path: Path, *cells: str) -> tuple[Finding, list[list[str]]]:
    case = died_of(tmp_path, *cells)
    found = index_beyond_size.check(case)
    assert found is not None
    assert found.certainty == "likely"
    return found, patches_of(case, found)


@pytest.mark.parametrize(
    ("made", "cell", "right"),
    [
        ("y = np.array([1, 2, 3])", "rows = np.eye(3)[y]", "rows = np.eye(3)[y - 1]"),
        ("y = [3, 1, 2]", "rows = np.eye(len(set(y)))[y]", "rows = np.eye(len(set(y)))[np.array(y) - 1]"),
        ("y = np.array([5, 6, 7])", "rows = np.eye(3)[y]", "rows = np.eye(3)[y - 5]"),
        ("y = np.array([0, 1, 3])", "rows = np.eye(3)[y]", "rows = np.eye(4)[y]"),
        (
            "y = np.array([1, 2, 3])",
            "rows = np.zeros((3, 3))\nfor i in range(len(y)):\n    rows[i, y[i]] = 1",
            "    rows[i, y[i] - 1] = 1",
        ),
        (
            "y = [1, 2, 3]",
            "rows = np.zeros((3, 3))\nfor i, label in enumerate(y):\n    rows[i, label] = 1",
            "    rows[i, label - 1] = 1",
        ),
        (
            "y = np.array([1, 2, 3])",
            "rows = np.zeros((3, 3))\nrows[np.arange(3), y] = 1",
            "rows[np.arange(3), y - 1] = 1",
        ),
    ],
)
def test_labels_that_do_not_count_from_zero(tmp_path: Path, made: str, cell: str, right: str) -> None:
    found, patches = _encoding(tmp_path, f"import numpy as np\n{made}", cell)
    assert "run from" in found.message
    assert [patch[1] for patch in patches] == [f"+{right}"]


def test_labels_of_a_column_that_a_function_reads(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    made = "import numpy as np\nimport pandas as pd\ntable = pd.DataFrame({'stars': [1, 2, 3]})"
    cell = "def rows(part):\n    return np.eye(3)[part{}]\n\nrows(table)"
    for column in ('["stars"]', ".stars"):
        found, patches = _encoding(tmp_path, made, cell.format(column))
        assert "run from 1 to 3" in found.message
        assert [patch[1] for patch in patches] == [f"+    return np.eye(3)[part{column} - 1]"]


def test_marks_of_several_words_in_a_row_are_not_classes(tmp_path: Path) -> None:
    text = """
        import numpy as np
        docs = [[1, 2], [3, 1]]
        seen = np.zeros((2, 3))
        for row, words in enumerate(docs):
            for word in words:
                seen[row, word] = 1
    """
    found = index_beyond_size.check(died_of(tmp_path, text))
    assert found is None or "classes" not in found.message


def test_an_array_whose_size_nobody_wrote_is_not_told(tmp_path: Path) -> None:
    assert index_beyond_size.check(died_of(tmp_path, "import numpy as np\nx = np.array([1, 2])\nx[2]")) is None


def test_keys_that_begin_with_one(tmp_path: Path) -> None:
    text = """
        import numpy as np
        names = {1: "a", 2: "b"}
        shown = np.arange(2)
        for number in shown:
            print(names[int(number)])
    """
    found = index_beyond_size.check(died_of(tmp_path, text))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    assert index_beyond_size.check(died_of(tmp_path, text.replace("1: ", "4: "))) is None


@pytest.mark.parametrize(
    ("cells", "added", "right"),
    [
        ('["1", "2"]', "1", "table['n'].astype(int) + 1"),
        ("[1, 2]", '".png"', "table['n'].astype(str) + \".png\""),
        ('["a", "2"]', "1", None),
    ],
)
def test_a_text_and_a_number_in_one_sum(tmp_path: Path, cells: str, added: str, right: str | None) -> None:
    pytest.importorskip("pandas")
    text = f"import pandas as pd\ntable = pd.DataFrame({{'n': {cells}}})\ntable['n'] + {added}"
    case = died_of(tmp_path, text)
    found = texts_as_numbers.check(case)
    assert (patches_of(case, found)[0][-1] if found is not None else None) == (f"+{right}" if right else None)
