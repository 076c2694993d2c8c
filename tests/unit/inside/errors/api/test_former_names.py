"""Old code on the installed pandas, NumPy, scikit-learn, SciPy and Matplotlib: it fails, and runs as edited."""

from __future__ import annotations

import textwrap
import traceback
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from whydied.diagnose.errors.calls.former_changes import former_changes
from whydied.inside.errors.api import api_facts
from whydied.inside.guest.ownership import Ownership
from whydied.records import ApiMissed
from whydied.source.edits.edit import edited
from whydied.source.text import Source

_HEAD = """\
import numpy as np
import pandas as pd
table = pd.DataFrame({"a": [3.0, 1.0, 2.0], "b": [4.0, 5.0, 6.0], "c": ["x", "y", "x"]})
numbers = table[["a", "b"]]
column = table["a"]
X = np.array([[0, 3.0, 1.0], [1, 4.0, 2.0], [2, 5.0, 3.0], [1, 5.0, 4.0]])
y = np.array([0, 1, 0, 1])
"""
WRITTEN = {
    "both = table.append(table, ignore_index=True)": "both = pd.concat([table, table], ignore_index=True)",
    'table = table.append({"a": 1.0, "b": 2.0}, ignore_index=True)': (
        'table = pd.concat([table, pd.DataFrame([{"a": 1.0, "b": 2.0}])], ignore_index=True)'
    ),
    "row = table.iloc[0]\ntable = table.append(row)": (
        "row = table.iloc[0]\ntable = pd.concat([table, row.to_frame().T])"
    ),
    "all = table.append([table, table])": "all = pd.concat([table, *[table, table]])",
    "both = column.append(column)": "both = pd.concat([column, column])",
    "for name, one in table.iteritems():\n    print(name)": "for name, one in table.items():\n    print(name)",
    "a = numbers.as_matrix()": "a = numbers.to_numpy()",
    'a = table.ix[0, "a"]': 'a = table.loc[0, "a"]',
    "a = numbers.applymap(lambda x: x + 1)": "a = numbers.map(lambda x: x + 1)",
    "a = column.mad()": "a = (column - column.mean()).abs().mean()",
    'a = table.sort("a", ascending=False)': 'a = table.sort_values("a", ascending=False)',
    'a = table.sort(columns=["a", "b"])': 'a = table.sort_values(["a", "b"])',
    "a = column.order()": "a = column.sort_values()",
    'a = table.get_value(1, "a")': 'a = table.at[1, "a"]',
    'table.set_value(1, "a", 5.0)': 'table.at[1, "a"] = 5.0',
    'a = table.lookup([0, 1], ["a", "b"])': (
        'a = table.to_numpy()[table.index.get_indexer([0, 1]), table.columns.get_indexer(["a", "b"])]'
    ),
    "a = pd.rolling_mean(column, 2)": "a = column.rolling(2).mean()",
    "a = pd.rolling_std(column, window=2, min_periods=1)": "a = column.rolling(2, min_periods=1).std()",
    "a = pd.datetime.now()": "from datetime import datetime\na = datetime.now()",
    "a = pd.np.zeros(3)": "a = np.zeros(3)",
    'a = numbers.fillna(method="ffill")': "a = numbers.ffill()",
    "a = numbers.fillna(method='bfill', limit=1)": "a = numbers.bfill(limit=1)",
    'a = table.drop("c", 1)': 'a = table.drop("c", axis=1)',
    "a = pd.concat([table, table], 1)": "a = pd.concat([table, table], axis=1)",
    "a = numbers.dropna(0)": "a = numbers.dropna(axis=0)",
    'import io\na = pd.read_csv(io.StringIO("a;b"), ";")': 'import io\na = pd.read_csv(io.StringIO("a;b"), sep=";")',
    'import io\na = pd.read_csv(io.StringIO("a\\n1"), error_bad_lines=False)': (
        'import io\na = pd.read_csv(io.StringIO("a\\n1"), on_bad_lines="skip")'
    ),
    'import io\na = pd.read_csv(io.StringIO("a\\n1"), squeeze=True)': (
        'import io\na = pd.read_csv(io.StringIO("a\\n1")).squeeze(axis=1)'
    ),
    'a = pd.to_datetime(["2020-01-02"], infer_datetime_format=True)': 'a = pd.to_datetime(["2020-01-02"])',
    'a = pd.Series(pd.to_datetime(["2020-01-02"])).dt.weekofyear': (
        'a = pd.Series(pd.to_datetime(["2020-01-02"])).dt.isocalendar().week'
    ),
    'a = pd.to_datetime(["2020-01-02"]).weekday_name': 'a = pd.to_datetime(["2020-01-02"]).day_name()',
    "a = np.product(X)": "a = np.prod(X)",
    "a = np.in1d(y, [1]) | np.in1d(y, [0])": "a = np.isin(y, [1]) | np.isin(y, [0])",
    "a = np.asscalar(y[:1])": "a = y[:1].item()",
    "a = X.tostring()": "a = X.tobytes()",
    "a = np.float_(1)": "a = np.float64(1)",
    "a = np.NaN": "a = np.nan",
    "a = np.alltrue(y)": "a = np.all(y)",
    "a = np.array([1, 2], copy=False)": "a = np.asarray([1, 2])",
    "a = X.ptp(axis=0)": "a = np.ptp(X, axis=0)",
    "from sklearn.cross_validation import train_test_split": "from sklearn.model_selection import train_test_split",
    "from sklearn.grid_search import GridSearchCV": "from sklearn.model_selection import GridSearchCV",
    "from sklearn.externals import joblib": "import joblib",
    (
        "from sklearn.preprocessing import Imputer, LabelEncoder\n"
        "a = Imputer(strategy='mean', axis=0)\nb = a.fit_transform(X)"
    ): (
        "from sklearn.preprocessing import LabelEncoder\nfrom sklearn.impute import SimpleImputer\n"
        "a = SimpleImputer(strategy='mean')\nb = a.fit_transform(X)"
    ),
    (
        "from sklearn.preprocessing import Imputer\na = Imputer(missing_values='NaN', strategy='median')\n"
        "b = a.fit_transform(X)"
    ): (
        "from sklearn.impute import SimpleImputer\na = SimpleImputer(missing_values=np.nan, strategy='median')\n"
        "b = a.fit_transform(X)"
    ),
    (
        "from sklearn.preprocessing import OneHotEncoder\ncoder = OneHotEncoder(categorical_features=[0])\n"
        "a = coder.fit_transform(X).toarray()"
    ): (
        "from sklearn.preprocessing import OneHotEncoder\nfrom sklearn.compose import ColumnTransformer\n"
        'coder = ColumnTransformer([("onehot", OneHotEncoder(), [0])], remainder="passthrough", sparse_threshold=0)\n'
        "a = coder.fit_transform(X).astype(float)"
    ),
    "from sklearn.preprocessing import OneHotEncoder\na = OneHotEncoder(sparse=False)": (
        "from sklearn.preprocessing import OneHotEncoder\na = OneHotEncoder(sparse_output=False)"
    ),
    "from sklearn.metrics import mean_squared_error\na = mean_squared_error(y, y, squared=False)": (
        "from sklearn.metrics import mean_squared_error\nfrom sklearn.metrics import root_mean_squared_error\n"
        "a = root_mean_squared_error(y, y)"
    ),
    "from sklearn.linear_model import SGDClassifier\na = SGDClassifier(loss='log').fit(X, y)": (
        "from sklearn.linear_model import SGDClassifier\na = SGDClassifier(loss='log_loss').fit(X, y)"
    ),
    "from sklearn.linear_model import SGDClassifier\na = SGDClassifier(n_iter=5)": (
        "from sklearn.linear_model import SGDClassifier\na = SGDClassifier(max_iter=5)"
    ),
    "from sklearn.ensemble import BaggingClassifier\na = BaggingClassifier(base_estimator=None)": (
        "from sklearn.ensemble import BaggingClassifier\na = BaggingClassifier(estimator=None)"
    ),
    "from sklearn.cluster import AgglomerativeClustering as A\na = A(affinity='manhattan', linkage='average')": (
        "from sklearn.cluster import AgglomerativeClustering as A\na = A(metric='manhattan', linkage='average')"
    ),
    "from sklearn.feature_extraction.text import CountVectorizer\na = CountVectorizer().fit(['x y', 'big cat'])\n"
    "b = a.get_feature_names()": (
        "from sklearn.feature_extraction.text import CountVectorizer\na = CountVectorizer().fit(['x y', 'big cat'])\n"
        "b = a.get_feature_names_out()"
    ),
    "from sklearn.linear_model import LinearRegression\na = LinearRegression(normalize=False)": (
        "from sklearn.linear_model import LinearRegression\na = LinearRegression()"
    ),
    "from sklearn.model_selection import train_test_split\na = train_test_split(X, y, 0.5)": (
        "from sklearn.model_selection import train_test_split\na = train_test_split(X, y, test_size=0.5)"
    ),
    "from scipy import interp\na = interp(1.5, [1, 2], [3, 4])": (
        "from numpy import interp\na = interp(1.5, [1, 2], [3, 4])"
    ),
    "from scipy.integrate import simps\na = simps([1, 2, 3])": (
        "from scipy.integrate import simpson\na = simpson([1, 2, 3])"
    ),
    "import scipy.integrate\na = scipy.integrate.trapz([1, 2, 3])": (
        "import scipy.integrate\na = scipy.integrate.trapezoid([1, 2, 3])"
    ),
    "from scipy.misc import imresize\na = imresize(np.zeros((4, 6), 'uint8'), (2, 3))": (
        "from PIL import Image\na = np.array(Image.fromarray(np.zeros((4, 6), 'uint8')).resize((2, 3)[1::-1]))"
    ),
    "import matplotlib.pyplot as plt\nplt.style.use('seaborn')": (
        "import matplotlib.pyplot as plt\nplt.style.use('seaborn-v0_8')"
    ),
    "import matplotlib.pyplot as plt\nplt.hist(y, normed=True)": (
        "import matplotlib.pyplot as plt\nplt.hist(y, density=True)"
    ),
    "import matplotlib.pyplot as plt\na = plt.cm.get_cmap('jet')": (
        "import matplotlib.pyplot as plt\na = plt.get_cmap('jet')"
    ),
}


def _run(code: str, file: Path) -> BaseException | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(code, str(file), "exec"), {"__name__": "__main__", "__file__": str(file)})
    except BaseException as error:
        return error
    return None


def _steps(error: BaseException) -> list[TracebackType]:
    steps, step = [], error.__traceback__
    while step is not None:
        steps.append(step)
        step = step.tb_next
    return steps[1:]


@pytest.mark.parametrize("code", WRITTEN, ids=[code.splitlines()[-1][:50] for code in WRITTEN])
def test_old_code_fails_is_told_and_runs_as_it_is_written_anew(code: str, tmp_path: Path) -> None:
    for package in ("pandas", "sklearn", "scipy", "matplotlib"):
        pytest.importorskip(package)
    pytest.importorskip("matplotlib").use("Agg")
    file = tmp_path / "program.py"
    text = _HEAD + textwrap.dedent(code) + "\n"
    file.write_text(text)
    error = _run(text, file)
    if error is None:
        pytest.skip("the installed version still has it")
    found = api_facts.look(0, error, _steps(error), Ownership(str(tmp_path)))
    assert found is not None, "".join(traceback.format_exception_only(error))
    if found.library == "numpy" and not found.former:
        assert found.change == WRITTEN[code].splitlines()[-1]
        return
    source = Source(text)
    changes = _changes(found, str(file), source)
    assert changes, found
    assert _body(changes[0]) == _body(_HEAD + WRITTEN[code])
    again = _run(changes[0], file)
    assert again is None, f"{changes[0]}\n{again!r}"


def _changes(found: ApiMissed, file: str, source: Any) -> list[str]:
    texts = [edited(source, change.edits) for change in former_changes({file: source}, found)]
    return [text for text in texts if text is not None]


def _body(text: str) -> list[str]:
    """The lines, with imports of one more name in any order."""
    lines = text.strip().splitlines()
    imports = sorted(line for line in lines if line.startswith(("import ", "from ")))
    return imports + [line for line in lines if line not in imports]
