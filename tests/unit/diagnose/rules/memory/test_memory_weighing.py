"""What weighs more than it seems, or less: tapes, workers, long elements, squares, copies of a library's own."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.growing import MIB, Timed, census, group, growing, ramp
from tests.unit.diagnose.memory_runs import at, got, killed, seen, step
from tests.unit.graph.drawing import Drawing, table
from whydied.diagnose.case import Case
from whydied.diagnose.engine import diagnose
from whydied.diagnose.rules.memory import oversized_tensor, redundant_copies, tensors_kept_in_container
from whydied.diagnose.rules.memory.at_once import batch_too_large, oversized_batch_once
from whydied.records import BatchChosen, CallBegan, GraphRecorded, ObjectGroup, ProcessSample

TAPES = "tapes = []\nwhile True:\n    with Tape(persistent=True) as tape:\n        f(x)\n    tapes.append(tape)\n"


def _tapes(*counts: int, root: str = "global") -> Case:
    """A run with so many tapes, one census after another, each 100 MiB larger than the one before."""
    records: list[Timed] = [
        (9.0 - len(counts) + n, census(900 - 100 * (len(counts) - 1 - n), group("tape", count, 0, "tapes", root)))
        for n, count in enumerate(counts)
    ]
    return growing(records, ramp(900), source=TAPES)


def test_tapes_are_weighed_by_what_memory_grew_with_them() -> None:
    found = tensors_kept_in_container.check(_tapes(70, 80, 90))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name) == (5, "tapes")
    assert found.culprit.bytes == pytest.approx(900 * MIB, rel=0.02)
    assert "holds 90 gradient tapes" in found.message


SUM = "total = 0\nfor x in data:\n    loss = f(x)\n    total = loss + total\n"


def _sums(*lengths: int) -> Case:
    """A run with a sum of tensors of PyTorch whose graph has so many steps, one census after another."""

    def chain(length: int) -> ObjectGroup:
        return msgspec.structs.replace(group("tape", length, 0, "total"), type="torch.autograd.AddBackward0")

    records: list[Timed] = [
        (9.0 - len(lengths) + n, census(900 - 100 * (len(lengths) - 1 - n), chain(length)))
        for n, length in enumerate(lengths)
    ]
    return growing(records, ramp(900), source=SUM)


def test_a_sum_that_keeps_the_graphs_of_its_parts_is_told_at_its_line() -> None:
    # Each census is written twice where libraries were looked into.
    found = tensors_kept_in_container.check(_sums(28, 53, 53, 90, 90))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 4
    assert "`total` keeps the autograd graph of each of 90 steps" in found.message


@pytest.mark.parametrize("case", [_sums(90, 90), _sums(90, 40)], ids=["no longer than before", "shorter"])
def test_a_sum_that_does_not_grow_is_not_told(case: Case) -> None:
    assert tensors_kept_in_container.check(case) is None


@pytest.mark.parametrize(
    "case",
    [_tapes(1, 1), _tapes(2, 5), _tapes(90, 90), _tapes(10, 900), _tapes(70, 80, root="library"), _tapes(80)],
    ids=["one", "few", "no more than before", "small ones", "a library's", "seen once"],
)
def test_other_tapes_are_nothing(case: Case) -> None:
    assert tensors_kept_in_container.check(case) is None


def _worker(pid: int, mib: int) -> ProcessSample:
    return ProcessSample(pid=pid, ppid=4242, name="python", state="R", rss_bytes=mib * MIB, anon_bytes=mib * MIB)


@pytest.mark.parametrize(("each_mib", "cause"), [(250, "MEM019"), (60, "MEM006")])
def test_workers_that_outweigh_what_the_program_keeps_are_the_cause(each_mib: int, cause: str) -> None:
    taken = (9.0, census(500, group("array", 30, 180, "images")))
    children = [_worker(n, each_mib) for n in range(4)]
    case = growing([taken], ramp(500), source="images.append(x)\npool = Pool(4)\n", children=children)
    found = diagnose(case.recording, case=case).cause
    assert found is not None
    assert found.code == cause


def _padded(element: list[int], spec: str) -> Case:
    usual = [got(2, [40 + n], n + 1, "generator") for n in range(20)]
    data = {"type": "Dataset", "element_spec": f"(TensorSpec(shape={spec}, dtype=tf.int64, name=None),)"}
    call = CallBegan(call=1, kind="fit", frames=[at(2)], model="net", arguments={"x": data})
    chosen = BatchChosen(rows=32, method="padded_batch", frames=[at(1)])
    steps = [step(n) for n in range(1, 10)]
    long = got(2, element, 301, "generator")
    source = "data = texts.padded_batch(32)\nnet.fit(data)\n"
    return killed(source, chosen, call, *usual, *steps, seen(2, 300), step(10), long, seen(2, 900))


def test_one_long_element_makes_its_whole_batch_long() -> None:
    found = oversized_batch_once.check(_padded([16_000], "(None, None)"))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.shape == [32, 16_000]
    assert "element 300 of the generator has shape [16000], others have [49]" in found.message
    assert "padded to [32, 16000]" in found.message


def test_a_generator_of_batches_gives_batches() -> None:
    found = oversized_batch_once.check(_padded([16_000], "(None,)"))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.shape == [16_000]
    assert "element" not in found.message


@pytest.mark.parametrize(("x", "told"), [("(None, 64)", False), ("(None, None)", True), ("(8, 64)", False)])
def test_the_rows_of_a_batch_of_labels_are_not_an_open_extent(x: str, told: bool) -> None:
    specs = ", ".join(f"TensorSpec(shape={shape}, dtype=tf.float32, name=None)" for shape in (x, "(None,)"))
    data = {"type": "Dataset", "element_spec": f"({specs})"}
    call = CallBegan(call=1, kind="fit", frames=[at(1)], model="net", arguments={"x": data})
    steps = [step(n) for n in range(1, 24)]
    case = killed("net.fit(data)\n", call, *steps, seen(1, 300), step(24), seen(1, 900))
    assert (oversized_batch_once.check(case) is not None) is told


def _copies(name: str, original: str, root: str) -> Case:
    whole = group("array", 1, 300, name, root, shape=[400, 9], dtype="float32")
    other = group("tensor", 1, 300, original, "library", shape=[400, 9], dtype="float32")
    copied = msgspec.structs.replace(whole, copies=[name], originals=[original], copies_of=original)
    groups: list[ObjectGroup] = [copied, other]
    return growing([(9.0, census(900, *groups))], ramp(900), source="rows = load()\n")


def test_a_copy_that_only_a_library_has_is_not_told() -> None:
    assert redundant_copies.check(_copies("array", "self", "library")) is None
    assert redundant_copies.check(_copies("rows", "self", "global")) is not None


@pytest.mark.parametrize(("width", "told"), [(2000, True), (1999, False)])
def test_a_length_that_the_largest_tensor_has_twice_is_told(width: int, told: bool) -> None:
    drawing = Drawing()
    x = drawing.argument((None, 2000, 8))
    scores = drawing.op("BatchMatMulV2", x, x, shape=(None, 2000, width))
    back = drawing.op("Mul", scores, scores, shape=(None, 2000, width), name="gradient_tape/Mul")
    drawing.op("Identity", back, shape=(None, 2000, width))
    graph = table(drawing.function(drawing.op("Exp", back, shape=(None, 2000, width))))
    recorded = GraphRecorded(function="step", file="1-0.bin", operations=5)
    records = (seen(2, 300), recorded, got(2, [64, 2000, 8], unit="function"), seen(2, 900))
    found = batch_too_large.check(killed("net = make()\nnet(x)\n", *records, graphs={"1-0.bin": graph}))
    assert found is not None
    assert any("grows with the square of 2,000" in advice for advice in found.advice) is told


def test_an_array_that_was_only_begun_is_told_where_its_size_is_known() -> None:
    source = "a = load()\nb = np.ones((20_000, 10_000))\n"
    found = oversized_tensor.check(killed(source, seen(1, 700), seen(2, 750), seen(2, 1000)))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.bytes == 20_000 * 10_000 * 8


STEPS = "history = []\nwhile True:\n    with tape:\n        y = net(x)\n    history.append(y)\n"


@pytest.mark.parametrize(("grows_mib", "told"), [(300, False), (20, True)])
def test_a_step_is_not_blamed_for_what_a_container_gathers(grows_mib: int, told: bool) -> None:
    """Nobody counted steps: the program has no optimizer."""
    inputs = got(4, [32, 64], taped=True)
    taken = [census(at_mib, group("tensor", 40, mib, "history")) for at_mib, mib in ((300, 9), (800, 9 + grows_mib))]
    lines = [(n / 10, seen(4, 400 + 10 * n)) for n in range(15, 100)]
    case = growing([(1.5, inputs), (4.0, taken[0]), (8.0, taken[1]), *lines], ramp(900), source=STEPS)
    assert (batch_too_large.check(case) is not None) is told


def test_one_hot_columns_have_advice_of_their_own() -> None:
    source = "table = load()\nrows = pd.get_dummies(table, columns=['user'])\n"
    found = oversized_tensor.check(killed(source, seen(1, 120), seen(2, 200), seen(2, 1000)))
    assert found is not None
    assert found.advice[0].startswith("Each distinct value becomes a column")
    assert "this statement creates one large object: more than" in found.message
