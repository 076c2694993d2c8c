"""Rules that can answer to the same exception: one of them is told, and the right one."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.engine import diagnose
from whydied.records import (
    ApiMissed,
    BatchChosen,
    CallBegan,
    CallEnded,
    ContractBroken,
    ErrorFacts,
    ExitRequested,
    Frame,
    LayerFacts,
    Party,
    Record,
    SessionRan,
    Term,
    WeightsCompared,
)

LINE = Frame(file=FILE, line=5, function="<module>", user=True)
CLASSES = Term(kind="classes", words="classes from 0 to 2", by="loss", source="scce", low=0, high=3, below=True)
WORDS = Term(kind="vocabulary", words="ids from 0 to 9", by="Embedding", low=0, high=10, below=True)
CALL = [CallBegan(call=1, kind="fit", frames=[LINE]), CallEnded(call=1, raised="InvalidArgumentError")]
BROKEN = ContractBroken(
    name="y", term=CLASSES, rows=[5], count=1, rows_seen=50, values=["7"], call=1, frames=[LINE], shape=[50]
)
LAYER = LayerFacts(name="hidden", type="Dense", made=LINE)
TWO = [Party(role="input", text="a", shape=[4, 20]), Party(role="input", text="b", shape=[4, 10])]
AROUND = ErrorFacts(layer=LAYER, parties=TWO, place=LINE)
OPERANDS = [Party(role="operand", text="a", shape=[2, 3]), Party(role="operand", text="b", shape=[4, 5])]
PRODUCT = ErrorFacts(op="MatMul", parties=OPERANDS, place=LINE)
LABEL = "Received a label value of 7 which is outside the valid range of [0, 3).  Label values: 0 1 7"
INDEX = "indices[0,1] = 12 is not in [0, 10)"
FIXED = "The shape of the target variable and the shape of the target value in `variable.assign(value)` must match."
GONE = "Could not find variable rate. This could mean that the variable has been deleted."
COMPARED = WeightsCompared(link=0, layer="hidden", weight="kernel", expected=[4, 20], received=[4, 10], frame=LINE)
YIELDED = (
    "`generator` yielded an element of shape (8, 20) where an element of shape (8, 10) was expected. Your generator "
    "provides tensors with variable input dimensions"
)
MISSED = ApiMissed(link=0, kind="name", old="tf.Session", library="tensorflow", version="2.21.0", known_from="a table")

CASES: dict[str, tuple[str, str, list[Record], str]] = {
    "a label, seen by the contract too": ("InvalidArgumentError", LABEL, [*CALL, BROKEN], "DAT001"),
    "an id, seen by the contract too": (
        "InvalidArgumentError",
        INDEX,
        [*CALL, msgspec.structs.replace(BROKEN, name="x", term=WORDS, values=["12"])],
        "DAT002",
    ),
    "a label that no text tells": ("InvalidArgumentError", "something else of 7", [*CALL, BROKEN], "DAT003"),
    "weights that speak of shapes": ("ValueError", FIXED, [AROUND, COMPARED], "SHP005"),
    "shapes alone": ("ValueError", "Inputs have incompatible shapes", [AROUND], "SHP001"),
    "a feed that speaks of shapes": (
        "ValueError",
        "Cannot feed value of shape (5, 1) for Tensor y:0, which has shape (None,): must have rank 1",
        [AROUND],
        "GRF015",
    ),
    "a variable that is gone": ("FailedPreconditionError", GONE, [], "GRF018"),
    "the same words in a session": ("FailedPreconditionError", GONE, [SessionRan(count=1)], "GRF012"),
    "a name that went": ("AttributeError", "module 'tensorflow' has no attribute 'Session'", [MISSED], "ENV001"),
    "an attribute of None": ("AttributeError", "'NoneType' object has no attribute 'shape'", [AROUND], "PRC008"),
    "a symbolic tensor": (
        "OperatorNotAllowedInGraphError",
        "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. Dimension",
        [AROUND],
        "GRF017",
    ),
    "a product": (
        "InvalidArgumentError",
        "Matrix size-incompatible: In[0]: [2,3], In[1]: [4,5] [Op:MatMul]",
        [PRODUCT],
        "SHP001",
    ),
    "elements of several shapes": (
        "InvalidArgumentError",
        "Cannot batch tensors with different shapes in component 0. First element had shape [3] and element 2 had "
        "shape [4]. [Op:IteratorGetNext]",
        [AROUND],
        "SHP008",
    ),
    "a generator that speaks of shapes": ("TypeError", YIELDED, [PRODUCT], "DAT007"),
    "the end of the data": ("OutOfRangeError", "End of sequence [Op:IteratorGetNext]", [], "DAT005"),
    "words that nobody knows": ("RuntimeError", "the moon is in the wrong house", [AROUND], "PRC008"),
}


@pytest.mark.parametrize("name", CASES)
def test_one_rule_is_told(name: str) -> None:
    kind, message, around, code = CASES[name]
    found = diagnose(case_of(process=[*around, raised(kind, message)], exit_code=1).recording)
    assert found.errors == []
    assert [finding.code for finding in found.findings] == ([code, "PRC008"] if code != "PRC008" else ["PRC008"])


def test_a_caught_exception_is_explained_by_one_rule_too() -> None:
    handled = raised("TypeError", YIELDED).chain
    asked = ExitRequested(how="sys.exit", frames=[LINE], status="3", handling=handled)
    found = diagnose(case_of(process=[PRODUCT, asked], exit_code=3).recording)
    assert found.errors == []
    assert [finding.code for finding in found.findings] == ["DAT007", "PRC009"]


def test_a_variable_that_is_gone_is_told_with_its_name() -> None:
    found = diagnose(case_of(process=[raised("FailedPreconditionError", GONE)], exit_code=1).recording)
    assert found.cause is not None
    assert (found.cause.name, found.cause.certainty) == ("deleted-variable", "certain")
    assert "rate" in found.cause.message
    near_miss = raised("FailedPreconditionError", "Could not find variable rate in the registry of the program")
    found = diagnose(case_of(process=[near_miss], exit_code=1).recording)
    assert [finding.code for finding in found.findings] == ["PRC008"]


def test_an_uneven_batch_is_told_at_the_line_of_the_batch() -> None:
    said = (
        "Cannot batch tensors with different shapes in component 1. First element had shape [8,8,3] and element 2 had "
        "shape [8,9,3]."
    )
    chosen = BatchChosen(rows=4, method="batch", frames=[msgspec.structs.replace(LINE, line=3)])
    found = diagnose(case_of(process=[chosen, raised("InvalidArgumentError", said)], exit_code=1).recording)
    assert found.cause is not None
    assert found.cause.message == (
        "train.py:3: part 1 of element 2 of a batch has the shape (8, 9, 3), the first one (8, 8, 3): axis 1 differs; "
        "expected one shape in a batch"
    )
    assert found.cause.advice[0].startswith("`tf.image.resize`")
    other = msgspec.structs.replace(chosen, frames=[LINE])
    found = diagnose(case_of(process=[chosen, other, raised("InvalidArgumentError", said)], exit_code=1).recording)
    assert found.cause is not None
    assert found.cause.location is not None
    assert found.cause.location.line == 5
