"""The rules about one step, one call and one tensor, with near misses."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.memory_runs import LIMIT, MIB, at, called, got, killed, seen, step
from whydied.diagnose.engine import diagnose
from whydied.diagnose.rules.memory import oversized_tensor, redundant_copies
from whydied.diagnose.rules.memory.at_once import (
    batch_too_large,
    model_too_large,
    oversized_batch_once,
    whole_dataset_in_one_call,
)
from whydied.graph.op_table import Function, Layer, Line, Op, Table
from whydied.records import CensusTaken, FunctionTraced, GraphRecorded, Holder, LineSampled, ObjectGroup, WeightMade
from whydied.source.text import Source

FIT = "x = load()\nnet.fit(x, batch_size=512)\n"
BATCHED = "SIZE = 512\ndata = rows.batch(SIZE)\nnet.fit(data)\n"
LOOP = "for x in batches:\n    with tape:\n        y = net(x)\n    update()\n"
TEST = "for part in parts:\n    net(part)\nscores = net(x_test)\n"


# batch-too-large


def test_a_batch_of_fit_is_too_large() -> None:
    found = batch_too_large.check(killed(FIT, seen(2, 300), called("fit", 2, 4000, 512), step(1), seen(2, 900)))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.culprit.value) == (2, "batch_size", "512")
    assert found.culprit.bytes == 724 * MIB
    assert found.certainty == "likely"


def test_the_line_is_the_one_that_chose_the_batch() -> None:
    call = called("fit", 3, 512, 512)
    found = batch_too_large.check(killed(BATCHED, seen(3, 300), call, step(1), seen(3, 900)))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name) == (2, "SIZE")


def test_an_eager_step_under_a_tape() -> None:
    found = batch_too_large.check(killed(LOOP, seen(3, 300), got(3, [256, 8], taped=True), seen(4, 900)))
    assert found is not None
    assert found.culprit is not None
    assert (found.culprit.name, found.culprit.shape) == ("x", [256, 8])


@pytest.mark.parametrize(
    "records",
    [
        pytest.param(
            (seen(2, 300), called("fit", 2, 4000, 512), *(step(n) for n in range(1, 9)), seen(2, 900)),
            id="the step worked many times",
        ),
        pytest.param((seen(2, 900), called("fit", 2, 4000, 512), step(1), seen(2, 950)), id="it took little"),
        pytest.param((seen(2, 300), called("fit", 2, 4000, 512), seen(2, 900)), id="no step had begun"),
        pytest.param((seen(2, 300), called("fit", 2, 4000, 512), step(1), seen(1, 900)), id="fit was left"),
        pytest.param((seen(2, 300), got(2, [512, 8]), seen(2, 900)), id="nothing was trained"),
    ],
)
def test_near_misses_of_a_batch(records: tuple[object, ...]) -> None:
    assert batch_too_large.check(killed(FIT, *records)) is None  # type: ignore[arg-type]


def _graph(traced: int | None = None) -> Table:
    """Rows of 64 numbers, multiplied into rows of 200,000 by a layer that line 1 made."""
    ops = (
        Op("x", "Placeholder", shapes=((traced, 64),), dtypes=("float32",)),
        Op("w", "Const", shapes=((64, 200_000),), dtypes=("float32",)),
        Op("wide/MatMul", "MatMul", ((0, 0), (1, 0)), (), ((traced, 200_000),), ("float32",), 0, 0),
        Op("gradient_tape/wide/Mul", "Mul", ((2, 0), (2, 0)), (), ((traced, 200_000),), ("float32",), 0, 0),
        Op("out", "Identity", ((3, 0),), (), ((traced, 200_000),), ("float32",)),
    )
    function = Function("step", ops, inputs=(0,), outputs=((4, 0),))
    layer = Layer("wide", "Dense", FILE, 1, "<module>")
    return Table("step", (function,), (Line(FILE, 1, "<module>"),), (layer,), (), (), 1)


def test_the_graph_tells_what_a_step_needs_and_what_fits() -> None:
    recorded = GraphRecorded(function="step", file="1-0.bin", operations=5)
    records = (seen(2, 300), recorded, got(2, [2000, 64], unit="function"), seen(2, 900))
    case = killed("net = make()\nnet(x)\n", *records, graphs={"1-0.bin": _graph()})
    found = batch_too_large.check(case)
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.bytes is not None
    assert found.culprit.bytes >= 2 * 2000 * 200_000 * 4 * 0.9
    assert "a batch of" in found.message.split(";")[-1]
    assert any("wide" in str(one.value) for one in found.evidence)
    assert found.certainty == "certain"


def test_a_damaged_graph_takes_nothing_away() -> None:
    recorded = GraphRecorded(function="step", file="gone.bin", operations=5)
    case = killed(FIT, seen(2, 300), recorded, called("fit", 2, 4000, 512), step(1), seen(2, 900))
    assert batch_too_large.check(case) is not None


# whole-dataset-in-one-call


def test_all_rows_in_one_batch_of_predict() -> None:
    case = killed("p = net.predict(x_test, batch_size=4000)\n", seen(1, 300), called("predict", 1, 4000, 4000), step(1),
                  seen(1, 900))  # fmt: skip
    found = whole_dataset_in_one_call.check(case)
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.name == "x_test"
    assert "4,000 rows" in found.message
    assert any("predict(…, batch_size=32)" in advice for advice in found.advice)


def test_a_model_called_with_far_more_rows_than_before() -> None:
    records = (got(2, [32, 8]), seen(2, 280), got(3, [4000, 8], 11), seen(3, 900))
    found = whole_dataset_in_one_call.check(killed(TEST, *records))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.certainty) == (3, "x_test", "certain")


@pytest.mark.parametrize(
    ("source", "records"),
    [
        pytest.param(
            "p = net.predict(x)\n",
            (seen(1, 300), called("predict", 1, 4000), step(1), seen(1, 900)),
            id="the usual batch",
        ),
        pytest.param(
            TEST, (got(2, [32, 8]), seen(2, 280), got(3, [40, 8], 11), seen(3, 900)), id="hardly more rows than before"
        ),
        pytest.param(TEST, (seen(2, 280), got(3, [4000, 8], 1, taped=True), seen(3, 900)), id="a training step"),
        pytest.param("net(x[a:b])\n", (seen(1, 280), got(1, [400, 8]), seen(1, 900)), id="a slice, and none before"),
    ],
)
def test_near_misses_of_the_whole_data_set(source: str, records: tuple[object, ...]) -> None:
    assert whole_dataset_in_one_call.check(killed(source, *records)) is None  # type: ignore[arg-type]


# oversized-batch-once


def _lengths(last: list[int], count: int = 40) -> list[object]:
    usual = [got(3, [32, 40 + n], n + 1, "function") for n in range(6)]
    return [*usual, seen(3, 300), got(3, [32, *last], count, "function"), seen(3, 900)]


def test_one_batch_is_far_longer() -> None:
    found = oversized_batch_once.check(killed(LOOP, *_lengths([9000])))  # type: ignore[arg-type]
    assert found is not None
    assert found.culprit is not None
    assert (found.culprit.shape, found.culprit.value, found.culprit.name) == ([32, 9000], "batch 39", "x")
    assert "usually [32, 42]" in found.message


@pytest.mark.parametrize("records", [_lengths([50]), _lengths([9000], count=3)], ids=["like the others", "the third"])
def test_near_misses_of_one_batch(records: list[object]) -> None:
    assert oversized_batch_once.check(killed(LOOP, *records)) is None  # type: ignore[arg-type]


def test_a_generator_that_gave_one_long_batch() -> None:
    usual = [got(2, [16, 40 + n], n + 1, "generator") for n in range(6)]
    steps = [step(n) for n in range(1, 31)]
    long = got(2, [16, 90_000], 31, "generator")
    call = called("fit", 2, 0)
    case = killed(FIT, call, *usual, *steps, seen(2, 300), step(31), long, seen(2, 900))
    found = oversized_batch_once.check(case)
    assert found is not None
    assert found.culprit is not None
    assert (found.culprit.shape, found.certainty) == ([16, 90_000], "likely")


# model-too-large


def _weight(size: int, layer: str = "wide", line: int = 1, total: int | None = None) -> WeightMade:
    return WeightMade(
        layer=layer,
        type="Dense",
        shape=[size, MIB // 4],
        dtype="float32",
        size_bytes=size * MIB,
        total_bytes=(total or size) * MIB,
        weight="kernel",
        built=at(line),
        frames=[at(2)],
    )


def test_weights_that_do_not_fit() -> None:
    records = (_weight(100, "small", 3), _weight(600, total=700), seen(2, 900))
    found = model_too_large.check(killed("wide = Dense(9)\nbuild()\nsmall = 1\n", *records))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.culprit.bytes) == (1, "wide", 600 * MIB)
    assert found.certainty == "certain"


def test_a_model_that_is_small_beside_the_rest() -> None:
    assert model_too_large.check(killed("wide = Dense(9)\nbuild()\n", _weight(40), seen(2, 900))) is None


def test_a_model_that_trained_for_long() -> None:
    steps = [step(n) for n in range(1, 20)]
    records = (_weight(500), seen(2, 700), called("fit", 2, 4000, 32), *steps, seen(2, 900))
    assert model_too_large.check(killed(FIT, *records)) is None


# oversized-tensor


def test_a_request_that_was_refused() -> None:
    message = "Unable to allocate 7.28 TiB for an array with shape (1000000, 1000000) and data type float64"
    case = case_of(LIMIT, process=[raised("_ArrayMemoryError", message)], exit_code=1)
    case.recording.sources = {FILE: Source("a\nb\nc\nd\ntable = np.ones((n, n))\n")}
    found = oversized_tensor.check(case)
    assert found is not None
    assert found.culprit is not None
    assert (found.culprit.name, found.culprit.bytes) == ("table", 8 * 10**12)
    assert diagnose(case.recording, (), case).cause is not None


def test_a_small_request_was_only_the_last_straw() -> None:
    message = "Unable to allocate 8.00 MiB for an array with shape (1024, 1024) and data type float64"
    assert oversized_tensor.check(case_of(LIMIT, process=[raised("_ArrayMemoryError", message)], exit_code=1)) is None


def test_killed_in_one_statement() -> None:
    found = oversized_tensor.check(killed("N = 20000\ntable = np.ones((N, N))\n", seen(1, 110), seen(2, 500)))
    assert found is not None
    assert found.culprit is not None
    assert (found.culprit.name, found.culprit.shape, found.culprit.bytes) == ("table", [20_000, 20_000], 3_200_000_000)


def test_a_product_of_operands_whose_shapes_the_source_tells() -> None:
    source = "a = tf.ones([30000, 4])\nb = tf.ones([30000, 4])\nc = tf.matmul(a, b, transpose_b=True)\n"
    found = oversized_tensor.check(killed(source, seen(2, 110), seen(3, 500)))
    assert found is not None
    assert found.culprit is not None
    assert (found.culprit.shape, found.culprit.dtype) == ([30_000, 30_000], "float32")


@pytest.mark.parametrize(
    ("source", "records"),
    [
        pytest.param("for n in many:\n    keep(make(n))\n", (seen(1, 110), seen(2, 500)), id="in a loop"),
        pytest.param("a = 1\nb = make()\n", (seen(1, 900), seen(2, 950)), id="it took little"),
        pytest.param(FIT, (seen(1, 110), called("fit", 2, 4000, 512), seen(2, 500)), id="a call of Keras"),
    ],
)
def test_near_misses_of_one_tensor(source: str, records: tuple[object, ...]) -> None:
    assert oversized_tensor.check(killed(source, *records)) is None  # type: ignore[arg-type]


# redundant-copies


def _array(name: str, dtype: str, mib: int, copies_of: str | None = None, root: str = "global") -> ObjectGroup:
    return ObjectGroup(
        kind="array",
        type="numpy.ndarray",
        count=1,
        size_bytes=mib * MIB,
        shape=[mib, MIB // 8],
        dtype=dtype,
        holders=[Holder(path=name, root=root)],
        copies_of=copies_of,
        copies=[name] if copies_of else [],
    )


def _census(*groups: ObjectGroup) -> CensusTaken:
    return CensusTaken(trigger="85 % of the limit", rss_bytes=900 * MIB, groups=list(groups))


CAST = "raw = read()\nrows = raw.astype('float32')\nrest()\n"


def test_a_cast_that_is_kept_beside_its_source() -> None:
    groups = (_array("raw", "float64", 500, "rows (float32 array)"), _array("rows", "float32", 250))
    found = redundant_copies.check(killed(CAST, seen(3, 800), _census(*groups), seen(3, 900)))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    # The census takes the narrower type for the original; the source says which was first.
    assert (found.location.line, found.culprit.name, found.culprit.near) == (2, "rows", ["raw"])
    assert found.culprit.bytes == 250 * MIB


def test_killed_while_the_copy_is_made() -> None:
    records = (seen(1, 500), _census(_array("raw", "float64", 400)), seen(2, 700))
    found = redundant_copies.check(killed(CAST, *records))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.certainty) == (2, "rows", "likely")


def test_an_array_that_a_library_holds_while_it_copies_it() -> None:
    records = (seen(1, 500), _census(_array("value", "float64", 400, root="library")), seen(2, 700))
    found = redundant_copies.check(killed(CAST, *records))
    assert found is not None
    assert "`raw`" in found.message


TWICE = "raw = read()\nother = work()\nrows = constant(raw)\n"


def test_a_copy_that_only_a_library_has_is_the_running_statement() -> None:
    copy = _array("value", "float32", 250, "raw (float32 array)", root="library")
    records = (seen(2, 500), seen(3, 500), _census(_array("raw", "float32", 250), copy), seen(3, 900))
    found = redundant_copies.check(killed(TWICE, *records, peak=900))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.culprit.near) == (3, "rows", ["raw"])
    # 400 MiB more: one copy is whole, the second was begun.
    assert found.culprit.bytes == 500 * MIB


@pytest.mark.parametrize(
    "groups",
    [
        pytest.param((_array("raw", "float64", 500), _array("rows", "float32", 250)), id="different contents"),
        pytest.param((_array("a", "float64", 40, "rows (float32 array)"), _array("rows", "float32", 20)), id="small"),
    ],
)
def test_near_misses_of_copies(groups: tuple[ObjectGroup, ...]) -> None:
    assert redundant_copies.check(killed(CAST, seen(3, 800), _census(*groups), seen(3, 900))) is None


def test_a_program_that_finished_had_enough_memory() -> None:
    records = (seen(2, 300), called("fit", 2, 4000, 512), step(1), _weight(600), seen(2, 900))
    case = case_of(LIMIT, process=records, exit_code=0)
    rules = (batch_too_large, model_too_large, oversized_tensor, redundant_copies, whole_dataset_in_one_call)
    assert [rule.check(case) for rule in rules] == [None] * 5


def test_a_program_that_another_exception_ended() -> None:
    groups = (_array("raw", "float64", 500, "rows (float32 array)"), _array("rows", "float32", 250))
    error = raised("InvalidArgumentError", "Incompatible shapes: [10000,3] vs. [10000,3]")
    case = case_of(LIMIT, process=[seen(3, 800), _census(*groups), seen(3, 900), error], exit_code=1)
    assert redundant_copies.check(case) is None
    assert oversized_tensor.check(case) is None


def test_an_empty_array_takes_its_memory_when_it_is_filled() -> None:
    source = "table = np.zeros((9000, 9000))\nfor n in rows:\n    table[n] = row(n)\n"
    found = oversized_tensor.check(killed(source, seen(1, 110), seen(3, 300), seen(3, 700)))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.culprit.bytes) == (1, "table", 648_000_000)


def test_a_graph_that_is_refused_names_the_line_that_made_the_op() -> None:
    message = (
        "Graph execution error:\n\nDetected at node 'a' defined at (most recent call last):\n"
        f"    File \"{FILE}\", line 2, in <module>\nNode: 'a'\n"
        "OOM when allocating tensor with shape[10000,10000,10000] and type float on CPU:0 by allocator mklcpu"
    )
    case = case_of(LIMIT, process=[raised("ResourceExhaustedError", message)], exit_code=1)
    case.recording.sources = {FILE: Source("s = session()\na = normal()\nb = 1\nc = 1\ns.run(a)\n")}
    found = oversized_tensor.check(case)
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name) == (2, "a")


def test_a_batch_that_was_refused() -> None:
    message = "OOM when allocating tensor with shape[512,64,64] and type float on CPU:0 by allocator mklcpu"
    records = (seen(2, 300), called("fit", 2, 4000, 512), step(1), raised("ResourceExhaustedError", message, number=2))
    case = case_of(LIMIT, process=records, exit_code=1)
    case.recording.sources = {FILE: Source(FIT)}
    found = batch_too_large.check(case)
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.name == "batch_size"
    assert "a request for 8.00 MiB failed" in found.message


def test_a_refused_request_of_other_rows_is_not_the_batch() -> None:
    message = "OOM when allocating tensor with shape[77,64,64] and type float on CPU:0 by allocator mklcpu"
    records = (seen(2, 300), called("fit", 2, 4000, 512), step(1), raised("ResourceExhaustedError", message, number=2))
    case = case_of(LIMIT, process=records, exit_code=1)
    case.recording.sources = {FILE: Source(FIT)}
    assert batch_too_large.check(case) is None


def test_what_tracing_takes_is_not_the_step() -> None:
    def counted(rss: int, allocator: int) -> LineSampled:
        return LineSampled(frames=[at(2)], rss_bytes=rss * MIB, allocator_bytes=allocator * MIB)

    traced = FunctionTraced(name="step", traces=1)
    records = (counted(300, 10), called("fit", 2, 4000, 512), step(1), traced, counted(500, 10), counted(900, 400))
    found = batch_too_large.check(killed(FIT, *records))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.bytes == 524 * MIB


def test_copies_of_several_originals_are_all_counted() -> None:
    wide = ObjectGroup(
        kind="array",
        type="numpy.ndarray",
        count=2,
        size_bytes=400 * MIB,
        shape=[200, MIB // 8],
        dtype="float64",
        holders=[Holder(path="one", root="global", share=0.5), Holder(path="two", root="global", share=0.5)],
        copies_of="rows (float32 array)",
        copies=["one", "two"],
        originals=["rows (float32 array)", "others (float32 array)"],
    )
    source = "rows = read()\nothers = read()\none = rows.astype('float64')\ntwo = others.astype('float64')\nrest()\n"
    groups = (wide, _array("rows", "float32", 100), _array("others", "float32", 100))
    found = redundant_copies.check(killed(source, seen(5, 800), _census(*groups), seen(5, 900)))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.bytes == 400 * MIB
    assert "`one` is a copy of `rows`, and `two` of `others`" in found.message


def test_a_copy_that_is_being_made_is_as_large_as_its_type_says() -> None:
    records = (seen(1, 500), _census(_array("raw", "float64", 860)), seen(2, 700))
    found = redundant_copies.check(killed(CAST, *records, peak=900))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.bytes == 430 * MIB


def test_an_array_that_a_layer_is_made_of_is_told_where_it_is_made() -> None:
    source = (
        "def table():\n    matrix = np.zeros((354217, 300))\n    return matrix\n\n"
        "vectors = table()\nlayer = Embedding(len(vectors), 300, trainable=False)\nnet(layer)\n"
    )
    weight = WeightMade(
        layer="embedding",
        type="Embedding",
        shape=[354217, 300],
        dtype="float32",
        size_bytes=405 * MIB,
        total_bytes=405 * MIB,
        built=at(6),
        frames=[at(7)],
    )
    holder = Holder(path="vectors", root="global", file=FILE, function="<module>")
    array = ObjectGroup(
        kind="array", type="numpy.ndarray", count=1, size_bytes=810 * MIB, shape=[354217, 300], dtype="float64",
        holders=[holder],
    )  # fmt: skip
    census = CensusTaken(trigger="92 % of the limit", rss_bytes=900 * MIB, groups=[array])
    found = model_too_large.check(killed(source, seen(5, 300), weight, census, seen(7, 900)))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert "the array `vectors` of the same shape 810 MiB beside" in found.message
    assert found.advice[0].startswith(
        "Give `vectors` fewer rows than 354,217: only ids that occur in the input need one"
    )
    assert "gradients" not in found.advice[1]


def test_one_hot_targets_are_not_mapped_from_a_file() -> None:
    message = "Unable to allocate 46.9 GiB for an array with shape (299997, 42000) and data type float32"
    case = case_of(LIMIT, process=[raised("_ArrayMemoryError", message, number=2)], exit_code=1)
    text = "import numpy as np\nrows = np.zeros((len(y), 42000), 'float32')\nrows[np.arange(9), y] = 1\n"
    fed = "model.compile(loss='categorical_crossentropy')\nmodel.fit(x, rows)\n"
    case.recording.sources = {FILE: Source(text + fed)}
    found = oversized_tensor.check(case)
    assert found is not None
    assert "for the one-hot rows of `y`; the limit" in found.message
    assert "Pass the integers `y` themselves to `fit`, and use `sparse_categorical_crossentropy`" in found.advice[0]
    assert not any(change.kind == "memmap" for change in found.changes)
