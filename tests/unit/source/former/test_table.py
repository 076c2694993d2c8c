"""Each entry of the tables of former names against the installed packages: what it says is gone is missing, or its
argument refused, and what is written instead is there."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from typing import Any

import pytest

from whydied.source.former import present_forms as forms
from whydied.source.former.former_entry import Former
from whydied.source.former.table import ENTRIES, LIBRARIES, MODULES, of_argument, of_name

_CLASSES = {
    "pandas.DatetimeProperties": "pandas.core.indexes.accessors.DatetimeProperties",
    "sklearn.ColumnTransformer": "sklearn.compose.ColumnTransformer",
    "sklearn.CountVectorizer": "sklearn.feature_extraction.text.CountVectorizer",
    "sklearn.DictVectorizer": "sklearn.feature_extraction.DictVectorizer",
    "sklearn.OneHotEncoder": "sklearn.preprocessing.OneHotEncoder",
    "sklearn.PolynomialFeatures": "sklearn.preprocessing.PolynomialFeatures",
    "matplotlib.Axes": "matplotlib.axes.Axes",
}
NAMES = [one for one in ENTRIES if not one.argument]


def _has(name: str) -> bool:
    owner = next((short for short in _CLASSES if name.startswith(f"{short}.")), "")
    name = name.replace(owner, _CLASSES[owner], 1) if owner else name
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value: Any = importlib.import_module(".".join(parts[:length]))
                for part in parts[length:]:
                    value = getattr(value, part)
        except (ImportError, AttributeError):
            continue
        return True
    return False


@pytest.mark.parametrize("one", NAMES, ids=[one.key for one in NAMES])
def test_what_is_written_instead_of_a_name_that_is_gone_is_there(one: Former) -> None:
    pytest.importorskip(one.old.partition(".")[0])
    if _has(one.old):
        pytest.skip("the installed version still has it")
    named = [name for name in one.names if name.partition(".")[0] in LIBRARIES]
    there = [name for name in named if importlib.util.find_spec(name.partition(".")[0]) is not None]
    assert [name for name in there if not _has(name)] == []
    if len(there) < len(named):
        pytest.skip("the library that has it now is not installed")


@pytest.mark.parametrize(("old", "new"), MODULES.items())
def test_modules_are_where_the_table_says(old: str, new: str) -> None:
    pytest.importorskip("sklearn")
    assert _has(new)
    if _has(old):
        pytest.skip("the installed version still has it")


def test_keys_are_unique() -> None:
    assert len({one.key for one in ENTRIES}) == len(ENTRIES)


def test_a_form_for_the_given_type_comes_first() -> None:
    found = of_name("pandas.DataFrame.append", "dict")
    assert found[0].given == ("dict",)
    assert [one.given for one in of_name("pandas.DataFrame.append", "DataFrame")] == [()]


def test_a_value_comes_before_any_value_and_the_callee_before_any_callee() -> None:
    found = of_argument(["sklearn.OneHotEncoder", "sklearn.BaseEstimator"], "sparse", "False")
    assert [one.forms for one in found] == [("sparse_output={value}",)]
    assert of_argument(["sklearn.SGDClassifier"], "loss", "'hinge'") == []


def test_forms_of_a_name_and_of_a_call_are_told_apart() -> None:
    assert not forms.is_of_call("{base}.items")
    assert forms.is_of_call("<pandas.concat>([{base}, {other}])")
