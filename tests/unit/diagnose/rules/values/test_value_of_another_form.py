"""PRC060: a form of a value that the failing expression takes, as it was tried."""

from __future__ import annotations

import msgspec

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.values.value_of_another_form import check
from whydied.records import FormsTried, Frame, Operand, RaisedException, TakenForm
from whydied.source.text import Source

SOURCE = "rows = load()\ndata.shuffle(rows)\n"
ROWS = Operand(text="rows", type="numpy.ndarray", shape=[20, 3])


def told(
    *taken: TakenForm, expression: str = "data.shuffle(rows)", source: str = SOURCE, **fields: object
) -> Finding | None:
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    tried = FormsTried(link=0, frame=frame, expression=expression, tried=9, taken=list(taken))
    error = raised("TypeError", "buffer_size must be a scalar", number=2, operands=[ROWS], **fields)
    case = case_of(exit_code=1, process=[error, tried])
    case.recording.sources[FILE] = Source(source)
    return check(case)


def form(now: str, cost: float = 1.0) -> TakenForm:
    return TakenForm(start=[2, 13], end=[2, 17], was="rows", now=now, gives="Dataset", cost=cost)


def test_the_form_that_was_taken_explains_it() -> None:
    found = told(form("len(rows)"))
    assert found is not None
    assert found.certainty == "likely"
    assert found.message == (
        "train.py:2: `rows`, an array of shape (20, 3), is not what `data.shuffle(rows)` takes; it takes `len(rows)`"
    )
    assert found.advice == ["Write `len(rows)` instead of `rows`."]


def test_of_several_forms_none_is_sure() -> None:
    found = told(form("len(rows)"), form("rows.size"))
    assert found is not None
    assert found.certainty == "possible"


def test_what_was_not_called() -> None:
    found = told(form("rows()"))
    assert found is not None
    assert found.message == "train.py:2: `rows` is not called: it is the class or function itself, not its result"


def test_arguments_in_another_order() -> None:
    taken = TakenForm(start=[2, 0], end=[2, 18], was="shuffle(rows, 3)", now="shuffle(3, rows)", gives="Dataset")
    found = told(taken, expression="shuffle(rows, 3)")
    assert found is not None
    assert found.message == "train.py:2: the arguments of `shuffle` are in another order than it takes them"


def test_a_method_that_was_left_out() -> None:
    found = told(TakenForm(start=[2, 13], end=[2, 17], was="rows", now="rows.fit"))
    assert found is not None
    assert found.message == "train.py:2: `rows` itself is called; of its methods only `fit` takes these arguments"


def test_a_near_name_says_more() -> None:
    assert told(form("len(rows)"), near=["row"], wanted="rows") is None


def test_nothing_tried_nothing_said() -> None:
    assert told() is None


def test_a_text_of_the_command_line_is_told_at_its_option() -> None:
    source = 'p.add_argument("--rows", default=3)\nrange(args.rows)\n'
    taken = TakenForm(start=[2, 6], end=[2, 15], was="args.rows", now="int(args.rows)", gives="range of length 3")
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    tried = FormsTried(link=0, frame=frame, expression="range(args.rows)", tried=9, taken=[taken])
    case = case_of(exit_code=1, process=[raised("TypeError", "'str' object cannot", number=2), tried])
    for known in (case.recording.sources, case.recording.project):
        known[FILE] = Source(source)
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 1
    assert found.advice == ["Write `type=int` in the `add_argument` of '--rows'."]


def test_what_made_the_value_is_changed() -> None:
    made = Frame(file=FILE, line=1, function="<module>", user=True)
    found = told(TakenForm(start=[1, 7], end=[1, 13], was="load()", now="load()[0]", gives="Dataset", frame=made))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 1
    assert found.certainty == "likely"
    assert found.message == (
        "train.py:1: `load()` is given on, and `load()[0]` is taken; "
        "`data.shuffle(rows)` on line 2 does not take what comes of it"
    )
    assert found.advice == ["Write `load()[0]` instead of `load()` on line 1."]


def test_a_class_that_is_kept_is_called_where_it_is_kept() -> None:
    """Only where it is kept once, and plainly."""
    taken = form("rows()")
    assert told(taken) is not None
    found = told(taken, source="rows = Loader\ndata.shuffle(rows)\n")
    assert found is not None
    assert found.location is not None
    assert found.location.line == 1
    assert found.advice == ["Write `Loader()` instead of `Loader` on line 1."]
    twice = told(taken, source="rows = Loader\ndata.shuffle(rows)\nrows = Other\n")
    assert twice is not None
    assert twice.advice == ["Write `rows()` instead of `rows`."]


def test_of_one_that_a_library_told_again_the_line_is_that_of_the_telling() -> None:
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    tried = FormsTried(link=0, frame=frame, expression="data.shuffle(rows)", tried=9, taken=[form("len(rows)")])
    error = raised("ValueError", "Cannot convert it", number=2)
    inner = RaisedException(type="TypeError", module="builtins", message="int() argument", frames=[])
    case = case_of(exit_code=1, process=[msgspec.structs.replace(error, chain=[*error.chain, inner]), tried])
    case.recording.sources[FILE] = Source(SOURCE)
    found = check(case)
    assert found is not None
    assert found.advice == ["Write `len(rows)` instead of `rows`."]
