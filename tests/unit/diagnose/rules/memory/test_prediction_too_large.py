"""What `predict` gives back: its size from the outputs of batches, and what is no such thing."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.growing import MIB, census, frame, group, growing, ramp
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.memory.at_once import prediction_too_large
from whydied.records import CallBegan, CallEnded, Holder, ObjectGroup

SOURCE = "low = load()\nhigh = model.predict(low, batch_size=8)\n"
BATCHES = group("tensor", 100, 600, "outputs", "library", shape=[8, 512, 384], dtype="float32")
JOINED = group("tensor", 1, 600, "self", "library", shape=[1000, 400, 384], dtype="float32")
BEFORE = group("array", 1, 300, "high", "global", shape=[500, 400, 384], dtype="float32")


def _call(rows: int | None = 1000, kind: str = "predict") -> CallBegan:
    data = {"type": "numpy.ndarray", "shape": [rows, 64]} if rows else {"type": "generator"}
    return CallBegan(call=1, kind=kind, frames=[frame(2)], arguments={"batch_size": 8, "x": data})


def _case(*groups: ObjectGroup, call: CallBegan | None = None, source: str = SOURCE, taken_s: float = 9.0) -> Case:
    records = [(2.0, call or _call()), (taken_s, census(900, *groups))]
    return growing(records, ramp(1000), source=source, limit_bytes=1400 * MIB)


def _found(case: Case) -> Finding:
    found = prediction_too_large.check(case)
    assert found is not None
    assert found.culprit is not None
    assert found.location is not None
    return found


@pytest.mark.parametrize("outputs", [BATCHES, JOINED])
def test_the_whole_result_is_reckoned_from_its_rows(outputs: ObjectGroup) -> None:
    found = _found(_case(outputs))
    assert found.culprit is not None
    assert found.location is not None
    assert outputs.shape is not None
    tail = outputs.shape[1:]
    assert (found.location.line, found.culprit.name, found.culprit.shape) == (2, "high", [1000, *tail])
    assert found.culprit.bytes == 1000 * 4 * (tail[0] or 0) * (tail[1] or 0)
    assert found.certainty == "certain"
    assert "low[i:i + n]" in found.advice[0]


def test_a_result_of_an_earlier_call_that_is_still_there_is_told() -> None:
    found = _found(_case(JOINED, BEFORE))
    assert "`high` still holds the result of an earlier call, 300 MiB; the limit is 1.37 GiB" in found.message
    assert found.advice[0] == "Free `high` before the call (`del high`)."


@pytest.mark.parametrize("batch", [8, 50])
def test_of_a_generator_only_what_was_there_is_known(batch: int) -> None:
    holder = Holder(path="outputs", root="library", container="list", length=100, function="predict")
    outputs = msgspec.structs.replace(BATCHES, shape=[batch, 512, 384], holders=[holder])
    found = _found(_case(outputs, call=_call(None)))
    assert found.culprit is not None
    assert (found.culprit.bytes, found.culprit.shape) == (600 * MIB, None)
    assert "[rows, 512, 384] float32, 600 MiB so far" in found.message


def test_batches_that_are_being_joined_are_outputs_too() -> None:
    file = "/venv/lib/python3.11/site-packages/keras/src/backend/tensorflow/trainer.py"
    holder = Holder(path="tensors", root="library", container="list", length=100, file=file, function="concat")
    outputs = msgspec.structs.replace(BATCHES, shape=[50, 512, 384], holders=[holder])
    assert "600 MiB so far" in _found(_case(outputs, call=_call(None))).message


@pytest.mark.parametrize(
    ("data", "classes", "each", "part"),
    [
        ({"type": "Tiles", "workers": 1}, "return self.x[i]", "(low[number] for number in range(len(low)))", "batch"),
        ({"type": "Tiles", "workers": 1}, "return a, b", "(low[number] for number in range(len(low)))", "batch[0]"),
        ({"type": "_BatchDataset", "element_spec": "TensorSpec(shape=(None, 4))"}, "pass", "low", "batch"),
        ({"type": "_BatchDataset", "element_spec": "(TensorSpec(shape=(None, 4)),)"}, "pass", "low", "batch[0]"),
    ],
)
def test_outputs_of_a_data_set_are_written_one_behind_the_other(
    data: dict[str, object], classes: str, each: str, part: str
) -> None:
    method = f"class Tiles:\n    def __getitem__(self, i):\n        {classes}\n"
    source = f"import numpy as np\nhigh = model.predict(low)\n{method}"
    call = CallBegan(call=1, kind="predict", frames=[frame(2)], arguments={"x": data})
    holder = Holder(path="outputs", root="library", container="list", length=100, function="predict")
    outputs = msgspec.structs.replace(BATCHES, shape=[50, 512, 384], holders=[holder])
    case = _case(outputs, call=call, source=source)
    case.recording.project.update(case.recording.sources)
    (change,) = _found(case).changes
    text = "\n".join(edit.text for edit in change.edits)
    assert f"for batch in {each}:" in text
    assert f"np.asarray(model.predict_on_batch({part})).tofile(outputs)" in text
    assert 'high = np.memmap(outputs, dtype="float32", mode="r+").reshape(-1, 512, 384)' in text


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(_case(BATCHES, call=_call(kind="fit")), id="another call"),
        pytest.param(_case(group("tensor", 100, 600, shape=[8, 512], dtype="float32")), id="the program keeps them"),
        pytest.param(
            _case(group("tensor", 100, 300, "x", "library", shape=[8, 9], dtype="float32")), id="a smaller part"
        ),
        pytest.param(_case(group("tensor", 1, 600, "x", "library", shape=[7, 9], dtype="float32")), id="other rows"),
        pytest.param(_case(BATCHES, taken_s=1.5), id="counted before the call"),
        pytest.param(growing([(2.0, _call())], ramp(1000), source=SOURCE), id="never counted"),
        pytest.param(
            growing(
                [(2.0, _call()), (9.0, census(900, BATCHES)), (9.5, CallEnded(call=1))],
                ramp(1000),
                source=SOURCE,
            ),
            id="it had ended",
        ),
    ],
)
def test_near_misses(case: Case) -> None:
    assert prediction_too_large.check(case) is None


def test_outputs_of_a_generator_without_end_are_told_so() -> None:
    source = "high = model.predict(rows())\ndef rows():\n    while True:\n        yield x\n"
    call = CallBegan(call=1, kind="predict", frames=[frame(1)], arguments={"x": {"type": "generator"}})
    holder = Holder(path="outputs", root="library", container="list", length=100, function="predict")
    outputs = msgspec.structs.replace(BATCHES, shape=[50, 512, 384], holders=[holder])
    found = _found(_case(outputs, call=call, source=source))
    assert "`rows()` never ends, because `rows` yields in a loop that has no end" in found.message
    assert found.advice == [
        "Let `rows()` end after one pass (line 3 of train.py), or pass `steps=…`, the rows of one pass divided by "
        "the batch size."
    ]
