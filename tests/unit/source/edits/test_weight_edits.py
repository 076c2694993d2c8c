"""Edits of where weights come from, and of the sign of a loss."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.runs.loss_signs import without_minus
from whydied.source.edits.runs.optimizer_edits import (
    bounded_rate,
    constant_rate,
    divided_rate,
    slower,
    slower_by_hand,
    slower_elsewhere,
)
from whydied.source.edits.runs.weight_edits import cleaned, drawn_wide

IMPORTS = "import numpy as np\nimport tensorflow as tf\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("w = tf.Variable(tf.random.normal([3, 4], stddev=50.0))", "stddev=0.05"),
        ("w = np.random.randn(3, 4) * 100", "np.random.randn(3, 4) * 0.05"),
        ("start = keras.initializers.RandomUniform(-80, 80)", "RandomUniform(-80, 0.05)"),
    ],
)
def test_a_spread_that_no_initializer_has_is_made_the_usual_one(text: str, expected: str) -> None:
    source = source_of(IMPORTS + text)
    found = drawn_wide({FILE: source})
    assert found is not None
    assert expected in after(source, [found.edit])[0]


def test_an_ordinary_spread_and_two_wide_ones_are_left_alone() -> None:
    assert drawn_wide({FILE: source_of(IMPORTS + "w = tf.random.normal([3], stddev=1.0)")}) is None
    two = "a = tf.random.normal([3], stddev=50.0)\nb = tf.random.normal([3], stddev=60.0)"
    assert drawn_wide({FILE: source_of(IMPORTS + two)}) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "model.set_weights(saved)",
            "model.set_weights([np.nan_to_num(weight, posinf=0.0, neginf=0.0) for weight in saved])",
        ),
        ("slope.assign(start)", "slope.assign(np.nan_to_num(start, posinf=0.0, neginf=0.0))"),
        (
            'model.load_weights("a.h5")',
            "model.set_weights([np.nan_to_num(weight, posinf=0.0, neginf=0.0) for weight in model.get_weights()])",
        ),
    ],
)
def test_weights_are_set_without_what_is_not_finite(text: str, expected: str) -> None:
    source = source_of(IMPORTS + text)
    edit = cleaned(source, FILE, 3)
    assert edit is not None
    assert after(source, [edit]) == [expected]


def test_what_sets_no_weights_is_left_alone() -> None:
    assert cleaned(source_of(IMPORTS + "model.fit(x)"), FILE, 3) is None


def test_a_minus_in_front_of_an_error_is_taken_off_and_one_in_front_of_a_logarithm_is_not() -> None:
    source = source_of(IMPORTS + "loss = -tf.reduce_mean(tf.square(a - b))")
    edit = without_minus(source, FILE, 3)
    assert edit is not None
    assert after(source, [edit]) == ["loss = tf.reduce_mean(tf.square(a - b))"]
    entropy = source_of(IMPORTS + "loss = -tf.reduce_sum(y * tf.math.log(p), axis=-1)")
    assert without_minus(entropy, FILE, 3) is None


def test_a_rate_that_a_function_returns_is_kept_within_a_bound() -> None:
    source = source_of("def rate(epoch):\n    return 0.2 - 0.05 * epoch\n")
    edit = bounded_rate(source, FILE, 2, "max", 1e-6)
    assert edit is not None
    assert after(source, [edit]) == ["return max(0.2 - 0.05 * epoch, 1e-06)"]
    again = source_of("def rate(epoch):\n    return max(0.2 - 0.05 * epoch, 0.1)\n")
    assert bounded_rate(again, FILE, 2, "max", 1e-6) is None


def test_a_schedule_becomes_the_rate_that_it_began_with() -> None:
    source = source_of("optimizer = keras.optimizers.SGD(learning_rate=schedule)\n")
    edit = constant_rate(source, FILE, 1, 0.01)
    assert edit is not None
    assert after(source, [edit]) == ["optimizer = keras.optimizers.SGD(learning_rate=0.01)"]
    assert constant_rate(source_of("optimizer = keras.optimizers.SGD(0.5)\n"), FILE, 1, 0.01) is None


def test_a_rate_that_another_file_sets_is_changed_there() -> None:
    settings = source_of("RATE = 0.5\nBATCH = 8\n")
    for written in ("SGD(RATE)", "SGD(learning_rate=settings.RATE)"):
        sources = {FILE: source_of(f"optimizer = keras.optimizers.{written}\n"), "/home/me/work/settings.py": settings}
        found = slower_elsewhere(sources, FILE, 1, 10.0)
        assert found is not None
        assert (found[0].file, found[0].text, found[1]) == ("/home/me/work/settings.py", "0.05", 0.05)
    both = {**sources, "/home/me/work/other.py": settings}
    assert slower_elsewhere(both, FILE, 1, 10.0) is None


def test_a_rate_of_options_is_changed_in_their_dictionary() -> None:
    source = source_of('OPTIONS = {"learning_rate": 0.5}\noptimizer = keras.optimizers.SGD(**OPTIONS)\n')
    found = slower(source, FILE, 2, 10.0)
    assert found is not None
    assert after(source, [found[0]]) == ['OPTIONS = {"learning_rate": 0.05}']


def test_a_rate_that_is_computed_is_divided_where_it_is_given() -> None:
    source = source_of("optimizer = keras.optimizers.SGD(options.rate)\n")
    edit = divided_rate(source, FILE, 1, 100.0)
    assert edit is not None
    assert after(source, [edit]) == ["optimizer = keras.optimizers.SGD(options.rate / 100.0)"]
    assert divided_rate(source_of("optimizer = keras.optimizers.SGD(schedule())\n"), FILE, 1, 100.0) is None


def test_an_update_by_hand_that_assigns_the_difference_gets_a_smaller_rate() -> None:
    source = source_of("rate = 0.5\nw.assign(w - rate * slope)\n")
    found = slower_by_hand(source, FILE, 2, 10.0)
    assert found is not None
    assert after(source, [found[0]]) == ["rate = 0.05"]
