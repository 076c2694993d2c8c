"""PRC062: a name that nothing makes, and the value that was meant."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of
from whydied.diagnose.engine import fixes_of
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.python.name_never_made import check
from whydied.records import ExceptionRaised, Frame, RaisedException
from whydied.source.text import Source


def told(
    source: str, *lines: tuple[int, str], near: str = "net", holder: str = "predict"
) -> tuple[Finding | None, list[str]]:
    frames = [Frame(file=FILE, line=line, function=function, user=True) for line, function in lines]
    message = "name 'scores' is not defined"
    link = RaisedException(
        type="NameError",
        module="builtins",
        message=message,
        frames=frames,
        wanted="scores",
        near=[near],
        holder=holder,
    )
    case = case_of(exit_code=1, process=[ExceptionRaised(where="main", chain=[link])])
    for known in (case.recording.sources, case.recording.project):
        known[FILE] = Source(source)
    found = check(case)
    return found, [fix.patch or "" for fix in fixes_of(case, [found])] if found is not None else []


def test_the_value_that_has_what_is_asked_is_written() -> None:
    found, patches = told("net = make()\nprint(scores.predict(x))\n", (2, "<module>"))
    assert found is not None
    assert found.certainty == "likely"
    assert found.message == ("train.py:2: no line makes `scores`; `net` (line 1 of train.py) has `predict`")
    assert "+print(net.predict(x))" in patches[0]


def test_a_name_that_some_line_makes_is_another_matter() -> None:
    assert told("if x:\n    scores = 1\nnet = make()\nscores.predict()\n", (4, "<module>"))[0] is None
    assert told("from a import *\nscores.predict()\n", (2, "<module>"))[0] is None


def test_a_name_that_is_only_spelt_alike_is_not_told_here() -> None:
    assert told("score = 1\nprint(scores)\n", (2, "<module>"), near="score", holder="")[0] is None
