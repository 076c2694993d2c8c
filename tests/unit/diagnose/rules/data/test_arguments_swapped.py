"""DAT065: arguments in each other's place that the values show."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.data.arguments_swapped import check
from whydied.records import ExceptionRaised, Frame, Local, Operand, RaisedException
from whydied.source.text import Source

REPORT = 'def report(history, name):\n    print(name.upper(), history)\nreport("one", history)\n'


def frame(line: int, function: str = "<module>", **kinds: str) -> Frame:
    known = [Local(name=name, type=kind) for name, kind in kinds.items()]
    return Frame(file=FILE, line=line, function=function, user=True, locals=known)


def case(text: str, link: RaisedException) -> Case:
    made = case_of(exit_code=1, process=[ExceptionRaised(where="main", chain=[link])])
    for known in (made.recording.sources, made.recording.project):
        known[FILE] = Source(text)
    return made


def asked(wanted: str, text: str = REPORT) -> Case:
    inner = frame(2, "report", history="str", name="dict")
    link = RaisedException(
        type="AttributeError",
        module="builtins",
        message=f"'dict' object has no attribute '{wanted}'",
        frames=[frame(3), inner],
        operands=[Operand(text="name", type="dict")],
        wanted=wanted,
    )
    return case(text, link)


def test_the_other_argument_has_what_was_asked_for() -> None:
    found = check(asked("upper"))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    assert found.advice == ['Write `report(history, "one")`.']


def test_neither_has_it() -> None:
    assert check(asked("numpy")) is None


def test_no_name_speaks_for_it() -> None:
    assert check(asked("upper", REPORT.replace('("one", history)', '("one", other)'))) is None


@pytest.mark.parametrize(
    ("line", "kinds", "right"),
    [
        ('np.save(rows, "a.npy")', {"rows": "numpy.ndarray"}, 'np.save("a.npy", rows)'),
        ("json.dump(out, scores)", {"out": "_io.TextIOWrapper", "scores": "dict"}, "json.dump(scores, out)"),
        ('np.save("a.npy", rows)', {"rows": "numpy.ndarray"}, ""),
        ("json.dump(scores, out)", {"out": "_io.TextIOWrapper", "scores": "dict"}, ""),
        ("json.dump(text, number)", {"text": "str", "number": "int"}, ""),
    ],
)
def test_a_file_in_the_place_of_the_value(line: str, kinds: dict[str, str], right: str) -> None:
    operands = [Operand(text=name, type=kind) for name, kind in kinds.items()]
    link = RaisedException(
        type="TypeError", module="builtins", message="not that", frames=[frame(1)], operands=operands
    )
    found = check(case(f"{line}\n", link))
    assert (found.advice if found is not None else []) == ([f"Write `{right}`."] if right else [])
