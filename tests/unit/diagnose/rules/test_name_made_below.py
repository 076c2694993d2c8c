"""PRC061: a name that a line further down makes."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of
from whydied.diagnose.engine import fixes_of
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.python.name_made_below import check
from whydied.records import ExceptionRaised, Frame, RaisedException
from whydied.source.text import Source


def told(source: str, *lines: tuple[int, str], name: str = "scores") -> tuple[Finding | None, list[str]]:
    frames = [Frame(file=FILE, line=line, function=function, user=True) for line, function in lines]
    message = f"name '{name}' is not defined"
    link = RaisedException(type="NameError", module="builtins", message=message, frames=frames, wanted=name)
    case = case_of(exit_code=1, process=[ExceptionRaised(where="main", chain=[link])])
    for known in (case.recording.sources, case.recording.project):
        known[FILE] = Source(source)
    found = check(case)
    return found, [fix.patch or "" for fix in fixes_of(case, [found])] if found is not None else []


def test_a_statement_below_makes_it_and_is_moved() -> None:
    found, patches = told("x = 3\nprint(scores)\nscores = x * 2\n", (2, "<module>"))
    assert found is not None
    assert found.certainty == "certain"
    assert found.message == "train.py:2: `scores` is used before line 3 of train.py makes it"
    assert found.advice == ["Move line 3 above line 2."]
    assert "+scores = x * 2" in patches[0]


def test_a_function_that_is_called_too_early_is_told_at_the_call() -> None:
    source = "def show():\n    print(scores)\n\nshow()\nscores = load()\n"
    found, patches = told(source, (4, "<module>"), (2, "show"))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 4
    assert patches == []


def test_a_name_that_is_made_above_or_nowhere_is_another_matter() -> None:
    assert told("if False:\n    scores = 1\nprint(scores)\nscores = 2\n", (3, "<module>"))[0] is None
    assert told("print(scores)\n", (1, "<module>"))[0] is None
    assert told("print(scores)\ndef f():\n    scores = 1\n", (1, "<module>"))[0] is None
