"""A statement that is not done: what a library works on for it, and what its functions make of what they are given."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.growing import growing
from tests.unit.diagnose.memory_runs import MIB, got, killed, seen
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.memory import oversized_tensor
from whydied.diagnose.rules.memory.at_once import batch_too_large
from whydied.records import CensusTaken, Holder, ObjectGroup, ViewsHeld


def _group(path: str, shape: list[int], dtype: str, mib: int, root: str = "library", count: int = 1) -> ObjectGroup:
    container = "list" if root == "local" else ""
    holder = Holder(path=path, root=root, container=container, length=400 if container else None, file=FILE)
    return ObjectGroup(
        kind="array",
        type="numpy.ndarray",
        count=count,
        size_bytes=mib * MIB,
        shape=shape,
        dtype=dtype,
        holders=[holder],
    )


def _case(statement: str, *groups: ObjectGroup) -> Case:
    census = CensusTaken(trigger="92 % of the limit", rss_bytes=900 * MIB, groups=list(groups))
    return killed(f"n = 3\n{statement}\n", seen(1, 100), seen(2, 110), seen(2, 500), census, seen(2, 900))


def _found(statement: str, *groups: ObjectGroup) -> Finding:
    found = oversized_tensor.check(_case(statement, *groups))
    assert found is not None
    return found


def test_what_a_library_works_on_has_the_shape() -> None:
    found = _found("x = pad(clips)", _group("a", [400, 2600, 512], "float32", 2031))
    assert "one tensor or array of shape [400, 2600, 512] float32: 1.98 GiB" in found.message
    assert found.culprit is not None
    assert found.culprit.shape == [400, 2600, 512]


def test_it_is_converted_to_the_type_that_the_statement_names() -> None:
    encoded = _group("arr", [20_000, 20_000], "bool", 381)
    found = _found('x = pd.get_dummies(claims).astype("float32")', encoded)
    assert "of shape [20000, 20000] float32: 1.49 GiB" in found.message
    assert ("array that it works on meanwhile", "[20000, 20000] bool, 381 MiB") in [
        (one.fact, one.value) for one in found.evidence
    ]
    assert "identifier" in found.advice[0]


def test_a_small_one_and_a_named_one_are_not_what_it_makes() -> None:
    for group in (_group("a", [1000, 1000], "bool", 1), _group("kept", [400, 2600, 512], "float32", 2031, "global")):
        assert "one large object" in _found("x = work(clips)", group).message


def test_a_table_of_pairs_is_told_as_one() -> None:
    found = _found("both = np.corrcoef(table.T)")
    assert found.advice == [
        "`corrcoef` gives a number for every pair, n times n of them: compute only the pairs that you use (each column "
        "with the target, the nearest of each row), block by block."
    ]


def test_padding_to_one_that_is_far_longer_is_cut() -> None:
    lengths = [_group("clips", [length, 512], "float32", 2, "local", 40) for length in (15, 20, 29)]
    longest = _group("clips", [2600, 512], "float32", 5, "local")
    padded = _group("a", [400, 2600, 512], "float32", 2031)
    found = _found("x = pad_sequences(clips, maxlen=longest)", padded, *lengths, longest)
    assert "only 1 of 121 is longer than 29: give `pad_sequences` `maxlen=29`" in found.advice[0]
    assert [change.title for change in found.changes or []] == ["Pad and cut to 29"]
    alike = _found("x = pad_sequences(clips, maxlen=longest)", padded, *lengths)
    assert not alike.changes


def test_a_table_that_is_read_is_told_the_types_that_take_less() -> None:
    found = _found("table = pd.read_csv(path)", _group("dst", [40, 1_600_000], "int64", 488))
    assert "this statement took 924 MiB; 488 MiB of it is one tensor or array of shape [40, 1600000] int64" in (
        found.message
    )
    assert "name smaller types" in found.advice[0]


def test_figures_of_one_statement_are_of_one_kind() -> None:
    found = _found("x = work(clips)")
    assert found.evidence[0].fact == "memory beyond the libraries grew while running train.py:2"
    assert str(found.evidence[0].value).startswith("from 0 B to 924 MiB")


def _table(extent: int) -> ObjectGroup:
    return ObjectGroup(
        kind="array", type="numpy.ndarray", count=1, size_bytes=MIB, shape=[extent, 7], dtype="float64", holders=[]
    )


def test_a_join_that_pairs_all_rows_is_told_by_its_rows() -> None:
    made = _group("out", [7, 12_960_000], "float64", 692)
    found = _found("table = pd.merge(left=a, right=b, on='code')", made, _table(3600))
    assert "joins 3,600 rows with 3,600 to 12,960,000: each is paired with each" in found.message
    assert found.advice[0].startswith("`'code'` has the same value in all rows: join on columns that together tell")
    assert not any("255" in one for one in found.advice)


def test_a_join_of_rows_that_belong_together_is_not() -> None:
    made = _group("out", [90_000_000], "float64", 692)
    found = _found("table = pd.merge(a, b, on='code')", made, _table(80_000_000))
    assert "paired" not in found.message


def test_whitening_is_told_by_the_numbers_of_a_picture() -> None:
    source = "g = ImageDataGenerator(zca_whitening=True); g.fit(images)"
    found = _found(source, _group("images", [40, 96, 96, 3], "float32", 4, "global"))
    assert "[27648, 27648]" in found.message
    assert found.advice[0].startswith("`zca_whitening=True` makes matrices")
    plain = _found("g = ImageDataGenerator(); g.fit(images)", _group("images", [40, 96, 96, 3], "float32", 4, "global"))
    assert "zca" not in str(plain.advice)


def _jacobian(asked: str) -> Case:
    source = f"with Tape() as tape:\n    y = net(x)\nj = {asked}\n"
    return killed(source, got(2, [64, 12], taped=True), seen(2, 110), seen(3, 120), seen(3, 500), seen(3, 900))


def test_a_jacobian_is_told_at_its_own_line() -> None:
    case = _jacobian("tape.jacobian(y, w)")
    found = oversized_tensor.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    assert "computes the gradients of all outputs at once" in found.message
    assert [one.text for one in (found.changes or [])[0].edits] == [", experimental_use_pfor=False", "persistent=True"]
    assert batch_too_large.check(case) is None


def test_a_jacobian_that_is_not_vectorised_is_a_step() -> None:
    assert oversized_tensor.check(_jacobian("tape.jacobian(y, w, experimental_use_pfor=False)")) is None
    assert oversized_tensor.check(_jacobian("tape.gradient(y, w)")) is None


def test_a_column_for_each_word_is_cut_to_words_that_fit() -> None:
    made = _group("x", [9600, 28917], "float64", 2118)
    found = _found("x = Tokenizer().texts_to_matrix(texts)", made)
    assert found.advice[0].startswith("Each of the 28,917 words becomes a column: pass `num_words=2,000`")
    assert [change.edits[0].text for change in found.changes or []] == ["num_words=2000"]
    sparse = _found("x = table.toarray()", made)
    assert sparse.advice[0].startswith("A sparse table")


def test_windows_of_one_array_are_copied_by_what_joins_them() -> None:
    views = ViewsHeld(
        path="parts", number=40_000, shape=[720, 8], dtype="float32", shown_bytes=879 * MIB, of_bytes=MIB, of="data"
    )
    census = CensusTaken(trigger="92 % of the limit", rss_bytes=900 * MIB, groups=[], views=[views])
    source = "import numpy as np\nx = np.array(parts)\n"
    found = oversized_tensor.check(killed(source, seen(1, 100), seen(2, 110), census, seen(2, 900)))
    assert found is not None
    assert "copies 40,000 overlapping pieces of shape [720, 8], views of one array of 1.00 MiB, `data`" in found.message
    assert "of shape [40000, 720, 8] float32: 879 MiB" in found.message
    assert "sliding_window_view(data, 720, axis=0)" in found.advice[0]


def test_a_matrix_of_labels_that_is_encoded_again() -> None:
    tags = _group("tags", [600_000, 1500], "int8", 85, "global")
    work = _group("categorical", [900_000_000, 2], "float64", 1300)
    source = 'n = 3\nlabels = to_categorical(tags)\nmodel.compile(loss="{loss}")\n'
    census = CensusTaken(trigger="92 % of the limit", rss_bytes=900 * MIB, groups=[tags, work])
    records = (seen(1, 100), seen(2, 110), census, seen(2, 900))
    case = killed(source.format(loss="binary_crossentropy"), *records)
    found = oversized_tensor.check(case)
    assert found is not None
    assert "two columns of each of the 1,500 columns of `tags`" in found.message
    assert patches_of(case, found)[0] == ["-labels = to_categorical(tags)", "+labels = tags"]
    others = oversized_tensor.check(killed(source.format(loss="categorical_crossentropy"), *records))
    assert others is not None
    assert "two columns" not in others.message


@pytest.mark.parametrize(
    ("statement", "shape", "shown"),
    [
        ("x = np.repeat(grey, 3, axis=-1)", [9000, 99, 99, 3], "grey, grey.shape[:-1] + (3,)"),
        ("x = np.concatenate([grey, grey, grey], axis=3)", [9000, 99, 99, 3], "grey, grey.shape[:-1] + (3,)"),
        ("x = np.stack((grey,) * 3, axis=-1)", [9000, 99, 99, 1, 3], "grey[..., None], grey.shape + (3,)"),
        ("x = np.repeat(grey, 3, axis=0)", [27_000, 99, 99, 1], None),
    ],
)
def test_an_array_that_is_written_several_times(statement: str, shape: list[int], shown: str | None) -> None:
    grey = _group("grey", [9000, 99, 99, 1], "float32", 336, "global")
    census = CensusTaken(trigger="92 % of the limit", rss_bytes=900 * MIB, groups=[grey])
    source = f"import keras\n{statement}\nmodel.fit(x, y)\nimport numpy as np\n"
    case = killed(source, seen(1, 100), seen(2, 110), census, seen(2, 900))
    found = oversized_tensor.check(case)
    assert found is not None
    assert found.culprit is not None
    assert "copies `grey` 3 times" in found.message
    assert found.culprit.shape == shape
    patched = [line for patch in patches_of(case, found) for line in patch if line.startswith("+x = ")]
    assert patched == ([f"+x = np.broadcast_to({shown})"] if shown else [])


def _unseen(last: str, seconds: float) -> Finding | None:
    """Line 2 makes 400 MiB, which are there when it is last seen; the rest comes while nobody can look."""
    source = f"import numpy as np\ngrey = np.ones((100, 1024, 1024, 1), np.float32)\n{last}\n"
    looks = [(1.0, seen(1, 400)), (2.0, seen(2, 410)), (2.5, seen(2, 600)), (3.0, seen(2, 800))]
    course = {0.0: 400, 2.0: 410, 3.0: 800, 3.0 + seconds: 1600}
    return oversized_tensor.check(growing(looks, stepped(course), seconds=3.0 + seconds, source=source))


def test_a_statement_that_let_nobody_look_is_found_behind_the_last_one_seen() -> None:
    found = _unseen("colours = np.repeat(grey, 3, axis=-1)", 5.0)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    assert "copies `grey` 3 times" in found.message
    other = _unseen("colours = work(grey)", 5.0)
    assert other is not None
    assert "this statement or one after it, which let nobody look for" in other.message


def stepped(course: dict[float, int]) -> Callable[[float], int]:
    """Memory in MiB at some moments, and in a straight line between them."""
    times = sorted(course)

    def at(moment: float) -> int:
        later = next((one for one in times if one >= moment), times[-1])
        earlier = max((one for one in times if one <= moment), default=times[0])
        share = (moment - earlier) / (later - earlier) if later > earlier else 0.0
        return int((course[earlier] + share * (course[later] - course[earlier])) * MIB)

    return at
