"""Expressions of running code: what they are worth, and that nothing of the program's is called."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from whydied.inside import journal
from whydied.inside.numerics.eager import expressions
from whydied.inside.numerics.eager.expressions import MISSING

numpy: Any = pytest.importorskip("numpy")
CALLED: list[str] = []


@pytest.fixture(autouse=True)
def _journal(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "streams").mkdir()
    journal.open_journal(str(tmp_path))
    yield
    journal.close()


class Trap:
    """Notes whatever is done with it."""

    def __getattr__(self, name: str) -> Any:
        CALLED.append(name)
        raise AttributeError(name)

    def __getitem__(self, key: Any) -> Any:
        CALLED.append("[]")

    def __add__(self, other: Any) -> Any:
        CALLED.append("+")

    def __call__(self, *given: Any) -> Any:
        CALLED.append("()")


def _worth(text: str, frame: FrameType) -> Any:
    import ast

    return expressions.evaluate(ast.parse(text, mode="eval").body, frame)


def test_what_expressions_are_worth() -> None:
    x = numpy.arange(24.0).reshape(12, 2)
    i, size, part, order = 1, 3, slice(2, 5), numpy.array([4, 0])
    data = {"x": x, "pair": (x, x[0])}
    frame = sys._getframe()
    for text, expected in {
        "x[i * size:(i + 1) * size]": x[3:6],
        "x[part]": x[2:5],
        "x[order[:1]]": x[[4]],
        "data['x'][i]": x[1],
        "data['pair'][0][:, 1]": x[:, 1],
        "x[part] / 4.0": x[2:5] / 4,
        "(x > 3)[0]": x[0] > 3,
        "numpy.sqrt(x[part]).astype('float32')": numpy.sqrt(x[2:5]).astype("float32"),
        "max(i, size)": 3,
        "[i, size]": [1, 3],
    }.items():
        found = _worth(text, frame)
        assert numpy.array_equal(found, expected), text
    assert (part, order.size, data["x"] is x, i, size) == (slice(2, 5), 2, True, 1, 3)


def test_nothing_of_the_programs_is_called() -> None:
    trap, x = Trap(), numpy.ones(3)

    def function(*given: Any) -> Any:
        CALLED.append("function")

    frame = sys._getframe()
    for text in ("trap[0]", "trap + 1", "trap.name", "trap(x)", "function(x)", "x[trap]", "x + trap", "nobody", "x[9]"):
        assert _worth(text, frame) is MISSING, text
    assert _worth("sys.exit(3)", frame) is MISSING
    assert CALLED == []
    assert (trap is not None, x.size, function is not None) == (True, 3, True)


def test_a_function_that_has_ended_is_looked_at_through_its_call(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, numpy\n"
        "def ratio(a, b, top=2.0):\n"
        "    local = a + b\n"
        "    return local / (b * top > edge)\n"
        "def run():\n"
        "    x = numpy.arange(6.0)\n"
        "    i = 1\n"
        "    with numpy.errstate(all='ignore'):\n"
        "        y = ratio(x[i:i + 2], b=x[3 * i:5])\n"
        "    return sys._getframe()\n"
        "edge = 7.0\n"
        "frame = run()\n"
    )
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(program)}
    owner = journal.current()
    assert owner is not None
    exec(compile(program.read_text(), str(program), "exec"), names)
    frame = names["frame"]
    outer, inner = (str(program), 9, "run"), (str(program), 4, "ratio")
    if owner.ownership.user_file(frame) is None:
        pytest.skip("a file below tmp_path is not taken for the user's")
    levels = expressions.offers(frame, [(outer, inner)])[(outer, inner)]
    worth = {offer.expression.text: offer.value for offer in levels[0]}
    assert worth["b"].tolist() == [3.0, 4.0]
    # Its own variables are gone, and what it was not given is not known either.
    assert "local" not in worth
    assert "b * top" not in worth
    assert {offer.expression.text for offer in levels[1]} >= {"x[i:i + 2]", "x[3 * i:5]"}


def test_values_are_taken_as_tensorflow_takes_them() -> None:
    assert expressions.as_array(3, "float32").dtype == "float32"
    assert expressions.as_array([1, 2], "int32").tolist() == [1, 2]
    # A mask is no number, and a fraction no integer.
    assert expressions.as_array(numpy.array([1.5]), "bool") is None
    assert expressions.as_array(2.5, "int32") is None
    assert expressions.as_array("text", "float32") is None
