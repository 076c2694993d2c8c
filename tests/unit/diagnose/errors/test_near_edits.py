"""A missed name as a change: what is edited where, and when nothing is."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.engine import diagnose
from whydied.diagnose.errors.near_edits import near_changes
from whydied.source.text import Source


def _case(source: str, kind: str, number: int, wanted: str, *near: str) -> Case:
    case = case_of(exit_code=1, process=[raised(kind, wanted, number=number, wanted=wanted, near=list(near))])
    case.recording.sources[FILE] = Source(source)
    return case


def _patches(source: str, kind: str, number: int, wanted: str, *near: str) -> list[list[str]]:
    case = _case(source, kind, number, wanted, *near)
    assert case.uncaught is not None
    link = case.uncaught.chain[0]
    return patches_of(case, near_changes(case, link, case.locate(link.frames[-1])))


@pytest.mark.parametrize(
    ("kind", "source", "line", "wanted", "near", "lines"),
    [
        ("NameError", "rate = 1\na = rte + rte\n", 2, "rte", "rate", ["-a = rte + rte", "+a = rate + rate"]),
        ("NameError", "x = 1\ntime.sleep(x)\n", 2, "time", "import time", ["+import time"]),
        (
            "UnboundLocalError",
            "n = 0\ndef f():\n    n += 1\nf()\n",
            3,
            "n",
            "global n",
            ["+    global n"],
        ),
        ("AttributeError", "a = np.maen(np.maen(x))\n", 1, "maen", "mean", ["-a = np.maen(np.maen(x))",
                                                                             "+a = np.mean(np.mean(x))"]),
        ("ImportError", "from a import Bee\nBee()\n", 1, "Bee", "Be",
         ["-from a import Bee", "-Bee()", "+from a import Be", "+Be()"]),
        ("ModuleNotFoundError", "import nunpy as np\nnp.ones(1)\n", 1, "nunpy", "numpy",
         ["-import nunpy as np", "+import numpy as np"]),
        ("KeyError", 'd = {"rows": 1}\nd["rowz"]\n', 2, "'rowz'", "'rows'", ['-d["rowz"]', '+d["rows"]']),
        ("KeyError", 'd = {"rows": 1}\nk = "rowz"\nd[k]\n', 3, "'rowz'", "'rows'", ['-k = "rowz"', '+k = "rows"']),
        ("KeyError", 'd = {"Rows": 1}\nd = lower(d)\nd["Rows"]\n', 3, "'Rows'", "'rows'", ['-d["Rows"]', '+d["rows"]']),
        ("KeyError", 'd = {"Rows": 1}\nk = ["Rows"]\nlower(d)[k]\n', 3, "'Rows'", "'rows'",
         ['-k = ["Rows"]', '+k = ["rows"]']),
        ("TypeError", "f(1, sze=3)\n", 1, "sze", "size", ["-f(1, sze=3)", "+f(1, size=3)"]),
        ("ValueError", 'm.get_layer("dence")\n', 1, "dence", "dense",
         ['-m.get_layer("dence")', '+m.get_layer("dense")']),
        ("FileNotFoundError", 'open(f"{home}/dta.csv")\n', 1, "/d/dta.csv", "/d/data.csv",
         ['-open(f"{home}/dta.csv")', '+open(f"{home}/data.csv")']),
    ],
)  # fmt: skip
def test_the_near_name_is_written(kind: str, source: str, line: int, wanted: str, near: str, lines: list[str]) -> None:
    assert _patches(source, kind, line, wanted, near) == [lines]


def test_what_gives_the_value_is_edited_where_the_name_is_right_everywhere_else() -> None:
    records = 'a = {"target": 1}\nb = {"traget": 2}\nfor r in (a, b):\n    r["target"]\n'
    assert _patches(records, "KeyError", 4, "'target'", "'traget'") == [['-b = {"traget": 2}', '+b = {"target": 2}']]
    twice = (
        "class A:\n    def f(self):\n        self.wieghts = 1\n    def g(self):\n        self.weights + self.weights\n"
    )
    assert _patches(twice, "AttributeError", 5, "weights", "wieghts") == [
        ["-        self.wieghts = 1", "+        self.weights = 1"]
    ]
    case = _case(records, "KeyError", 4, "'target'", "'traget'")
    assert [fix.title for fix in diagnose(case.recording, case=case).fixes] == ["Write `target` instead of `traget`"]


@pytest.mark.parametrize(
    ("kind", "source", "line", "wanted", "near"),
    [
        ("KeyError", 'k = "rowz"\nn = "rowz"\nd[k]\n', 3, "'rowz'", "'rows'"),
        ("FileNotFoundError", 'open("dta.csv")\n', 1, "/d/dta.csv", "/elsewhere/dta.csv"),
        ("FileNotFoundError", "open(name)\n", 1, "/d/dta.csv", "/d/data.csv"),
        ("AttributeError", "a.maen + b.maen\n", 1, "maen", "mean"),
        ("KeyError", "d[3]\n", 1, "3", "2"),
        ("KeyError", 'd = lower(d)\nd["Rows"] += 1\n', 2, "'Rows'", "'rows'"),
        ("KeyError", 'a = {"name": 1}\nb = {"names": 2}\nb["names"]\nb["name"]\n', 4, "'name'", "'names'"),
    ],
)
def test_what_is_not_plain_is_left_alone(kind: str, source: str, line: int, wanted: str, near: str) -> None:
    assert _patches(source, kind, line, wanted, near) == []
