"""Changes of the statements before a failing expression, and what follows it, tried on live values."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.unit.inside.trials.test_failing_expression import patient, taken, tried
from whydied.inside.trials import failing_expression

__all__ = ["patient"]

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no positions of expressions before 3.11")


@pytest.fixture(autouse=True)
def as_long_as_it_takes(monkeypatch: pytest.MonkeyPatch, patient: None) -> None:
    monkeypatch.setattr(failing_expression, "EARLIER_CPU_S", 60.0)
    monkeypatch.setattr(failing_expression, "ONWARD_CPU_S", 60.0)


@pytest.mark.parametrize(
    ("text", "line", "was", "now"),
    [
        # A class that is kept and not called: with `rows()` in the failing line the next one fails.
        (
            "from collections import deque\nrows = deque\nrows.append(1)\nrows.append(2)",
            *(2, "deque", "deque()"),
        ),
        # A number in quotes that is used twice.
        (
            "import numpy as np\nSIDE = '4'\ndef build():\n    return np.zeros((SIDE, SIDE))\nbuild()",
            *(2, "'4'", "4"),
        ),
        # The failing line takes what its own part is; the arguments of the call above it are exchanged.
        (
            "def part(rows, count):\n    size = len(rows) // count\n    return rows[:size]\npart(2, [1, 2, 3, 4])",
            *(4, "part(2, [1, 2, 3, 4])", "part([1, 2, 3, 4], 2)"),
        ),
        # Of two results the first is meant: the failing line alone would take it, the one behind it would not.
        (
            "def pair():\n    return [1, 2, 3], 'b'\nrows = pair()\nfirst = rows[0] + 1\nlast = rows[2] + 1",
            *(3, "pair()", "pair()[0]"),
        ),
    ],
)
def test_the_statement_that_is_changed(tmp_path: Path, text: str, line: int, was: str, now: str) -> None:
    found = tried(tmp_path, text)
    assert found is not None
    best = found.taken[0]
    assert best.frame is not None
    assert (best.frame.line, best.was, best.now) == (line, was, now)


@pytest.mark.parametrize(("behind", "is_taken"), [("1", False), ("'b'", True), ("len(input())", True)])
def test_the_statement_behind_it_decides(tmp_path: Path, behind: str, is_taken: bool) -> None:
    """As far as it only computes."""
    text = f"count = 3\nname = 'a'\nline = name + count\ntotal = line * 2 + {behind}\n"
    assert ("str(count)" in taken(tmp_path, text)) == is_taken


@pytest.mark.parametrize("acting", ["open('/nonexistent')", "np.load('/nonexistent')", "rows.fit(count)", "input()"])
def test_a_function_that_does_more_than_compute_is_not_run(tmp_path: Path, acting: str) -> None:
    text = f"import numpy as np\ndef part(rows, count):\n    size = len(rows) // count\n    {acting}\n    return size\n"
    assert taken(tmp_path, f"{text}part(2, [1, 2, 3])") == []


def test_nothing_is_said_of_an_empty_list(tmp_path: Path) -> None:
    text = "import numpy as np\nrows = []\nnp.stack(rows)"
    assert taken(tmp_path, text) == []


def test_the_class_of_a_context_manager(tmp_path: Path) -> None:
    text = "import tempfile\nwith tempfile.TemporaryDirectory as where:\n    pass"
    assert taken(tmp_path, text) == ["tempfile.TemporaryDirectory()"]


def test_no_context_manager_at_all(tmp_path: Path) -> None:
    assert tried(tmp_path, "with 3 as where:\n    pass") is None


def test_super_that_is_not_called(tmp_path: Path) -> None:
    text = "class Rows(list):\n    def __init__(self, rows):\n        super.__init__(rows)\nRows([1])"
    assert taken(tmp_path, text)[0] == "super()"


def test_the_only_item_with_the_attribute(tmp_path: Path) -> None:
    assert taken(tmp_path, "parts = [1, 'a', 2]\nparts.upper()")[0] == "parts[1]"


def test_a_number_in_quotes_in_the_failing_line(tmp_path: Path) -> None:
    assert taken(tmp_path, "import numpy as np\nnp.zeros((3, 2)).sum(axis='1')")[0] == "1"


def test_arguments_of_an_inner_call_exchanged(tmp_path: Path) -> None:
    text = "import numpy as np\nw, x, b = np.ones((8, 4)), np.ones((4, 8)), np.ones(4)\nout = np.matmul(w, x) + b"
    assert taken(tmp_path, text)[0] == "np.matmul(x, w)"


@pytest.mark.parametrize(
    ("text", "alike"), [("shape = (8, 3)\nrange(shape)", 2), ("names = ('a', 'b')\nnames.upper()", 1)]
)
def test_any_size_of_a_shape_may_be_meant(tmp_path: Path, text: str, alike: int) -> None:
    found = tried(tmp_path, text)
    assert found is not None
    assert [one.cost for one in found.taken].count(found.taken[0].cost) == alike
    assert found.taken[0].now.endswith("[0]")
