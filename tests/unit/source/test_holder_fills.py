from __future__ import annotations

import pytest

from whydied.source.holder_fills import holder_fills
from whydied.source.text import Source

TEXT = """\
tensors = []
history = {"loss": []}
queue = deque()
for i in range(9):
    tensors.append(make(i))
    history["loss"].append(make(i))
    queue.appendleft(
        make(i))
others = [make(i) for i in range(9)]
total = total + [make(1)]
cache[i] = make(i)
class Layer:
    def __init__(self):
        self.debug = []
        self.total = 0
    def call(self, x):
        self.debug.append(x)
        self.total += x
        self.last = x
        return x
def f(tensors):
    tensors.clear()
    return tensors
"""


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("tensors", [5]),
        ("history['loss']", [6]),
        ("queue", [7]),
        ("others", [9]),
        ("total", [10, 18]),
        ("cache", [11]),
        ("self.debug", [17]),
        ("model.layers[2].debug", [17]),
        ("self.total", [18]),
        ("tensor", []),
        ("", []),
    ],
)
def test_the_statement_that_fills_a_holder(path: str, lines: list[int]) -> None:
    assert [found.line for found in holder_fills(path, {"a.py": Source(TEXT)})] == lines


def test_the_function_it_stands_in_and_the_name_it_uses() -> None:
    (found,) = holder_fills("model.layers[2].debug", {"a.py": Source(TEXT)})
    assert (found.function, found.name) == ("call", "self.debug")
    (found,) = holder_fills("history['loss']", {"a.py": Source(TEXT)})
    assert found.name == "history['loss']"
    (found,) = holder_fills("cache", {"a.py": Source(TEXT)})
    assert found.name == "cache"


def test_a_file_that_is_no_python_has_none() -> None:
    assert holder_fills("tensors", {"a.py": Source("tensors.append(")}) == []


def test_a_sum_of_a_thousand_terms() -> None:
    text = "text = " + " + ".join(["'a'"] * 900) + "\ntensors.append(text)\n"
    source = Source(text)
    found = holder_fills("tensors", {"a.py": source, "b.py": Source("def f():\n    tensors.append(1)\n")})
    # Where the parser itself refuses such a file, the others still count.
    assert (found[-1].file, found[-1].line) == ("b.py", 2)
    assert not source.tree.body or (found[0].file, found[0].line) == ("a.py", 2)
