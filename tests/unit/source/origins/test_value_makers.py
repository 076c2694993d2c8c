from __future__ import annotations

import ast

import pytest

from whydied.source.origins.value_makers import Maker, maker
from whydied.source.text import Source
from whydied.source.trees import walk


def _made(value: int, **texts: str) -> Maker | None:
    """The maker of what the only call of `Dense` in a file is given first."""
    sources = {f"/p/{name}.py": Source(text) for name, text in texts.items()}
    for file, source in sources.items():
        for call in walk(source.tree, ast.Call):
            if isinstance(call.func, ast.Name) and call.func.id == "Dense":
                return maker(sources, file, call.args[0], value)
    raise AssertionError("no call of Dense")


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        ("N = 3\nDense(N)", 1, "N"),
        ("N = 3\n\ndef f():\n    Dense(N)", 1, "N"),
        ("def f(n):\n    Dense(n)\n\nf(3)\nf(5)", 4, "n"),
        ("def f(n=3):\n    Dense(n)\n\nf()", 1, "n"),
        (
            "class A:\n    def __init__(self, n):\n        self.n = n\n    def f(self):\n        Dense(self.n)\nA(3)",
            6,
            "n",
        ),
        ("class C:\n    N = 3\nclass D(C):\n    N = 1 + 4\ndef f(c):\n    Dense(c.N)", 2, "N"),
        ("SETTINGS = {'n': 3}\ndef f(settings):\n    Dense(settings['n'])", 1, "'n'"),
        ("s = dict(n=3)\nDense(s.get('n', 4))", 1, "'n'"),
        ("import argparse\np.add_argument('--num-n', default=3)\nDense(args.num_n)", 2, "--num-n"),
        ("@dataclass\nclass S:\n    n: int = 3\ndef f(s):\n    Dense(s.n)", 3, "n"),
        ("def count():\n    return 3\n\nDense(count())", 2, "count"),
        ("N = 2\nDense(N + 1)", 1, "N"),
        ("NAMES = ['a', 'b', 'c']\nDense(len(NAMES))", 1, "NAMES"),
        ("def f(n=None):\n    Dense(n or N)\nN = 3\nf()", 3, "N"),
    ],
)
def test_the_line_that_says_the_number(text: str, line: int, name: str) -> None:
    found = _made(3, train=text)
    assert found is not None
    assert found[:3] == ("/p/train.py", line, name)


def test_an_argument_of_a_call_is_not_a_setting() -> None:
    passed = _made(3, train="def f(n):\n    Dense(n)\n\nf(3)")
    constant = _made(3, train="N = 3\n\ndef f(n):\n    Dense(n)\n\nf(N)")
    assert passed == Maker("/p/train.py", 4, "n", is_passed=True)
    assert constant == Maker("/p/train.py", 1, "N")


def test_a_number_of_another_file() -> None:
    found = _made(3, model="from settings import N\n\ndef f():\n    Dense(N)", settings="N = 3")
    assert found == Maker("/p/settings.py", 1, "N")


@pytest.mark.parametrize(
    "text",
    [
        "Dense(3)",  # It stands there.
        "N = 4\nDense(N)",  # Another number than the recorded one.
        "def f(n):\n    Dense(n)\n\nf(3)\nf(3)",  # Two lines say it.
        "N = x.shape[1]\nDense(N)",
        "def f(n):\n    Dense(n)\n\ndef g(n):\n    f(n)\n\ng(k)",
    ],
)
def test_what_cannot_be_followed_is_not_guessed(text: str) -> None:
    assert _made(3, train=text) is None
