"""How a program reads its data, as an expression: what can be followed, and what must not be."""

from __future__ import annotations

import pytest

from whydied.source.arrays.array_reading import reading
from whydied.source.location import Location
from whydied.source.text import Source

FILE = "/home/ann/train.py"


def expression(program: str, name: str) -> str | None:
    place = Location(file=FILE, line=program.count("\n") + 1)
    return reading({FILE: Source(program)}, place, name, "/home/ann")


@pytest.mark.parametrize(
    ("program", "name", "found"),
    [
        ("import numpy as np\nx = np.load('x.npy')", "x", "np.load('/home/ann/x.npy')"),
        ("import numpy\nd = numpy.load('/d.npz')\nx = d['x'] / 255.0", "x", "np.load('/d.npz')['x'] / 255.0"),
        ("import numpy as np\na, b = np.zeros((3, 2)), np.ones(3)", "b", "np.ones(3)"),
        (
            "import pandas as pd\nt = pd.read_csv('t.csv', sep=';')\nx = t[['a', 'b']].values",
            "x",
            "pd.read_csv('/home/ann/t.csv', sep=';')[['a', 'b']].values",
        ),
        ("import numpy as np\nx = np.load('x.npy')", "x[:10]", "np.load('/home/ann/x.npy')[:10]"),
        ("import numpy as np\nx = np.load(path)", "x", None),
        ("import numpy as np\nx = np.random.rand(3)", "x", None),
        ("import numpy as np\nx = np.load('x.npy')\nx[3] = 0", "x", None),
        ("import numpy as np\nx = np.load('x.npy')\nx /= 2", "x", None),
        ("import numpy as np\nx = np.load('x.npy')\nx = clean(x)", "x", None),
        ("import mine\nx = mine.load('x.npy')", "x", None),
        ("x = [1, 2]", "x", None),
        ("def f(x):\n    g(x)", "x", None),
    ],
)
def test_expressions(program: str, name: str, found: str | None) -> None:
    assert expression(program + "\n", name) == found


def test_a_program_without_source_gives_nothing() -> None:
    assert reading({}, Location(file="/elsewhere.py", line=3), "x", "/home/ann") is None
