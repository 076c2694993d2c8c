"""DAT083: classes that only `validation_split` gets."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.inputs.class_never_trained import check
from whydied.records import DataSeen, Frame, ModelSeen
from whydied.source.text import Source

PROGRAM = """\
import numpy as np

past = net.fit(leaves, kinds, validation_split=0.2)

{judged}
"""


def _case(
    unseen: tuple[int, ...] = (4,),
    loss: str = "SparseCategoricalCrossentropy",
    judged: str = "assert past.val > 0.6",
    number: int = 5,
) -> Case:
    line = Frame(file=FILE, line=3, function="<module>", user=True, end_line=3)
    targets = DataSeen(
        name="y", role="target", sort="array", shape=[None], dtype="int64", rows_seen=300, rows=300, call=1, kind="fit",
        frames=[line], kept_back=60, unseen=list(unseen),
    )  # fmt: skip
    model = ModelSeen(model="net", type="Sequential", call=1, loss=loss)
    case = case_of(process=[targets, model, raised("AssertionError", number=number)], exit_code=1)
    case.recording.sources[FILE] = Source(PROGRAM.format(judged=judged))
    return case


def test_the_last_class_was_never_trained() -> None:
    case = _case()
    found = check(case)
    assert found is not None
    assert found.message == (
        "train.py:3: class 4 is only in the last 60 rows, which `validation_split` keeps from the training: it takes "
        "them before any shuffling"
    )
    assert found.certainty == "likely"
    assert patches_of(case, found) == [
        ["+order = np.random.default_rng(0).permutation(len(leaves))", "+leaves, kinds = leaves[order], kinds[order]"]
    ]


def test_an_exception_that_the_program_raises() -> None:
    judged = "right = past.history['val_accuracy'][-1]\nif right < 0.5:\n    raise ValueError(right)"
    assert check(_case(judged=judged, number=7)) is not None
    assert check(_case(judged=judged.replace("val_accuracy", "loss"), number=7)) is not None
    assert check(_case(judged=judged.replace("past.history['val_accuracy'][-1]", "len(leaves)"), number=7)) is None


@pytest.mark.parametrize(
    "case",
    [
        _case(unseen=()),
        # A number, such as an age, is no class.
        _case(loss="MeanSquaredError"),
        # The program judges something else.
        _case(judged="assert len(leaves) == 3"),
        _case(judged="print(past.val)"),
    ],
)
def test_what_is_no_cause(case: Case) -> None:
    assert check(case) is None
