"""Labels and indices out of range, and the mistakes with sessions and gradients: the exact words, and near misses."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.data import index_out_of_range, iterator_exhausted, label_out_of_range
from whydied.diagnose.rules.graphs import feed_mismatch, finalised_graph, no_gradient, symbolic_as_value
from whydied.records import (
    CallBegan,
    ContractBroken,
    DataSeen,
    ErrorFacts,
    Frame,
    LayerFacts,
    Numbers,
    OutOfRangeFound,
    Record,
    Term,
)
from whydied.source.text import Source
from whydied.texts import range_error

LABEL = (
    "Received a label value of 3 which is outside the valid range of [0, 3).  Label values: 0 3 1 2 "
    "[Op:SparseSoftmaxCrossEntropyWithLogits]"
)
INDEX = "indices[5,3] = 44 is not in [0, 30)\n\t [[{{node embedding_lookup}}]]"
CLASSES = Term(kind="classes", words="classes from 0 to 2", by="op", source="3 outputs", low=0, high=3, below=True)
FOUND = OutOfRangeFound(
    name="kinds",
    term=CLASSES,
    value="3",
    rows=[5, 9],
    count=2,
    rows_seen=50,
    values=["3", "3"],
    least=1,
    greatest=3,
    matched=True,
)


def case(message: str, *records: Record, kind: str = "InvalidArgumentError") -> Case:
    return case_of(process=[*records, raised(kind, message)], exit_code=1)


def test_labels_over_the_data_set() -> None:
    finding = label_out_of_range.check(case(LABEL, FOUND))
    assert finding is not None
    assert finding.message == (
        "train.py:5: kinds: 2 of 50 rows (5, 9) have 3; values range from 1 to 3; expected classes from 0 to 2 (3 "
        "outputs)"
    )
    assert finding.advice == ["The labels count from 1 to 3; the loss counts classes from 0. Subtract 1: `kinds - 1`."]
    assert finding.certainty == "certain"


def test_labels_of_which_only_the_batch_is_known() -> None:
    finding = label_out_of_range.check(case(LABEL))
    assert finding is not None
    assert finding.message == (
        "train.py:5: the labels: row 1 of the batch has 3; expected classes from 0 to 2 (3 outputs)"
    )
    assert finding.culprit is not None
    assert finding.culprit.rows is not None
    assert (finding.culprit.rows.batch, finding.culprit.rows.dataset) == ([1], [])


@pytest.mark.parametrize(("distinct", "is_binary"), [([0.0, 1.0], True), ([0.0, 1.0, 2.0], False)])
def test_one_output_and_labels_of_0_and_1_is_another_loss(distinct: list[float], is_binary: bool) -> None:
    message = LABEL.replace("of 3 which", "of 1 which").replace("[0, 3)", "[0, 1)").replace("0 3 1 2", "0 1 1 0")
    seen = DataSeen(
        name="y", role="target", sort="array", shape=[None], dtype="int64", rows_seen=4, rows=4, distinct=distinct
    )
    source = "model = build()\nmodel.compile(\n    'adam', loss='sparse_categorical_crossentropy')\n\nmodel.fit(x, y)\n"
    facts = ErrorFacts(compiled=Frame(file=FILE, line=2, function="<module>", user=True))
    given = case(message, seen, facts)
    given.recording.sources[FILE] = Source(source)
    finding = label_out_of_range.check(given)
    assert finding is not None
    assert finding.location is not None
    assert ("binary_crossentropy" in finding.advice[0], finding.location.line) == (is_binary, 2 if is_binary else 5)
    if is_binary:
        (change,) = finding.changes
        assert [edit.text.strip("'\"") for edit in change.edits] == ["binary_crossentropy"]


def test_a_shape_that_is_fed_and_does_not_fit() -> None:
    text = "Cannot feed value of shape (8,) for Tensor features:0, which has shape (None, 8)"
    finding = feed_mismatch.check(case(text, kind="ValueError"))
    assert finding is not None
    assert finding.message == (
        "train.py:5: the value fed of shape (8,) is fed to `features`: it has 1 axis where 2 are expected; "
        "expected (None, 8)"
    )
    assert finding.advice == ["The batch axis is missing: feed `value[None]`, or several rows at once."]


def test_data_with_another_range_are_not_named() -> None:
    other = OutOfRangeFound(name="ages", term=CLASSES, value="12", rows=[1], count=1, rows_seen=9, values=["12"])
    finding = label_out_of_range.check(case(LABEL, other))
    assert finding is not None
    assert "ages" not in finding.message


@pytest.mark.parametrize(
    "rule", [label_out_of_range, index_out_of_range, iterator_exhausted, feed_mismatch, finalised_graph, no_gradient]
)
def test_another_error_is_left_alone(rule: object) -> None:
    assert rule.check(case("the file has 3 labels [0, 3)", kind="ValueError")) is None  # type: ignore[attr-defined]


def test_none_that_is_no_gradient_is_left_alone() -> None:
    text = "unsupported operand type(s) for *: 'float' and 'NoneType'"
    assert no_gradient.check(case(text, kind="TypeError")) is None


def test_text_that_cannot_be_converted_is_no_keras_tensor() -> None:
    assert symbolic_as_value.check(case("You cannot convert it to a float.", kind="ValueError")) is None


def test_what_ops_say() -> None:
    label = range_error.parse(LABEL)
    assert label is not None
    assert (label.kind, label.value, label.high, label.batch, label.refused) == ("label", 3, 3, (0, 3, 1, 2), [1])
    index = range_error.parse(INDEX)
    assert index is not None
    assert (index.kind, index.value, index.high, index.at, index.op) == ("index", 44, 30, (5, 3), "embedding_lookup")
    point = range_error.parse("indices[1] = [5, 1] does not index into param shape [3,4], node name: GatherNd")
    assert point is not None
    assert (point.value, point.high, point.axis) == (5, 3, 0)


def test_labels_that_all_rows_have() -> None:
    said = LABEL.replace("of 3 which", "of 255 which").replace("[0, 3)", "[0, 2)")
    masks = msgspec.structs.replace(
        FOUND,
        name="masks",
        term=msgspec.structs.replace(CLASSES, high=2),
        value="255",
        rows=[0, 1],
        count=2,
        rows_seen=2,
        values=["255", "255"],
        least=0,
        greatest=255,
    )
    finding = label_out_of_range.check(case(said, masks))
    assert finding is not None
    assert finding.advice[0].endswith("All rows hold 0 and 255: `masks // 255`, where they are read, makes it 0 and 1.")
    others = label_out_of_range.check(case(said, msgspec.structs.replace(masks, values=["255", "40"])))
    assert others is not None
    assert others.advice[0].endswith("`np.unique(masks, return_inverse=True)[1]`.")
    some = label_out_of_range.check(case(said, msgspec.structs.replace(masks, rows_seen=9)))
    assert some is not None
    assert some.advice[0].endswith("Fix or drop these rows.")


def test_positions_beyond_the_table() -> None:
    said = "indices[0,30] = 30 is not in [0, 30)"
    term = Term(kind="vocabulary", words="ids from 0 to 29", by="op", source="GatherV2", low=0, high=30, below=True)
    places = OutOfRangeFound(
        name="places",
        term=term,
        value="30",
        rows=[0],
        count=1,
        rows_seen=1,
        values=["30"],
        columns=[[30]],
        shape=[1, 40],
        least=0,
        greatest=39,
        matched=True,
    )
    finding = index_out_of_range.check(case(said, places))
    assert finding is not None
    assert "they are positions" in finding.advice[0]
    ids = index_out_of_range.check(case(said, msgspec.structs.replace(places, columns=[[4]])))
    assert ids is not None
    assert "they are positions" not in ids.advice[0]


@pytest.mark.parametrize(("greatest", "both"), [(20, True), (27, False)])
def test_two_tables_that_are_one_too_small_get_a_row_each(greatest: int, both: bool) -> None:
    lines = [
        "n_books, n_users = 30, 20",
        "a = Embedding(n_books, 4, name='books')(x)",
        "b = Embedding(n_users, 4, name='users')(z)",
        "model = Model([x, z], Dot(1)([a, b]))",
        "model.fit([books, users], rating)",
    ]

    def term(name: str, size: int) -> Term:
        source = f"Embedding '{name}' of {size} rows"
        return Term(kind="vocabulary", words="ids", by="embedding", source=source, low=0, high=size, below=True)

    def line(number: int) -> Frame:
        return Frame(file=FILE, line=number, function="<module>", user=True)

    books = OutOfRangeFound(
        name="books",
        term=term("books", 30),
        value="30",
        rows=[1],
        count=1,
        rows_seen=9,
        values=["30"],
        least=1,
        greatest=30,
        matched=True,
        limit_name="Embedding 'books'",
        limit_made=line(2),
    )
    users = ContractBroken(
        name="x[1]", term=term("users", 20), rows=[2], count=1, rows_seen=9, values=["20"], frames=[line(5)], call=1
    )
    numbers = Numbers(shape=[9], dtype="int64", count=9, least=1, greatest=greatest)
    seen = DataSeen(
        call=1, name="x[1]", role="input", sort="array", shape=[None], dtype="int64", rows_seen=9, numbers=numbers
    )
    layers = [
        LayerFacts(name="books", type="Embedding", made=line(2)),
        LayerFacts(name="users", type="Embedding", made=line(3)),
    ]
    facts = ErrorFacts(link=0, type="InvalidArgumentError", raiser="", layers=layers)
    found = case("indices[5] = 30 is not in [0, 30)", seen, users, facts, books)
    found.recording.sources[FILE] = Source("\n".join(lines))
    finding = index_out_of_range.check(found)
    assert finding is not None
    assert ("Embedding 'users' (line 3 of train.py) 21" in finding.changes[0].title) is both
    assert len(finding.changes[0].edits) == 1 + both


@pytest.mark.parametrize(
    ("greatest", "distinct", "anew"),
    [(900, 30, True), (900, 25, True), (30, 30, False), (900, 12, False), (900, 31, False)],
)
def test_ids_of_which_there_are_as_many_as_rows_are_numbered_anew(greatest: int, distinct: int, anew: bool) -> None:
    term = Term(
        kind="vocabulary",
        words="ids",
        by="embedding",
        source="Embedding 'books' of 30 rows",
        low=0,
        high=30,
        below=True,
    )
    frames = [Frame(file=FILE, line=5, function="<module>", user=True)]
    broken = ContractBroken(
        name="x[0]", term=term, rows=[1], count=7, rows_seen=9, values=["44"], frames=frames, call=1, distinct=distinct
    )
    numbers = Numbers(shape=[9], dtype="int64", count=9, least=1, greatest=greatest)
    seen = DataSeen(
        call=1, name="x[0]", role="input", sort="array", shape=[None], dtype="int64", rows_seen=9, numbers=numbers
    )
    began = CallBegan(call=1, kind="fit", frames=frames)
    found = case("indices[5] = 44 is not in [0, 30)", began, seen, broken)
    found.recording.sources[FILE] = Source(
        "import pandas as pd\n\n\nt = pd.read_csv(f)\nmodel.fit([t.book, t.user], y)\n"
    )
    finding = index_out_of_range.check(found)
    assert finding is not None
    assert (f"{distinct} different ids, which are not numbered from 0 on" in finding.message) is anew
    patched = [line for patch in patches_of(found, finding) for line in patch if line.startswith("+")]
    assert ("+model.fit([pd.factorize(t.book)[0], t.user], y)" in patched) is anew


def _beyond(count: int, width: int) -> Case:
    made = Frame(file=FILE, line=1, function="<module>", user=True)
    term = Term(kind="vocabulary", words="ids from 0 to 29", by="op", source="", low=0, high=30, below=True)
    ids = OutOfRangeFound(
        name="ids",
        term=term,
        value="44",
        rows=[1, 2],
        count=count,
        rows_seen=50,
        values=["44", "40"],
        least=0,
        greatest=79,
        matched=True,
        limit_name="Embedding 'table'",
        limit_made=made,
    )
    layer = LayerFacts(name="table", type="Embedding", made=made, output_shape=[None, None, width])
    found = case(INDEX, ErrorFacts(layers=[layer]), ids)
    found.recording.sources[FILE] = Source("x = Embedding(hidden, words, name='table')(x)\n\n\n\nmodel.fit(ids)\n")
    return found


def test_most_rows_beyond_a_table_are_not_to_be_fixed() -> None:
    few, most = (index_out_of_range.check(_beyond(count, 8)) for count in (2, 48))
    assert few is not None
    assert most is not None
    assert few.location is not None
    assert most.location is not None
    assert (few.location.line, few.certainty) == (5, "certain")
    assert (most.location.line, most.certainty) == (1, "likely")
    assert few.advice[0].endswith("otherwise fix these rows.")
    assert "fix these rows" not in most.advice[0]


def test_a_table_whose_numbers_are_exchanged() -> None:
    one = _beyond(48, 80)
    finding = index_out_of_range.check(one)
    assert finding is not None
    assert "look exchanged, `Embedding(words, hidden)`; or it needs 80 rows." in finding.advice[0]
    assert patches_of(one, finding)[0][-1] == "+x = Embedding(words, hidden, name='table')(x)"


SIZED = """words = count()
x = Embedding({size}, 8, name="table")(x)


model.fit(ids)
"""


@pytest.mark.parametrize(
    ("size", "least", "distinct", "line"),
    [
        ("words", 0, 31, 1),
        ("words", 1, 30, 1),
        ("words", 0, 12, 1),
        ("30", 0, 31, 2),
        # One id beyond the end of a table whose size is written out is not an argument against the table.
        ("30", 0, 12, 5),
        ("words", 4, 12, 5),
    ],
)
def test_the_line_that_fixes_the_size_where_the_data_show_it_wrong(
    size: str, least: int, distinct: int, line: int
) -> None:
    term = Term(kind="vocabulary", words="ids from 0 to 29", by="op", source="", low=0, high=30, below=True)
    ids = OutOfRangeFound(
        name="ids",
        term=term,
        value="30",
        rows=[1],
        count=1,
        rows_seen=50,
        values=["30"],
        least=least,
        greatest=30,
        distinct=distinct,
        limit_name="Embedding 'table'",
        limit_made=Frame(file=FILE, line=2, function="<module>", user=True),
    )
    found = case("indices[5] = 30 is not in [0, 30)", ids)
    found.recording.sources[FILE] = Source(SIZED.format(size=size))
    finding = index_out_of_range.check(found)
    assert finding is not None
    assert finding.location is not None
    assert finding.location.line == line
    assert ("need 31 rows" in finding.message) is (line != 5)
    if line == 1:
        assert "`input_dim=words + 1`" in finding.advice[0]
