"""What a function of the program gave to a library that raised about it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from whydied.inside.guest import live_source
from whydied.inside.guest.ownership import Ownership
from whydied.inside.trials import forked, refused_results
from whydied.records import ResultRefused, ValueMade

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no positions of expressions before 3.11")
LIBRARY = """
class Scheduler:
    def __init__(self, schedule):
        self.schedule = schedule

    def begin(self, epoch):
        rate = 0.1
        try:
            rate = self.schedule(epoch, rate)
        except TypeError:
            rate = self.schedule(epoch)
        if not isinstance(rate, float):
            raise ValueError(f"should be a float: {rate}")


def checked(batch):
    if not isinstance(batch, tuple):
        raise ValueError("not a tuple")


def first_of(source):
    return [next(source)], source


def train(source):
    batches, source = first_of(source)
    checked(batches[0])


def pages(book):
    checked(book[3])


def either(one, other):
    value = one() if len("ab") == 2 else other
    if value:
        value = one()
    else:
        value = other
    checked(value)
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.setattr(refused_results, "CPU_S", 30.0)
    monkeypatch.setattr(forked, "LONGEST_S", 60.0)
    place = tmp_path / "site-packages"
    place.mkdir()
    (place / "checking_library.py").write_text(LIBRARY, "utf-8")
    monkeypatch.syspath_prepend(str(place))
    yield importlib.import_module("checking_library")
    del sys.modules["checking_library"]


def told(tmp_path: Path, text: str) -> ValueMade | ResultRefused | None:
    file = tmp_path / "program.py"
    file.write_text(text, "utf-8")
    live_source.source(str(file))
    try:
        exec(compile(text, str(file), "exec"), {"__name__": "__main__", "__file__": str(file)})
    except Exception as error:
        return refused_results.told(0, error, error.__traceback__, Ownership(str(tmp_path)), ends=True)
    raise AssertionError("the program did not fail")


def test_a_returned_value_and_the_form_that_is_taken(library: ModuleType, tmp_path: Path) -> None:
    text = (
        "import checking_library\nBASE = 2\ndef rate(epoch):\n    if epoch < 2:\n        return 0.5\n"
        "    return BASE * 3\nchecking_library.Scheduler(rate).begin(5)\n"
    )
    found = told(tmp_path, text)
    assert isinstance(found, ResultRefused)
    assert (found.name, found.kind, found.value) == ("rate", "return", "6")
    assert [one.line for one in found.given] == [6]
    assert found.wanted == ["isinstance(rate, float)"]
    assert [one.now for one in found.taken] == ["float(BASE * 3)"]


def test_the_yield_of_a_generator(library: ModuleType, tmp_path: Path) -> None:
    text = (
        "import checking_library\ndef rows():\n    first = 1\n    yield [first, 2]\n    yield (1, 2)\n"
        "checking_library.train(rows())\n"
    )
    found = told(tmp_path, text)
    assert isinstance(found, ResultRefused)
    assert (found.kind, [one.line for one in found.given]) == ("yield", [4])
    assert found.taken[0].now == "(first, 2)"


def test_a_function_without_return(library: ModuleType, tmp_path: Path) -> None:
    text = (
        "import checking_library\nclass Book:\n    def __getitem__(self, at):\n        page = (at, at)\n"
        "checking_library.pages(Book())\n"
    )
    found = told(tmp_path, text)
    assert isinstance(found, ValueMade)
    assert (found.steps[-1].kind, found.type) == ("no-return", "NoneType")
    assert found.inside == "`batch` in checked"
    assert found.function is not None
    assert found.function.line == 3


def test_where_another_way_is_open_nothing_is_told(library: ModuleType, tmp_path: Path) -> None:
    text = "import checking_library\ndef one():\n    return [1]\nchecking_library.either(one, [2])\n"
    assert told(tmp_path, text) is None


def test_a_value_of_the_library_is_not_the_programs(library: ModuleType, tmp_path: Path) -> None:
    assert told(tmp_path, "import checking_library\nchecking_library.checked([1])\n") is None
