"""Class numbers and one-hot rows: what changes the labels or the loss comes before what changes the model."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.errors.targets import label_modes
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.shapes import target_mismatch
from whydied.records import ErrorFacts, Frame, LayerFacts, Party
from whydied.source.edits.edit import edited
from whydied.source.text import Source

PROGRAM = """\
train = maker.flow_from_directory("a", class_mode="binary")
held = maker.flow_from_directory("b", class_mode="binary")
model = Sequential([Dense(3, activation="softmax")])
model.compile(loss="categorical_crossentropy")
model.fit(train, validation_data=held)
"""


def line(number: int) -> Frame:
    return Frame(file=FILE, line=number, function="<module>", user=True)


def found(target: list[int | None], units: int, loss: str, *labels: Party, text: str = PROGRAM) -> Finding:
    activation = "sigmoid" if units == 1 else "softmax"
    settings = {"units": str(units), "activation": activation}
    layer = LayerFacts(name="dense", type="Dense", made=line(3), settings=settings)
    parties = [*labels, Party(role="target", shape=target), Party(role="output", shape=[None, units])]
    facts = ErrorFacts(
        parties=parties,
        layers=[layer],
        call="fit",
        receiver="model",
        loss=loss,
        raiser=loss,
        place=line(5),
        compiled=line(4),
    )
    case: Case = case_of(process=[facts, raised("ValueError", "Shapes are incompatible")], exit_code=1)
    case.sources[FILE] = case.project[FILE] = Source(text)
    finding = target_mismatch.check(case)
    assert finding is not None
    return finding


def titles(finding: Finding) -> list[str]:
    assert isinstance(finding.changes, list)
    return [change.title for change in finding.changes]


def test_the_numbers_that_an_iterator_gives() -> None:
    label = Party(role="label", text="train", shape=[None], lowest=0, highest=2, classes=3)
    finding = found([None], 3, "categorical_crossentropy", label)
    assert "integer class labels from 0 to 2" in finding.message
    assert titles(finding) == [
        "Use `sparse_categorical_crossentropy`",
        '`class_mode="categorical"` of `flow_from_directory` gives one-hot rows',
    ]
    assert isinstance(finding.changes, list)
    text = edited(Source(PROGRAM), finding.changes[1].edits)
    assert text is not None
    assert text.count('class_mode="categorical"') == 2


def test_numbers_that_nobody_could_look_at_are_no_reason_for_one_unit() -> None:
    finding = found([None], 3, "categorical_crossentropy")
    assert "has one number per sample" in finding.message
    assert not any("Dense(1" in one for one in [*titles(finding), *finding.advice])


@pytest.mark.parametrize(("highest", "offers"), [(1, True), (2, False)])
def test_one_unit_only_for_two_classes(highest: int, offers: bool) -> None:
    label = Party(role="y", text="y", shape=[90], lowest=0, highest=highest)
    text = PROGRAM.replace("categorical_crossentropy", "binary_crossentropy")
    finding = found([None], 3, "binary_crossentropy", label, text=text)
    assert titles(finding)[0].startswith("Use `sparse_categorical_crossentropy` with the 3 units")
    assert any("Dense(1" in one for one in titles(finding)) is offers


def test_one_hot_rows_of_three_classes_for_one_unit() -> None:
    label = Party(role="y", text="y", shape=[90, 3], lowest=0, highest=1, one_hot=True, classes=3)
    text = PROGRAM.replace("categorical_crossentropy", "binary_crossentropy").replace(
        'Dense(3, activation="softmax")', 'Dense(1, activation="sigmoid")'
    )
    finding = found([None, 3], 1, "binary_crossentropy", label, text=text)
    assert titles(finding) == [
        '`Dense(3, activation="softmax")` with `categorical_crossentropy` gives a probability for each class'
    ]


def test_rows_with_several_ones() -> None:
    label = Party(role="y", text="y", shape=[90, 3], lowest=0, highest=1)
    text = PROGRAM.replace("categorical_crossentropy", "sparse_categorical_crossentropy")
    finding = found([None, 3], 3, "sparse_categorical_crossentropy", label, text=text)
    assert titles(finding) == ["Use `binary_crossentropy`, for rows with several ones"]
    alone = Party(role="y", text="y", shape=[90, 3], lowest=0, highest=1, one_hot=True, classes=3)
    other = found([None, 3], 3, "sparse_categorical_crossentropy", alone, text=text)
    assert titles(other)[0] == "Use `categorical_crossentropy`"


def test_calls_that_give_rows_are_left_alone() -> None:
    rows = Source('t = maker.flow_from_directory("a")\n')
    assert label_modes.as_rows({FILE: rows}) is None
    way = label_modes.as_numbers({FILE: rows})
    assert way is not None
    assert way.words == '`class_mode="sparse"` of `flow_from_directory` gives class numbers'
    assert label_modes.as_numbers({FILE: Source('d = image_dataset_from_directory("a")\n')}) is None
