from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised, recording_of
from tests.unit.diagnose.growing import MIB, Timed, census, frame, group, growing, ramp
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.engine import diagnose
from whydied.diagnose.rules.graphs import (
    constant_over_2gb,
    graph_growth,
    large_constant_in_graph,
    session_never_closed,
    variables_in_loop,
)
from whydied.records import (
    ConstantMade,
    GraphAddition,
    ModuleImported,
    Operand,
    SessionOpened,
    SessionRan,
    VariablesMade,
)

SOURCE = """\
for step in range(100):
    sess = tf.Session()
    batch = tf.constant(images)
    weight = tf.Variable(batch)
    state.append(weight)
    sess.run(batch)
"""
TIMES = [1.5 + n * 0.4 for n in range(20)]


def opened(still_open: float = 1.0) -> list[Timed]:
    return [
        (at_s, SessionOpened(count=n, open=round(n * still_open), frames=[frame(2)])) for n, at_s in enumerate(TIMES, 1)
    ]


def test_sessions_that_stay_open_are_counted_and_named() -> None:
    found = session_never_closed.check(growing(opened(), ramp(1000), source=SOURCE))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.certainty) == (2, "sess", "certain")
    assert "20 of 20 sessions" in found.message
    assert found.culprit.bytes == pytest.approx(1000 * MIB, rel=0.1)


@pytest.mark.parametrize(("still_open", "mib"), [(0.1, 1000), (1.0, 40)])
def test_sessions_that_are_closed_or_cost_nothing_are_healthy(still_open: float, mib: int) -> None:
    assert session_never_closed.check(growing(opened(still_open), ramp(mib), source=SOURCE)) is None


def ran(constant_mib: int = 0, grows: bool = True) -> list[Timed]:
    added = [
        GraphAddition(file=FILE, line=3, function="<module>", operations=1, constant_bytes=constant_mib * MIB),
        GraphAddition(file=FILE, line=6, function="<module>", operations=4),
    ]
    return [
        (at_s, SessionRan(count=n, operations=10 + 5 * n * grows, graph=7, added=added if grows or n == 1 else []))
        for n, at_s in enumerate(TIMES, 1)
    ]


def test_the_line_with_the_constants_is_named() -> None:
    found = graph_growth.check(growing(ran(constant_mib=50), ramp(1000), source=SOURCE))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name) == (3, "batch")
    assert "adds a constant to the graph at every step" in found.message
    assert "from 15 to 110 ops" in found.message


def test_without_large_constants_the_line_with_the_most_ops_is_named() -> None:
    found = graph_growth.check(growing(ran(), ramp(1000), source=SOURCE))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 6


def test_a_few_steps_are_enough_where_their_constants_are_the_growth() -> None:
    few = [one for n, one in enumerate(ran(constant_mib=60)) if n % 4 == 0]
    found = graph_growth.check(growing(few, ramp(1000), source=SOURCE))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    without = [one for n, one in enumerate(ran()) if n % 4 == 0]
    assert graph_growth.check(growing(without, ramp(1000), source=SOURCE)) is None


def late(at_s: float) -> int:
    """Memory that one run takes at the end: it copies a graph with all the constants before."""
    return ramp(1000)(at_s) if at_s > TIMES[5] else ramp(1000)(0.0)


def test_the_last_run_takes_the_memory_where_each_session_copies_the_constants_of_all_before() -> None:
    few = ran(constant_mib=40)[:6]
    found = graph_growth.check(growing(few, late, source=SOURCE))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    assert graph_growth.check(growing(ran(constant_mib=4)[:6], late, source=SOURCE)) is None


def test_a_graph_that_was_built_once_is_healthy() -> None:
    assert graph_growth.check(growing(ran(grows=False), ramp(1000), source=SOURCE)) is None


def made(number: int = 20) -> list[Timed]:
    return [
        (at_s, VariablesMade(count=n * 5, size_bytes=n * 5 * 10 * MIB, frames=[frame(4)]))
        for n, at_s in enumerate(TIMES[:number], 1)
    ]


def test_variables_that_pile_up_are_named_with_their_holder_and_bytes() -> None:
    taken = (5.1, census(500, group("variable", 45, 450, "state"), python_mib=450))
    found = variables_in_loop.check(growing([*made(), taken], ramp(1000), source=SOURCE))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.certainty) == (4, "state", "certain")
    assert found.culprit.bytes == pytest.approx(1000 * MIB, rel=0.1)


def test_variables_that_were_made_after_the_census_count_at_the_end() -> None:
    before = (3.1, census(260, group("variable", 22, 220, "state"), python_mib=220))
    taken = (5.1, census(500, group("variable", 45, 450, "state"), python_mib=450))
    course = ramp(1000)
    found = variables_in_loop.check(
        growing([*made(10), before, taken], lambda at_s: course(min(6.5, at_s)), source=SOURCE)
    )
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.bytes == pytest.approx(560 * MIB, rel=0.05)
    assert "at the end" in found.message


def test_variables_that_are_let_go_are_healthy() -> None:
    taken = (5.1, census(500, group("variable", 2, 20, "state"), python_mib=20))
    assert variables_in_loop.check(growing([*made(), taken], ramp(1000), source=SOURCE)) is None


def test_a_few_variables_are_healthy() -> None:
    assert variables_in_loop.check(growing(made(1), ramp(1000), source=SOURCE)) is None


def test_an_array_larger_than_a_graph_can_hold_is_named() -> None:
    message = "Cannot create a tensor proto whose content is larger than 2GB."
    operand = Operand(text="images", type="numpy.ndarray", shape=[30000, 30000], dtype="float32")
    case = case_of(process=[raised("ValueError", message, operands=[operand])], exit_code=1)
    found = constant_over_2gb.check(case)
    assert found is not None
    assert found.culprit is not None
    assert (found.culprit.name, found.culprit.bytes, found.certainty) == ("images", 3_600_000_000, "certain")


def test_another_value_error_is_no_matter_of_size() -> None:
    assert constant_over_2gb.check(case_of(process=[raised("ValueError", "bad shape")], exit_code=1)) is None


def baked(mib: int) -> list[Timed]:
    return [(2.0, ConstantMade(size_bytes=mib * MIB, frames=[frame(3)], shape=[mib, 1 << 18], dtype="float32"))]


def test_a_large_constant_of_a_graph_is_named() -> None:
    found = large_constant_in_graph.check(growing(baked(200), ramp(1000), source=SOURCE))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.culprit.bytes) == (3, "images", 200 * MIB)


@pytest.mark.parametrize(("mib", "grown_mib"), [(20, 100), (70, 1000)])
def test_a_small_constant_is_not_blamed(mib: int, grown_mib: int) -> None:
    assert large_constant_in_graph.check(growing(baked(mib), ramp(grown_mib), source=SOURCE)) is None


def test_numpy_on_a_tensor_of_pytorch_in_keras_is_told_with_the_operation_of_keras() -> None:
    text = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
    keras = [ModuleImported(name="torch", version="2.13"), ModuleImported(name="keras", version="3.15")]
    found = diagnose(recording_of(process=[*keras, raised("RuntimeError", text)], exit_code=1)).cause
    assert found is not None
    assert found.name == "symbolic-as-value"
    assert "a tensor of PyTorch that Keras trains with" in found.message
    alone = diagnose(recording_of(process=[keras[0], raised("RuntimeError", text)], exit_code=1)).cause
    assert alone is not None
    assert alone.name == "uncaught-exception"


def test_a_loop_that_opens_sessions_and_calls_what_adds_to_the_graph() -> None:
    source = (
        "def layer():\n    return tf.constant(images)\n\nfor step in range(100):\n    start = now()\n"
        "    sess = tf.Session()\n    sess.run(layer())\n    sess.close()\n"
    )
    opens = [(at_s, SessionOpened(count=n, open=0, frames=[frame(6)])) for n, at_s in enumerate(TIMES, 1)]
    added = [GraphAddition(file=FILE, line=2, function="layer", operations=1, constant_bytes=40 * MIB)]
    runs = [(at_s, SessionRan(count=n, operations=10 + n, graph=7, added=added)) for n, at_s in enumerate(TIMES, 1)]
    case = growing([*opens, *runs], ramp(1000), source=source)
    found = graph_growth.check(case)
    assert found is not None
    assert found.advice[0].startswith("The loop opens a session of its own in each pass: call `")
    assert patches_of(case, found)[0] == ["+    tf.compat.v1.reset_default_graph()"]
