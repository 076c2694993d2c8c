"""DAT063 to DAT065: names in another order, a window that grows, arguments in each other's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.case_of import case_of, raised
from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.rules.data import arguments_swapped, grown_past_its_shape, unpacked_in_another_order
from whydied.diagnose.rules.data.unpacked_in_another_order import right_order
from whydied.records import ErrorFacts, Frame, InputWanted, Party, ValueSource
from whydied.source.text import Source

SPLIT = """
    import numpy as np

    def split(x, y):
        return x[:8], y[:8], x[8:], y[8:]

    x_train, x_test, y_train, y_test = split(np.ones((10, 3)), np.ones(10))
    x_train + y_train
"""


def test_the_order_in_which_a_split_gives_its_parts(tmp_path: Path) -> None:
    case = died_of(tmp_path, SPLIT)
    found = unpacked_in_another_order.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (6, "likely")
    assert patches_of(case, found)[0][-1].startswith("+x_train, y_train, x_test, y_test = split(")


@pytest.mark.parametrize(
    "text",
    [
        # The order is right, and something else is wrong.
        SPLIT.replace("x_train, x_test, y_train, y_test", "x_train, y_train, x_test, y_test").replace(
            "x_train + y_train", "x_train + y_test"
        ),
        # One was given another value since.
        SPLIT.replace("    x_train + y_train", "    y_train = y_train[:2]\n    x_train + y_train"),
        # No order agrees.
        SPLIT.replace("y[:8], x[8:]", "y[:7], x[8:]"),
    ],
)
def test_an_order_that_is_not_the_cause(tmp_path: Path, text: str) -> None:
    assert unpacked_in_another_order.check(died_of(tmp_path, text)) is None


@pytest.mark.parametrize(
    ("names", "right"),
    [
        (["x", "y", "x_test", "y_test"], ["x", "x_test", "y", "y_test"]),
        (["trainX", "trainY", "testX", "testY"], ["trainX", "testX", "trainY", "testY"]),
        (["xtrain", "ytrain", "xtest", "ytest"], ["xtrain", "xtest", "ytrain", "ytest"]),
        (["a", "b", "c", "d"], None),
    ],
)
def test_names_that_belong_together(names: list[str], right: list[str] | None) -> None:
    assert right_order(names, [(80, 8), (20, 8), (80, 3), (20, 3)], names[:2]) == right


def test_parts_of_the_data_are_not_inputs_and_targets() -> None:
    names = ["x_train", "x_test", "y_train", "y_test"]
    assert right_order(names, [(560, 9), (140, 9), (560,), (140,)], ["y_train", "y_test"]) is None


WINDOW = """
    import numpy as np
    window = np.zeros(20)
    for turn in range(3):
        row = window.reshape(1, 20, 1)
        p = row.mean()
        window = np.append(window, p)
"""


def test_a_window_from_which_nothing_is_dropped(tmp_path: Path) -> None:
    case = died_of(tmp_path, WINDOW)
    found = grown_past_its_shape.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (6, "certain")
    assert patches_of(case, found) == [["-    window = np.append(window, p)", "+    window = np.append(window[1:], p)"]]


@pytest.mark.parametrize(
    "text",
    [
        WINDOW.replace("np.zeros(20)", "np.zeros(21)"),
        WINDOW.replace("np.append(window, p)", "np.append(window[1:], [p, p])"),
        WINDOW.replace("np.append(window, p)", "np.append(window, p)\n        window = window[-30:]"),
        WINDOW.replace("np.append(window, p)", "window[1:]"),
    ],
)
def test_a_window_that_is_wrong_for_another_reason(tmp_path: Path, text: str) -> None:
    assert grown_past_its_shape.check(died_of(tmp_path, text)) is None


CROSSED = """
    import numpy as np

    def table(samples, features):
        return np.ones((samples, features)) + np.ones((5, 3))

    samples, features = 5, 3
    table(features, samples)
"""


def test_arguments_that_are_named_like_each_others_parameters(tmp_path: Path) -> None:
    case = died_of(tmp_path, CROSSED)
    found = arguments_swapped.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (7, "likely")
    assert found.advice == ["Write `table(samples, features)`."]
    assert (
        arguments_swapped.check(died_of(tmp_path, CROSSED.replace("table(features, samples)", "table(3, 5)"))) is None
    )


@pytest.mark.parametrize(("width", "is_told"), [(30, True), (31, False)])
def test_a_width_that_is_the_other_argument(width: int, is_told: bool) -> None:
    text = "def blobs(samples, features):\n    return make(samples, features)\n\nx = blobs(30, 400)\nmodel.fit(x)\n"
    made = Frame(file="/home/ann/shapes.py", line=4, function="<module>", user=True)
    source = ValueSource(kind="variable", name="x", text="blobs(30, 400)", frame=made)
    facts = ErrorFacts(
        link=0,
        parties=[Party(role="x", text="x", shape=[30, 400], sources=[source])],
        wanted=InputWanted(axes={"-1": width}),
    )
    case = case_of(exit_code=1, process=[facts, raised("ValueError", "incompatible", number=5)])
    case.recording.sources["/home/ann/shapes.py"] = Source(text)
    assert (arguments_swapped.check(case) is not None) == is_told
