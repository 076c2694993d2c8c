"""FRM010: None, followed from the failing line to what gave it. Each program is run: the way is the recorder's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework import none_result

CLASS = """
    class Net:
        def compile(self): pass
        def fit(self): pass

"""


def told(directory: Path, *texts: str) -> Finding:
    found = none_result.check(died_of(directory, *texts))
    assert found is not None
    return found


def line(found: Finding) -> int:
    assert found.location is not None
    return found.location.line


def test_the_function_that_returns_nothing(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        CLASS + "    def build():\n        model = Net()\n        model.compile()\n    net = build()\n    net.fit()\n",
    )
    found = none_result.check(case)
    assert found is not None
    assert (line(found), found.certainty) == (5, "certain")
    assert found.advice == ["End it with `return model`."]
    assert patches_of(case, found) == [["+    return model"]]


def test_the_expression_that_lacks_its_return(tmp_path: Path) -> None:
    case = died_of(tmp_path, "def double(x):\n    x * 2\n\ny = double(3)\ny + 1")
    found = none_result.check(case)
    assert found is not None
    assert patches_of(case, found) == [["-    x * 2", "+    return x * 2"]]


def test_a_class_that_was_begun_with_def(tmp_path: Path) -> None:
    case = died_of(tmp_path, "def Net(Model):\n    def __init__(self):\n        pass\n\nnet = Net(3)\nnet.fit()")
    found = none_result.check(case)
    assert found is not None
    assert found.advice[0].startswith("Write `class Net(Model):`")
    assert patches_of(case, found) == [["-def Net(Model):", "+class Net(Model):"]]


def test_none_that_is_unpacked(tmp_path: Path) -> None:
    found = told(tmp_path, "def build():\n    model = 1\n    rate = 2\n\nmodel, rate = build()")
    assert line(found) == 1
    assert found.advice == ["End it with `return model, rate`."]


def test_through_two_functions_an_attribute_and_an_argument(tmp_path: Path) -> None:
    text = """
        import re

        def year_of(name):
            found = re.match("[0-9]+", name)
            return found

        def tag(name):
            return year_of(name)

        def shown(found):
            return found.group(0)

        class Table:
            def __init__(self, names):
                self.first = tag(names[0])

            def year(self):
                return shown(self.first)

        Table(["jan-2019", "2020"]).year()
    """
    found = told(tmp_path, text)
    assert line(found) == 4
    assert "found no match" in found.message
    assert "`found` on line 11 of train.py is None" in found.message


def test_the_keys_that_there_are(tmp_path: Path) -> None:
    case = died_of(tmp_path, "logs = {'loss': 1.0, 'val_ride_error': 2.0}\nerror = logs.get('val_mae')\nerror < 1")
    found = none_result.check(case)
    assert found is not None
    assert (line(found), found.certainty) == (2, "certain")
    assert "has no key `'val_mae'`: it has `'val_ride_error'`, `'loss'`" in found.message
    assert patches_of(case, found)[0][-1] == "+error = logs.get('val_ride_error')"
    other = died_of(tmp_path, "logs = {'alpha': 1.0}\nerror = logs.get('val_mae')\nerror < 1")
    assert (unlike := none_result.check(other)) is not None
    assert not unlike.changes


def test_the_way_without_return(tmp_path: Path) -> None:
    text = """
        def pick(name):
            if name == "small":
                return "s"
            elif name == "large":
                return "l"

        def make(settings):
            kind = pick(settings["model"])
            return kind

        make({"model": "medium"}).upper()
    """
    found = told(tmp_path, text)
    assert (line(found), found.certainty) == (2, "likely")
    assert "only under `if name == 'small'` or `if name == 'large'`" in found.message
    assert "`name = 'medium'`" in found.message


def test_a_list_that_is_shuffled(tmp_path: Path) -> None:
    case = died_of(tmp_path, "import random\norder = random.shuffle(list(range(4)))\norder[0]")
    found = none_result.check(case)
    assert found is not None
    assert "shuffles `list(range(4))` itself" in found.message
    assert patches_of(case, found)[0][-2:] == ["+order = list(range(4))", "+random.shuffle(order)"]


def test_a_parameter_that_nothing_is_passed_for(tmp_path: Path) -> None:
    found = told(tmp_path, "def cut(rows, most=None):\n    return rows[: most + 1]\n\ncut([1, 2])")
    assert line(found) == 4
    assert found.advice == ["Pass `most` here."]


def test_an_attribute_that_nothing_filled(tmp_path: Path) -> None:
    text = """
        class Trainer:
            def __init__(self):
                self.model = None

            def build(self):
                self.model = dict(a=1)

            def run(self):
                return self.model.items()

        Trainer().run()
    """
    found = told(tmp_path, text)
    assert (line(found), found.certainty) == (3, "likely")


def test_none_of_a_cell_before(tmp_path: Path) -> None:
    found = told(tmp_path, "rows = [2, 1]\nranked = rows.sort()", "print(1)", "ranked[0]")
    assert found.location is not None
    assert (found.location.cell, found.location.line) == (1, 2)


@pytest.mark.parametrize(
    "text",
    [
        # Two ways that may both have given it.
        "def a(): pass\ndef b(): pass\nimport sys\nx = a() if len(sys.argv) else b()\nx.y",
        # The function gives what it was given.
        "def same(x):\n    return x\n\ndef use(y):\n    return y.z\n\nuse(same(eval('None')) or same(eval('None')))",
        # A part of what a library gave.
        "import shutil, sys\npair = sys.exc_info()\nkind, value, trace = sys.exc_info()\nvalue.args",
        # No value of this line is None.
        "raise ValueError('None of these')",
    ],
)
def test_what_may_have_come_otherwise_is_not_told(tmp_path: Path, text: str) -> None:
    assert none_result.check(died_of(tmp_path, text)) is None


def test_a_result_that_is_kept_under_the_name_of_its_object(tmp_path: Path) -> None:
    program = """
        import threading

        def restored():
            worker = threading.Thread(target=print)
            worker = worker.{}()
            return worker

        net = restored()
        net.name
    """
    case = died_of(tmp_path, program.format("start"))
    found = none_result.check(case)
    assert found is not None
    assert (line(found), found.certainty) == (5, "likely")
    assert found.message.startswith("train.py:5: `worker.start()` gives None, so `net`")
    assert patches_of(case, found) == [["-    worker = worker.start()", "+    worker.start()"]]
    other = died_of(
        tmp_path,
        program.format("start")
        .replace("worker = worker.start", "done = worker.start")
        .replace("return worker", "return done"),
    )
    assert patches_of(other, none_result.check(other)) == []


def test_a_class_that_is_written_as_a_function(tmp_path: Path) -> None:
    found = told(tmp_path, "def Net(base):\n    def __init__(self):\n        pass\n\nnet = Net(3)\nnet.fit()\n")
    assert "`Net` has the methods of a class, and `def` makes it a function without a result" in found.message
