"""Where a value came from: each way that a trail follows, and where it stops."""

from __future__ import annotations

import textwrap

import pytest

from whydied.source.bindings import bindings, module_files
from whydied.source.origins.trails import Call, Trails, expression
from whydied.source.text import Source

FILE = "/home/ann/train.py"


def lines_of(text: str, wanted: str, running: list[Call] | None = None, line: int | None = None) -> list[int]:
    """The lines of the trail of an expression on the last line."""
    source = Source(textwrap.dedent(text).strip() + "\n")
    at = line or len(source.lines)
    sources = {FILE: source}
    node = expression(sources, FILE, at, wanted)
    assert node is not None
    return [step.line for step in Trails(sources, running or []).trail(FILE, at, node)]


@pytest.mark.parametrize(
    ("text", "wanted", "lines"),
    [
        ("a = read()\nb = a\nuse(b)", "b", [2, 1]),
        ("a = read()\na = a.copy()\nuse(a)", "a", [2, 1]),
        ("a, b = 1, 2\nuse(b)", "b", [1]),
        ("x = read()\nfor row in x:\n    use(row)", "row", [2, 1]),
        ("x = read()\nuse([row for row in x])", "row", [2, 1]),
        ("def f():\n    made = read()\n    return made, 1\nx, y = f()\nuse(x)", "x", [4, 3, 2]),
        ("x = 1\nx, y = train_test_split(x, x)\nuse(y)", "y", [2, 1]),
        ("x = read()\nx = x / 255.0\nuse(x)", "x", [2, 1]),
        ("use(x)", "x", []),
    ],
)
def test_the_ways_of_a_value(text: str, wanted: str, lines: list[int]) -> None:
    assert lines_of(text, wanted) == lines


PASSED = """
    def f(x):
        use(x)

    first, second = read(), read()
    f(first)
    f(second)
"""


def test_a_parameter_is_followed_to_the_call_that_runs() -> None:
    running = [Call(FILE, 6, "<module>"), Call(FILE, 2, "f")]
    assert lines_of(PASSED, "x", running, line=2) == [6, 4]


def test_of_several_calls_none_is_taken() -> None:
    assert lines_of(PASSED, "x", line=2) == []


def test_a_method_is_not_a_function_of_its_name() -> None:
    text = """
        def load():
            return 1

        x = library.load()
        use(x)
    """
    assert lines_of(text, "x") == [4]


def test_the_cells_of_a_notebook_are_one_module() -> None:
    cells = {f"/n.ipynb/cell [{number}]": Source(text) for number, text in ((1, "a = 1\n"), (2, "a = 2\n"), (3, "a\n"))}
    assert module_files(cells, "/n.ipynb/cell [2]") == ["/n.ipynb/cell [1]", "/n.ipynb/cell [2]"]
    found = Trails(cells, []).bound("/n.ipynb/cell [3]", 1, "a")
    assert [file for file, _ in found] == ["/n.ipynb/cell [2]", "/n.ipynb/cell [1]"]


def test_what_binds_a_name() -> None:
    text = "import a\ndef a(): pass\nfor a, b in x: pass\nwith f() as a: pass\na = 1\ntry: pass\nexcept E as a: pass\n"
    kinds = [one.kind for one in bindings("a", Source(text).tree)]
    assert kinds == ["import", "definition", "loop", "with", "assignment", "handler"]
