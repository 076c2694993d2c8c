"""Other forms of a failing expression's parts, tried on live values."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from whydied.inside.guest import live_source
from whydied.inside.guest.ownership import Ownership
from whydied.inside.trials import failing_expression, forked
from whydied.records import FormsTried

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no positions of expressions before 3.11")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failing_expression, "EXPRESSION_CPU_S", 30.0)
    monkeypatch.setattr(forked, "LONGEST_S", 60.0)


def tried(tmp_path: Path, text: str, **names: Any) -> FormsTried | None:
    """What is found of the exception that a program raises."""
    file = tmp_path / "program.py"
    file.write_text(text, "utf-8")
    live_source.source(str(file))
    try:
        exec(compile(text, str(file), "exec"), {"__name__": "__main__", "__file__": str(file), **names})
    except Exception as error:
        return failing_expression.tried(0, error, error.__traceback__, Ownership(str(tmp_path)))
    raise AssertionError("the program did not fail")


def taken(tmp_path: Path, text: str, **names: Any) -> list[str]:
    found = tried(tmp_path, text, **names)
    return [one.now for one in found.taken] if found is not None else []


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("name = 'a.png'\nimport os\nos.path.splitext(name) + '.txt'", "os.path.splitext(name)[0]"),
        ("line = '3 4'\nparts = line.split\nparts[0]", "line.split()"),
        ("rows = [1, 2]\nfor n in len(rows):\n    pass", "range(len(rows))"),
        ("count = '3'\nrange(count)", "3"),
        ("count = chr(51)\nrange(count)", "int(count)"),
        ("half = 7 / 2\n[1, 2, 3, 4][half]", "int(half)"),
        ("scores = {'a': 1}\nfor name, score in scores:\n    pass", "scores.items()"),
        ("'score: ' + 3.5", ""),
        ("step = 3\n'step ' + step", "str(step)"),
        ("rows = (n for n in range(3))\nrows[0]", "list(rows)"),
        ("import numpy as np\na = np.zeros(2)\nb = np.ones(2)\nnp.concatenate(a, b)", "np.concatenate([a, b])"),
        ("import numpy as np\nrows = np.zeros((20, 3))\nrange(rows)", "len(rows)"),
    ],
)
def test_the_form_that_is_taken(tmp_path: Path, text: str, now: str) -> None:
    found = taken(tmp_path, text)
    assert now in found if now else found == []


def test_an_attribute_that_holds_what_is_asked_for(tmp_path: Path) -> None:
    text = (
        "class Log:\n    def __init__(self):\n        self.params = {'epochs': 1}\n"
        "        self.history = {'loss': [1.0]}\nlog = Log()\nlog['loss']\n"
    )
    found = tried(tmp_path, text)
    assert found is not None
    assert [(one.was, one.now, one.gives) for one in found.taken] == [("log", "log.history", "list of length 1")]
    assert (found.taken[0].start, found.taken[0].end) == ([6, 0], [6, 3])


def test_the_only_method_with_these_keywords(tmp_path: Path) -> None:
    class Model:
        __module__ = "keras.models"

        def fit(self, x: Any, epochs: int = 1) -> None: ...
        def predict(self, x: Any, verbose: int = 1) -> None: ...

    assert taken(tmp_path, "model([1], epochs=2)", model=Model()) == ["model.fit"]


def test_a_text_that_is_nearly_one_that_is_known(tmp_path: Path) -> None:
    text = 'import numpy as np\nnp.zeros((3, 2), "float3")'
    assert taken(tmp_path, text)[0] == '"float32"'


def test_arguments_are_known_by_the_frame_of_the_library(tmp_path: Path) -> None:
    """What the program computed is not computed again."""

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return args[0] + args[1]

    wrapped.__module__ = "tensorflow.python.ops"
    wrapped.__code__ = wrapped.__code__.replace(co_filename="/usr/lib/python3/site-packages/tensorflow/ops.py")
    text = "def name():\n    return 'a'\nadd(name(), [1])"
    assert taken(tmp_path, text, add=wrapped) == ["[name()]"]


def test_what_lands_in_the_name_of_an_op_is_not_taken_for_an_order(tmp_path: Path) -> None:
    def concat(values: Any, axis: Any, name: Any = "concat") -> Any:
        if type(values) is not list or type(axis) is not int:
            raise TypeError
        return values

    concat.__module__ = "tensorflow.python.ops"
    concat.__code__ = concat.__code__.replace(co_filename="/usr/lib/python3/site-packages/tensorflow/ops.py")
    found = taken(tmp_path, "a, b = [1], [2]\nconcat(a, b, 0)", concat=concat)
    assert "concat([a, b], 0)" in found
    assert "concat(a, 0, b)" not in found


def test_nothing_of_the_programs_own_is_called(tmp_path: Path) -> None:
    text = "def rows():\n    return [1]\nrows()['a']\n"
    assert tried(tmp_path, text) is None


@pytest.mark.parametrize(
    "text",
    [
        "open(3.5, 'w')",
        "print(*3)",
        "import os\nos.remove(3.5)",
        "import numpy as np\nnp.save(np.zeros(2), 'x')",
    ],
)
def test_what_acts_is_not_evaluated(tmp_path: Path, text: str) -> None:
    assert tried(tmp_path, text) is None


def test_what_does_not_fail_again_says_nothing(tmp_path: Path) -> None:
    """The iterator is used up: what fails in the copy is something else."""
    assert taken(tmp_path, "rows = iter([1, 'a'])\nnext(rows)\nnext(rows) + 1") == []
