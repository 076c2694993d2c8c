from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.growing import MIB, Timed, census, frame, group, growing, ramp
from whydied.diagnose.engine import diagnose
from whydied.diagnose.rules.memory import retracing
from whydied.records import FunctionTraced

SOURCE = """\
import tensorflow as tf

@tf.function
def scaled(x, factor):
    return x * factor

for step in range(100):
    scaled(x, step)
"""
SPEC = "TensorSpec(shape=({rows}, 4), dtype=tf.float32, name=None)"


def traces(signature: object, number: int = 20, until_s: float = 9.5) -> list[Timed]:
    first = 1.5
    return [
        (
            first + (until_s - first) * n / number,
            FunctionTraced(
                name="scaled",
                traces=n + 1,
                file=FILE,
                line=3,
                signature=signature(n),  # type: ignore[operator]
                frames=[frame(8)],
            ),
        )
        for n in range(number)
    ]


def by_scalar(n: int) -> list[str]:
    return [f"x: {SPEC.format(rows=2)}", f"factor: Literal[{n}]"]


def test_the_python_value_that_is_new_each_time_is_named() -> None:
    found = retracing.check(growing(traces(by_scalar), ramp(1000), source=SOURCE))
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.certainty) == (8, "factor", "certain")
    assert "(train.py:3) was traced 20 times" in found.message
    assert "Python value that is new each time (0, 1, 2, …)" in found.message
    assert found.culprit.bytes == pytest.approx(1000 * MIB, rel=0.1)


@pytest.mark.parametrize(
    ("signature", "name", "says"),
    [
        (lambda n: [f"x: {SPEC.format(rows=n)}", "factor: Literal[2]"], "x", "a new shape each time ((0, 4), (1, 4)"),
        (
            lambda n: [f"x: {SPEC.format(rows=1)}", f"factor: Weakref[<weakref at 0x{n:x}; to 'Settings' at 0x1>])"],
            "factor",
            "a new object each time (Settings objects)",
        ),
    ],
)
def test_what_differs_is_told_apart(signature: object, name: str, says: str) -> None:
    found = retracing.check(growing(traces(signature), ramp(1000), source=SOURCE))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.name == name
    assert says in found.message


def test_a_function_made_anew_each_time_is_named_by_its_definition() -> None:
    found = retracing.check(growing(traces(lambda n: ["x: one"]), ramp(1000), source=SOURCE))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    assert "it is created again each time" in found.message


def test_few_traces_are_healthy() -> None:
    assert retracing.check(growing(traces(by_scalar, number=5), ramp(1000), source=SOURCE)) is None


def test_traces_that_ended_long_before_the_growth_are_not_blamed() -> None:
    assert retracing.check(growing(traces(by_scalar, until_s=3.0), ramp(1000), source=SOURCE)) is None


def test_traces_without_growth_are_not_blamed() -> None:
    assert retracing.check(growing(traces(by_scalar), ramp(50), source=SOURCE)) is None


def test_one_jump_at_the_end_is_not_blamed_on_the_traces() -> None:
    def course(at_s: float) -> int:
        return 400 * MIB + (1000 * MIB if at_s > 9.4 else 0)

    assert retracing.check(growing(traces(by_scalar), course, source=SOURCE)) is None


def test_objects_that_the_program_names_come_first() -> None:
    kept = (9.0, census(880, group("tensor", 200, 800), python_mib=800))
    case = growing([*traces(by_scalar), kept], ramp(1000), source=SOURCE)
    assert retracing.check(case) is None
    cause = diagnose(case.recording).cause
    assert cause is not None
    assert cause.name == "tensors-kept-in-container"


def test_functions_of_a_library_made_anew_are_a_matter_of_models() -> None:
    library = [
        (at_s, FunctionTraced(name="one_step", traces=n, file="/lib/keras/trainer.py", line=1, frames=[frame(8)]))
        for n, (at_s, _) in enumerate(traces(by_scalar), 1)
    ]
    assert retracing.check(growing(library, ramp(1000), source=SOURCE)) is None


def test_a_function_that_repeats_its_traces_is_itself_new() -> None:
    """Three signatures in twenty traces: no argument explains the other seventeen."""
    found = retracing.check(growing(traces(lambda n: [f"x: {SPEC.format(rows=n % 3)}"]), ramp(1000), source=SOURCE))
    assert found is not None
    assert "it is created again each time" in found.message


def test_values_that_were_cut_may_differ_behind_the_cut() -> None:
    long = f"x: List[{', '.join(['Literal[0]'] * 40)}"[:200]
    found = retracing.check(
        growing(traces(lambda n: [long if n > 8 else f"x: List[Literal[{n}]]"]), ramp(1000), source=SOURCE)
    )
    assert found is not None
    assert "its argument `x`" in found.message
