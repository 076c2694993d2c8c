from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import lines_of
from whydied.diagnose.errors.ops.same_columns import same_columns
from whydied.records import CallBegan, Frame, Party
from whydied.source.text import Source

PREPARED = """def prepare(first, second):
    seen = encode(first)
    new = {}
    return seen.to_numpy(), new.to_numpy()

x, x_new = prepare(a, b)
model.fit(x, y)
model.predict(x_new)
"""


def _changed(made: str) -> list[list[str]]:
    fit, now = (Frame(file=FILE, line=line, function="<module>", user=True) for line in (7, 8))
    case = case_of(exit_code=1, process=[CallBegan(call=1, kind="fit", frames=[fit]), raised("ValueError", number=8)])
    case.recording.sources[FILE] = Source(PREPARED.format(made))
    party = Party(role="x", text="x_new", shape=[9, 3])
    return [lines_of(case, one) for one in same_columns(case, party, now)]


def test_the_second_table_gets_the_columns_of_the_first_where_both_are_tables() -> None:
    found = _changed("encode(second)")
    assert found[0] == ["+    new = new.reindex(columns=seen.columns, fill_value=0)"]


def test_what_was_made_of_the_same_table_has_its_columns() -> None:
    assert ["+    new = new.reindex(columns=seen.columns, fill_value=0)"] not in _changed("seen")
