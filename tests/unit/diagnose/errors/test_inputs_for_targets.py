"""Targets made of the inputs' own value: told only beside a list that nobody reads."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE
from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.diagnose.errors.ops.inputs_for_targets import inputs_for_targets, mistaken_advice, mistaken_words
from whydied.records import ErrorFacts, Frame, Party, RaisedException
from whydied.source.text import Source

PROGRAM = """data, boxes = [], []
for name in names:
    box = (1, 2, 3, 4)
    data.append(load(name))
    boxes.append(box)
x = np.array(data)
y = np.array(data)
x_train, y_train = x[:80], y[:80]
model.fit(x_train, y_train)
"""
LABELS = Party(role="y", text="y_train", shape=[80, 48, 48, 3])


def _error(text: str) -> FrameworkError:
    line = len(text.splitlines())
    place = Frame(file=FILE, line=line, function="<module>", user=True)
    parties = [Party(role="x", text="x_train", shape=[80, 48, 48, 3]), LABELS]
    link = RaisedException(type="ValueError", module="builtins", message="", frames=[place])
    return FrameworkError(ErrorFacts(place=place, parties=parties, call="fit"), link, {FILE: Source(text)})


def test_both_lines_and_the_list_that_is_left_are_told() -> None:
    error = _error(PROGRAM)
    found = inputs_for_targets(error, LABELS, [None, 4])
    assert found is not None
    assert (found.step.line, found.twin.line, found.filled) == (7, 6, 5)
    assert mistaken_words(found, "y_train") == (
        "`y_train` is made of `data` (`np.array(data)`), as the inputs are on line 6; `boxes`, filled on line 5 with 4 "
        "values each, is never read"
    )
    advice = mistaken_advice(error, found)
    assert [edit.text for change in advice.changes for edit in change.edits] == ["boxes"]


@pytest.mark.parametrize(
    "text",
    [
        PROGRAM.replace("    boxes.append(box)\n", ""),
        PROGRAM.replace("x = np", "print(len(boxes))\nx = np"),
        PROGRAM.replace("y = np.array(data)", "y = np.array(boxes)"),
        PROGRAM.replace("(1, 2, 3, 4)", "(1, 2)"),
        PROGRAM.replace("    boxes.append(box)\n", "    pass\nfor box in other:\n    boxes.append(box)\n"),
    ],
    ids=["no list", "a list that is read", "other targets", "items of another width", "filled elsewhere"],
)
def test_who_trains_on_the_inputs_on_purpose_is_not_told(text: str) -> None:
    assert inputs_for_targets(_error(text), LABELS, [None, 4]) is None
