"""DAT050 and PRC048: values that are told where they were chosen or passed."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.inputs import number_without_entry
from whydied.diagnose.rules.values import argument_unlike_default
from whydied.records import DataLooked, HeldKind, Operand, Record
from whydied.source.text import Source


def _check(rule: ModuleType, source: str, kind: str, message: str, *facts: Record, **fields: object) -> Finding | None:
    number = next(at for at, line in enumerate(source.splitlines(), 1) if "# here" in line)
    case = case_of(exit_code=1, process=[*facts, raised(kind, message, number=number, **fields)])
    case.recording.sources[FILE] = case.recording.project[FILE] = Source(source)
    found: Finding | None = rule.check(case)
    return found


DECODES = """best = np.argmax(scores[0, -1, :])
word = words[best]  # here
"""
WORDS = DataLooked(
    text="words",
    type="dict",
    length=14,
    labels_lowest=1,
    labels_highest=14,
    held=[HeldKind(words="str", count=14, first=0)],
)


def test_a_number_that_no_word_has_is_told_where_it_was_chosen() -> None:
    found = _check(number_without_entry, DECODES, "KeyError", "np.int64(0)", WORDS)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 1
    assert "`np.argmax(scores[0, -1, :])` chose 0, and `words` has the keys 1 to 14; 0 is usually the padding" in (
        found.message
    )
    assert isinstance(found.changes, list)
    assert [edit.text for change in found.changes for edit in change.edits] == ['words.get(best, "")']


@pytest.mark.parametrize("wanted", ["np.int64(3)", "'3'", "(0, 1)"])
def test_a_number_inside_of_the_range_or_another_key_is_not_told(wanted: str) -> None:
    assert _check(number_without_entry, DECODES, "KeyError", wanted, WORDS) is None


def test_keys_that_are_no_numbers_have_no_range() -> None:
    names = DataLooked(text="words", type="dict", length=2)
    assert _check(number_without_entry, DECODES, "KeyError", "0", names) is None


SEARCHES = """class Scan:
    def __init__(self, rows, callbacks=()):
        self.callbacks = callbacks

    def run(self):
        return self.callbacks + [Logger()]  # here

stopper = EarlyStopping()
Scan(rows, callbacks=stopper).run()
"""
GIVEN = [Operand(text="self.callbacks", type="keras.EarlyStopping")]
MESSAGE = "unsupported operand type(s) for +: 'EarlyStopping' and 'list'"


def test_one_thing_where_the_default_is_a_collection_is_told_at_the_call() -> None:
    found = _check(argument_unlike_default, SEARCHES, "TypeError", MESSAGE, operands=GIVEN)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 9
    assert found.certainty == "likely"
    assert found.advice == ["Pass `[stopper]`."]


def test_a_default_of_none_says_nothing() -> None:
    source = SEARCHES.replace("callbacks=()", "callbacks=None")
    assert _check(argument_unlike_default, source, "TypeError", MESSAGE, operands=GIVEN) is None


def test_a_collection_of_another_kind_is_not_one_thing() -> None:
    given = [Operand(text="self.callbacks", type="tuple", length=0)]
    assert _check(argument_unlike_default, SEARCHES, "TypeError", MESSAGE, operands=given) is None
