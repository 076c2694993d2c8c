"""FRM043: what a function of the program gave and a library does not take."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework.result_refused import check
from whydied.records import Frame, HeldPart, ResultRefused, TakenForm
from whydied.source.text import Source

SOURCE = "def rate(epoch):\n    if epoch < 2:\n        return 0.1\n    return tf.cos(epoch)\nmodel.fit(x)\n"


def frame(line: int) -> Frame:
    return Frame(file=FILE, line=line, function="rate", user=True)


def told(link: int = 0, lines: tuple[int, ...] = (4,), **fields: object) -> Finding | None:
    facts: dict[str, object] = {"type": "tensorflow.EagerTensor", "shape": [], "dtype": "float32", **fields}
    refused = ResultRefused(
        link=link,
        name="rate",
        function=frame(1),
        given=[frame(line) for line in lines],
        call="self.schedule(epoch)",
        subject="rate",
        inside="Scheduler.on_epoch_begin",
        **facts,  # type: ignore[arg-type]
    )
    case = case_of(exit_code=1, process=[raised("ValueError", "should be a float", number=5), refused])
    case.recording.sources[FILE] = Source(SOURCE)
    return check(case)


def test_the_form_that_the_library_takes() -> None:
    form = TakenForm(start=[4, 11], end=[4, 24], was="tf.cos(epoch)", now="float(tf.cos(epoch))", gives="float")
    found = told(taken=[form], wanted=["isinstance(rate, float)"])
    assert found is not None
    assert found.certainty == "certain"
    assert found.message == (
        "train.py:4: `rate` returns a scalar EagerTensor (float32), which `Scheduler.on_epoch_begin` does not take"
    )
    assert found.advice == ["Return `float(tf.cos(epoch))`."]
    assert [edit.text for change in found.changes for edit in change.edits] == ["float(tf.cos(epoch))"]


def test_no_form_is_known() -> None:
    found = told(wanted=["isinstance(rate, (float, np.float32))"])
    assert found is not None
    assert found.advice == ["Return `float` or `np.float32` instead."]
    assert found.changes == []


def test_which_statement_gave_it_is_not_known() -> None:
    found = told(lines=(3, 4))
    assert found is not None
    assert found.certainty == "likely"
    assert found.location is not None
    assert found.location.line == 1
    assert "(line 3 or 4)" in found.message


def test_a_collection_is_told_by_its_parts() -> None:
    parts = [HeldPart(name="[0]", type="numpy.ndarray"), HeldPart(name="[1]", type="numpy.ndarray")]
    found = told(kind="yield", type="list", shape=None, dtype=None, length=2, parts=parts)
    assert found is not None
    assert "`rate` yields a list of length 2 (ndarray), which" in found.message


def test_of_another_exception_nothing_is_said() -> None:
    assert told(link=3) is None
