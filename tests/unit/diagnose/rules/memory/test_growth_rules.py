from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.growing import BASE_BYTES, MIB, Timed, census, frame, group, growing, lines, ramp
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.engine import diagnose
from whydied.diagnose.memory.memory_jumps import jumps_of
from whydied.diagnose.memory.memory_over_time import growth_by_line, leaks
from whydied.diagnose.rules.memory import (
    arrays_kept_in_container,
    models_kept,
    native_growth,
    pipeline_buffer_too_large,
    predict_in_loop,
    workers_times_queue,
)
from whydied.records import (
    CallBegan,
    DatasetMade,
    EpochBegan,
    Frame,
    FunctionTraced,
    LineSampled,
    ProcessSample,
    StepBegan,
)

SOURCE = """\
ds = ds.shuffle(5000)
for step in range(100):
    tf.py_function(work, [x], tf.float32)
    model.predict(x)
    models.append(model)
"""


# native-growth


def native(course_mib: int = 1000, seen_mib: int = 800, **fields: int) -> list[Timed]:
    return [*lines(3, ramp(course_mib)), (9.0, census(seen_mib, **fields))]


def test_growth_without_objects_is_native_and_goes_with_a_call() -> None:
    found = native_growth.check(growing(native(), ramp(1000), source=SOURCE))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.certainty) == (3, "tf.py_function", "likely")
    assert "it is native memory" in found.message
    assert found.culprit.bytes == pytest.approx(1000 * MIB, rel=0.1)


def test_one_call_was_not_called_repeatedly() -> None:
    source = "ds = pipeline()\nmodel.compile()\nmodel.fit(ds)\n"
    found = native_growth.check(growing(native(), ramp(1000), source=source))
    assert found is not None
    assert "while `model.fit` ran, " in found.message
    assert found.message.endswith("what holds it is not known")
    assert "loop" not in " ".join(found.advice)


def test_one_call_of_a_program_that_had_enough_is_not_growth() -> None:
    source = "import numpy as np\n\ntable = rng.normal(size=(6_000_000, 8))\nprint(table.mean())\n"
    assert native_growth.check(growing(native(), ramp(1000), source=source, killed=False)) is None
    assert native_growth.check(growing(native(), ramp(1000), source=SOURCE, killed=False)) is not None
    stepped = [*native(), (5.0, StepBegan(unit="train", count=90))]
    assert native_growth.check(growing(stepped, ramp(1000), source=source, killed=False)) is not None


def test_growth_is_of_the_thread_that_worked_while_the_main_one_waited() -> None:
    source = "def read():\n    return tuple(rows())\nworker.start()\nworker.join()\n"
    waiting = lines(4, ramp(1000))
    worked = [
        (at + 0.001, LineSampled(frames=[frame(2, "read")], thread="77", rss_bytes=sampled.rss_bytes))
        for at, sampled in waiting[2::3]
        if isinstance(sampled, LineSampled)
    ]
    case = growing(sorted([*waiting, *worked], key=lambda one: one[0]), ramp(1000), source=source)
    assert [line.location.line for line in growth_by_line(case)] == [2, 4]
    assert growth_by_line(case)[0].grown_bytes > 0.8 * 1000 * MIB


def test_objects_that_only_a_library_holds_are_described() -> None:
    held = group("array", 700, 750, "", "unknown")
    taken = (9.0, census(800, held, python_mib=750))
    found = native_growth.check(growing([*lines(3, ramp(1000)), taken], ramp(1000), source=SOURCE))
    assert found is not None
    assert "700 objects (array, 750 MiB) that no variable of the program refers to" in found.message


def test_named_objects_are_not_native() -> None:
    taken = (9.0, census(800, group("tensor", 70, 480), python_mib=480))
    assert native_growth.check(growing([*lines(3, ramp(1000)), taken], ramp(1000), source=SOURCE)) is None


def test_a_census_from_before_the_growth_says_nothing() -> None:
    assert native_growth.check(growing(native(seen_mib=100), ramp(1000), source=SOURCE)) is None


def test_a_single_explosion_is_no_growth() -> None:
    def course(at_s: float) -> int:
        return BASE_BYTES + (900 * MIB if at_s > 8 else 0)

    taken = (8.5, census(900))
    assert native_growth.check(growing([*lines(3, course), taken], course, source=SOURCE)) is None


def test_a_fast_loop_is_no_single_explosion() -> None:
    def course(at_s: float) -> int:
        return BASE_BYTES + int(1000 * MIB * min(1.0, max(0.0, at_s - 8)))

    alternating: list[Timed] = [
        (8 + n / 20, LineSampled(frames=[frame(2 + n % 2)], rss_bytes=course(8 + n / 20))) for n in range(20)
    ]
    taken = (8.9, census(900))
    assert native_growth.check(growing([*alternating, taken], course, source=SOURCE)) is not None


# predict-in-loop


PREDICTS = SOURCE.replace("tf.py_function(work, [x], tf.float32)", "x = load(step)")


def predicting(number: int = 80, kind: str = "predict") -> list[Timed]:
    return [(1.5 + 8 * n / number, CallBegan(call=n + 1, kind=kind, frames=[frame(4)])) for n in range(number)]


def test_predict_that_grows_for_good_is_named() -> None:
    found = predict_in_loop.check(growing(predicting(), ramp(1000), source=PREDICTS, killed=False))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name) == (4, "model.predict")
    assert "called 80 times" in found.message


def test_predict_that_levels_off_is_healthy() -> None:
    def plateau(at_s: float) -> int:
        return BASE_BYTES + min(400 * MIB, int(400 * MIB * max(0.0, at_s - 1)))

    assert predict_in_loop.check(growing(predicting(), plateau, source=PREDICTS, killed=False)) is None


@pytest.mark.parametrize("process", [predicting(number=20), predicting(kind="fit")])
def test_few_calls_and_other_calls_are_not_predict_in_a_loop(process: list[Timed]) -> None:
    assert predict_in_loop.check(growing(process, ramp(1000), source=PREDICTS, killed=False)) is None


def test_a_function_that_tensorflow_keeps_is_not_blamed_on_predict() -> None:
    assert predict_in_loop.check(growing(predicting(), ramp(1000), source=SOURCE, killed=False)) is None


# pipeline-buffer-too-large


def stage(kind: str = "shuffle", **fields: int | None) -> Timed:
    return 1.2, DatasetMade(kind=kind, frames=[frame(1)], element_spec="TensorSpec", **fields)


def test_a_buffer_is_blamed_only_where_memory_ran_out() -> None:
    made = stage(buffer_size=800, elements=None, element_bytes=MIB)
    killed = growing([made], ramp(1500), source=SOURCE)
    finished = growing([made], ramp(2500), source=SOURCE, killed=False)
    assert leaks(finished)
    named = [[one.name for one in diagnose(case.recording).findings] for case in (killed, finished)]
    assert ["pipeline-buffer-too-large" in names for names in named] == [True, False]


OPENED = "CYCLE = 100\ndata = files.interleave(rows_of, cycle_length=CYCLE, num_parallel_calls=2)\n"


@pytest.mark.parametrize(("each_mib", "wanted"), [(10, 20), (None, 20)])
def test_tensors_of_the_data_sets_that_an_interleave_has_open(each_mib: int | None, wanted: int) -> None:
    size = each_mib * MIB if each_mib else None
    made = DatasetMade(kind="tensors", frames=[frame(2)], buffer_size=1, element_bytes=size, copies=100)
    case = growing([(1.2, made)], ramp(1200), source=OPENED)
    found = pipeline_buffer_too_large.check(case)
    assert found is not None
    assert found.culprit is not None
    assert found.location is not None
    assert (found.culprit.name, found.culprit.value, found.location.line) == ("cycle_length", "100", 2)
    assert found.culprit.bytes == (1000 * MIB if each_mib else None)
    assert patches_of(case, found) == [["-CYCLE = 100", f"+CYCLE = {wanted}"]]


@pytest.mark.parametrize(("each_mib", "copies"), [(1, 100), (None, 4)])
def test_a_few_or_small_data_sets_of_an_interleave_are_not_blamed(each_mib: int | None, copies: int) -> None:
    size = each_mib * MIB if each_mib else None
    made = DatasetMade(kind="tensors", frames=[frame(2)], buffer_size=1, element_bytes=size, copies=copies)
    assert pipeline_buffer_too_large.check(growing([(1.2, made)], ramp(1200), source=OPENED)) is None


@pytest.mark.parametrize(
    ("made", "grows"),
    [
        ([], True),
        ([stage(buffer_size=400, element_bytes=MIB)], False),
        ([stage(buffer_size=40, element_bytes=MIB)], True),
        # One place of the source: each data set takes the place of the last.
        ([stage(buffer_size=40, element_bytes=MIB)] * 10, True),
        ([stage("cache", elements=400, element_bytes=MIB)], False),
        ([stage("cache", elements=None, element_bytes=MIB)], False),
    ],
)
def test_a_buffer_that_fills_is_no_leak(made: list[Timed], grows: bool) -> None:
    assert leaks(growing(made, ramp(500), source=SOURCE, killed=False)) is grows


def test_what_grows_before_the_first_step_is_done_is_no_leak() -> None:
    def course(at_s: float) -> int:
        return min(ramp(500)(at_s), ramp(500)(8.5))

    def stepped(from_s: float) -> list[Timed]:
        return [(from_s + n / 10, StepBegan(unit="train", count=n + 1)) for n in range(10)]

    assert not leaks(growing(stepped(8.5), course, source=SOURCE, killed=False))
    assert leaks(growing(stepped(1.5), ramp(500), source=SOURCE, killed=False))


def test_a_buffer_that_fits_is_not_what_memory_ran_out_by() -> None:
    made = stage(buffer_size=100, element_bytes=MIB)
    assert pipeline_buffer_too_large.check(growing([made], ramp(180), source=SOURCE)) is None
    assert pipeline_buffer_too_large.check(growing([made], ramp(180), source=SOURCE, limit_bytes=700 * MIB))


def test_a_shuffle_buffer_is_its_elements_times_their_size() -> None:
    made = stage(buffer_size=5000, elements=None, element_bytes=MIB)
    found = pipeline_buffer_too_large.check(growing([made], ramp(1500), source=SOURCE))
    assert found is not None
    assert found.culprit is not None
    assert found.location is not None
    assert (found.location.line, found.culprit.bytes, found.certainty) == (1, 5000 * MIB, "certain")
    assert "the shuffle buffer of 5,000 elements of 1.00 MiB" in found.message


def test_a_buffer_holds_no_more_than_there_is() -> None:
    made = stage(buffer_size=10_000, elements=900, element_bytes=MIB)
    found = pipeline_buffer_too_large.check(growing([made], ramp(1500), source=SOURCE))
    assert found is not None
    assert found.culprit is not None
    assert (found.culprit.bytes, found.certainty) == (900 * MIB, "likely")


def test_a_cache_holds_all_elements() -> None:
    found = pipeline_buffer_too_large.check(
        growing([stage("cache", elements=1200, element_bytes=MIB)], ramp(1500), source=SOURCE)
    )
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.name == "cache"


@pytest.mark.parametrize(
    "made",
    [
        stage(buffer_size=100, element_bytes=MIB),
        stage(buffer_size=5, element_bytes=None),
        stage("prefetch", buffer_size=2, element_bytes=10 * MIB),
        stage("map", buffer_size=2, element_bytes=10 * MIB),
        stage("map", buffer_size=None, element_bytes=10 * MIB),
    ],
)
def test_small_and_unknown_buffers_are_not_blamed(made: Timed) -> None:
    assert pipeline_buffer_too_large.check(growing([made], ramp(1500), source=SOURCE)) is None


def test_a_buffer_of_an_unknown_size_is_blamed_only_while_it_is_filled() -> None:
    open_shapes = stage(buffer_size=5000, element_bytes=None)
    found = pipeline_buffer_too_large.check(growing([open_shapes], ramp(1500), source=SOURCE))
    assert found is not None
    assert found.certainty == "likely"
    assert "the shuffle buffer of 5,000 elements was being filled" in found.message
    stepped = [open_shapes, *((6.0, StepBegan(unit="train", count=count)) for count in (1, 2))]
    assert pipeline_buffer_too_large.check(growing(stepped, ramp(1500), source=SOURCE)) is None


def test_a_cache_that_nobody_counted_is_blamed_while_the_first_epoch_fills_it() -> None:
    made = stage("cache", elements=None, element_bytes=MIB)
    found = pipeline_buffer_too_large.check(growing([made], ramp(1500), source=SOURCE))
    assert found is not None
    assert found.certainty == "likely"
    assert "the cache of about 1,500 elements of 1.00 MiB was being filled in the first epoch" in found.message
    second = [made, (2.0, StepBegan(unit="train", count=50, epoch=1))]
    assert pipeline_buffer_too_large.check(growing(second, ramp(1500), source=SOURCE)) is None


def test_a_parallel_map_holds_the_results_of_its_calls() -> None:
    source = "ds = ds.map(load, num_parallel_calls=64)\n"
    case = growing([stage("map", buffer_size=64, elements=500, element_bytes=24 * MIB)], ramp(1500), source=source)
    found = pipeline_buffer_too_large.check(case)
    assert found is not None
    assert "`map` with 64 parallel calls holds as many results of 24.0 MiB, which would need 1.50 GiB" in found.message
    assert found.changes
    assert [change.title for change in found.changes] == ["Make 10 calls at a time"]


@pytest.mark.parametrize("inner", [[frame(2, "station")], []], ids=["seen", "made by AutoGraph"])
def test_a_buffer_inside_of_interleave_is_there_as_often_as_that_opens_it(inner: list[Frame]) -> None:
    made = DatasetMade(kind="shuffle", frames=[frame(3), *inner], buffer_size=1000, element_bytes=10 << 10, copies=64)
    source = "def station(n):\n    return rows(n).shuffle(1000)\nds = files.interleave(station, cycle_length=64)\n"
    found = pipeline_buffer_too_large.check(growing([(1.2, made)], ramp(900), source=source))
    assert found is not None
    assert found.culprit is not None
    assert found.location is not None
    assert (found.location.line, found.culprit.bytes) == (2, 64 * 1000 * (10 << 10))
    assert "the shuffle buffer of 1,000 elements of 10.0 KiB 64 times, as `interleave` opens them," in found.message
    assert found.evidence[1].fact == "data sets that `interleave` opens at train.py:3"
    assert found.advice[0].startswith("Put `shuffle` after `interleave`")
    assert [change.title for change in found.changes or []] == ["Use a shuffle buffer of 500 elements"]


# workers-times-queue


def worker(pid: int, mib: int) -> ProcessSample:
    return ProcessSample(pid=pid, ppid=4242, name="python", state="R", rss_bytes=mib * MIB, anon_bytes=mib * MIB)


def test_workers_that_hold_most_are_counted() -> None:
    queue = {"x": {"type": "Images", "workers": 4, "max_queue_size": 10}}
    call = (2.0, CallBegan(call=1, kind="fit", frames=[frame(4)], arguments=queue))
    case = growing([call], ramp(10), source=SOURCE, children=[worker(n, 400) for n in range(4)])
    found = workers_times_queue.check(case)
    assert found is not None
    assert found.culprit is not None
    assert found.location is not None
    assert (found.culprit.bytes, found.culprit.value, found.location.line) == (1600 * MIB, "4", 4)
    assert "(workers=4, max_queue_size=10)" in found.message


def test_workers_that_each_make_the_same_are_told_to_share_it() -> None:
    children = [worker(n, 400) for n in range(1, 5)]
    loading = {n: lines(3, ramp(400)) for n in range(1, 5)}
    waiting = {n: [(2.0, LineSampled(frames=[], rss_bytes=MIB)), (3.0, LineSampled(frames=[]))] for n in range(1, 5)}
    source = "pool = Pool(4, load)\ndef load():\n    table = read()\n"
    for inside, told in ((loading, True), (waiting, False)):
        found = workers_times_queue.check(
            growing([], ramp(10), source=source, children=children, inside_children=inside)
        )
        assert found is not None
        assert ("Each worker makes its own at line 3 of train.py" in found.advice[1]) is told


@pytest.mark.parametrize("children", [[], [worker(1, 900)], [worker(n, 20) for n in range(4)]])
def test_small_or_single_children_are_no_workers(children: list[ProcessSample]) -> None:
    assert workers_times_queue.check(growing([], ramp(1000), source=SOURCE, children=children)) is None


# models-kept


def test_models_are_as_large_as_their_variables() -> None:
    taken = (9.0, census(800, group("model", 12, 600, "models"), python_mib=600))
    found = models_kept.check(growing([taken], ramp(900), source=SOURCE))
    assert found is not None
    assert found.culprit is not None
    assert found.location is not None
    assert (found.culprit.name, found.location.line) == ("models", 5)


def test_models_that_a_history_keeps_are_told_so() -> None:
    source = "kept = []\nfor n in range(9):\n    told = build().fit(x)\n    kept.append(told)\n"
    taken = (9.0, census(800, group("model", 12, 600, "kept"), python_mib=600))
    found = models_kept.check(growing([taken], ramp(900), source=source))
    assert found is not None
    history = "`told` is the History of `fit`, which refers to its model: keep `told.history`"
    assert any(one.startswith(history) for one in found.advice)


def test_one_large_model_is_not_several_kept() -> None:
    alone = group("model", 1, 600, "model").holders[0]
    model = group("model", 1, 600, "model")
    taken = census(800, model, python_mib=600)
    assert alone.length == 1
    assert models_kept.check(growing([(9.0, taken)], ramp(900), source=SOURCE)) is None


def retraced_by_keras(number: int = 20) -> list[Timed]:
    file = "/lib/keras/src/backend/tensorflow/trainer.py"
    return [
        (
            1.5 + n * 0.4,
            FunctionTraced(name="one_step", traces=n, file=file, line=1, signature=["x: T"], frames=[frame(4)]),
        )
        for n in range(1, number + 1)
    ]


def test_models_that_are_only_overwritten_show_by_their_traces() -> None:
    found = models_kept.check(growing(retraced_by_keras(), ramp(1000), source=SOURCE))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.certainty) == (4, "model", "likely")


def test_a_model_that_only_joins_others_belongs_above_the_loop() -> None:
    source = (
        "for x in data:\n    both = Model(a.inputs, b(a.output))\n    both.compile('adam', 'mse')\n    both.fit(x)\n"
    )
    found = models_kept.check(growing(retraced_by_keras(), ramp(1000), source=source))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name) == (2, "both")
    assert found.advice[0].startswith("Move this above the loop at line 1: create and compile `both` once.")
    assert len(found.changes or []) == 1


def test_models_that_are_cleared_are_not_said_to_be_kept() -> None:
    cleared = SOURCE + "    keras.backend.clear_session()\n"
    assert models_kept.check(growing(retraced_by_keras(), ramp(1000), source=cleared)) is None
    assert models_kept.check(growing(retraced_by_keras(4), ramp(1000), source=SOURCE)) is None


# jumps


def test_a_jump_is_tied_to_its_step_epoch_and_line() -> None:
    def course(at_s: float) -> int:
        return BASE_BYTES + (800 * MIB if at_s >= 6 else 0)

    steps: list[Timed] = [(1 + n / 10, StepBegan(unit="train", count=n, epoch=1)) for n in range(1, 80)]
    process = [*lines(4, course), (1.0, EpochBegan(call=1, epoch=1)), *steps]
    case = growing(process, course, source=SOURCE)
    assert [round(jump.grown_bytes / MIB) for jump in jumps_of(case)] == [800]
    assert any("memory jumped by 800 MiB" in note and "train.py:4" in note for note in diagnose(case.recording).notes)


def test_a_steady_climb_has_no_jump() -> None:
    assert jumps_of(growing(lines(4, ramp(3000)), ramp(3000), source=SOURCE)) == []


def test_a_short_run_that_only_climbs_has_no_jump() -> None:
    course = ramp(1500, seconds=3.0)
    assert jumps_of(growing(lines(4, course, 3.0), course, seconds=3.0, source=SOURCE)) == []


# What waits in a queue

QUEUE = "data = Images(max_queue_size=50)\nnet.fit(data)\n"


def _queued(mib: int, file: str = "/usr/lib/python3.11/queue.py", most: int | None = 50) -> Case:
    given = {"type": "Images", "workers": 2, **({"max_queue_size": most} if most else {})}
    call = (2.0, CallBegan(call=1, kind="fit", frames=[frame(2)], arguments={"x": given}))
    waiting = group("array", 20, mib, "self.queue", "library")
    holder = msgspec.structs.replace(waiting.holders[0], file=file)
    taken = (9.0, census(900, msgspec.structs.replace(waiting, holders=[holder]), python_mib=mib))
    return growing([call, taken], ramp(1000), source=QUEUE)


def test_batches_that_wait_in_a_queue() -> None:
    found = workers_times_queue.check(_queued(800))
    assert found is not None
    assert found.culprit is not None
    assert found.location is not None
    assert (found.culprit.name, found.culprit.bytes, found.location.line) == ("max_queue_size", 50 * 40 * MIB, 1)
    assert found.certainty == "certain"


def test_a_queue_that_is_named_by_the_way_to_it_and_bounded_beside_its_workers() -> None:
    """As Keras 3 keeps it: the deque of the queue is reached from a variable of `fit`."""
    source = "class Images(PyDataset):\n    pass\ndata = Images(files, workers=3)\nnet.fit(data)\n"
    given = {"type": "Images", "workers": 3, "max_queue_size": 20}
    call = (2.0, CallBegan(call=1, kind="fit", frames=[frame(4)], arguments={"x": given}))
    waiting = group("array", 20, 800, "epoch_iterator.enqueuer.future_queue.queue", "library")
    holder = msgspec.structs.replace(
        waiting.holders[0], container="collections.deque", file="/site-packages/keras/trainer.py", function="fit"
    )
    taken = (9.0, census(900, msgspec.structs.replace(waiting, holders=[holder]), python_mib=800))
    case = growing([call, taken], ramp(1000), source=source)
    found = workers_times_queue.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    assert patches_of(case, found) == [
        ["-data = Images(files, workers=3)", "+data = Images(files, workers=3, max_queue_size=6)"]
    ]
    assert arrays_kept_in_container.check(case) is None


def test_a_queue_of_the_programs_own_is_kept_by_it() -> None:
    waiting = group("array", 20, 800, "self.queue", "attribute")
    case = growing([(9.0, census(900, waiting, python_mib=800))], ramp(1000), source=QUEUE)
    assert workers_times_queue.check(case) is None
    assert arrays_kept_in_container.check(case) is not None


@pytest.mark.parametrize("case", [_queued(100), _queued(800, "/home/ann/train.py"), _queued(800, most=None)])
def test_other_queues_are_another_matter(case: Case) -> None:
    assert workers_times_queue.check(case) is None
