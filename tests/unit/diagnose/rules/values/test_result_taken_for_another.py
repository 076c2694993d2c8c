"""PRC047: what a library's call gave, told with what in it may be meant."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.values.result_taken_for_another import check
from whydied.records import Frame, HeldPart, ResultSeen
from whydied.source.text import Source

SOURCE = "guess = model.predict(x)\nguess.argmax(axis=1)\n"
MESSAGE = "'dict' object has no attribute 'argmax'"


def _told(parts: list[HeldPart], message: str = MESSAGE) -> Finding | None:
    made = Frame(file=FILE, line=1, function="<module>", user=True)
    seen = ResultSeen(
        link=0, name="guess", type="dict", call="model.predict(x)", made=made, says="Arrays.", parts=parts
    )
    case = case_of(exit_code=1, process=[seen, raised("AttributeError", message, number=2)])
    case.recording.sources[FILE] = Source(SOURCE)
    return check(case)


def test_the_items_of_a_collection_are_offered() -> None:
    found = _told([HeldPart(name="['kind']", type="numpy.ndarray"), HeldPart(name="['age']", type="numpy.ndarray")])
    assert found is not None
    assert found.certainty == "likely"
    assert found.advice == ["Take one of its items: `guess['kind']` (ndarray), `guess['age']` (ndarray)."]


def test_an_exception_about_another_type_is_not_explained() -> None:
    assert _told([], "'list' object has no attribute 'argmax'") is None
