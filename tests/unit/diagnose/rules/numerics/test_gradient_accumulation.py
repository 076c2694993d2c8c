from __future__ import annotations

import ast

import pytest

from tests.unit.diagnose.bad_steps import bad_step, norms
from tests.unit.diagnose.case_of import FILE, case_of
from whydied.diagnose.engine import diagnose
from whydied.diagnose.rules.numerics import gradient_accumulation_unbounded
from whydied.source.text import Source
from whydied.source.training.accumulation import accumulators

VARIABLES = """
totals = [tf.Variable(tf.zeros_like(w)) for w in weights]
for number, batch in enumerate(data):
    with tf.GradientTape() as tape:
        loss = compute(batch)
    gradients = tape.gradient(loss, weights)
    for total, gradient in zip(totals, gradients):
        total.assign_add(gradient)
    if number % 4 == 3:
        optimizer.apply_gradients(zip(totals, weights))
"""
RESET = VARIABLES + "        for total in totals:\n            total.assign(tf.zeros_like(total))\n"
LISTS = """
def train(data):
    total = None
    for batch in data:
        grads = tape.gradient(loss, weights)
        total = grads if total is None else [a + g for a, g in zip(total, grads)]
        optimizer.apply_gradients([(g / 4.0, w) for g, w in zip(total, weights)])
"""
ATTRIBUTE = """
class Model:
    def train_step(self, data):
        grads = tape.gradient(loss, self.weights)
        for i, g in enumerate(grads):
            self.total[i].assign_add(g)
        self.optimizer.apply_gradients(zip(self.total, self.weights))
"""


@pytest.mark.parametrize(
    ("source", "name", "is_reset", "is_divided"),
    [
        (VARIABLES, "totals", False, False),
        (RESET, "totals", True, False),
        (RESET.replace("zip(totals, weights)", "[(t / 4, w) for t, w in zip(totals, weights)]"), "totals", True, True),
        (LISTS, "total", False, True),
        (ATTRIBUTE, "self.total", False, False),
    ],
)
def test_an_accumulator_is_seen_with_what_it_lacks(source: str, name: str, is_reset: bool, is_divided: bool) -> None:
    found = accumulators(ast.parse(source))
    assert [(one.name, one.is_reset, one.is_divided) for one in found] == [(name, is_reset, is_divided)]


@pytest.mark.parametrize(
    "source",
    [
        "loss += value\nhistory.append(loss)",
        "count.assign_add(1)\noptimizer.apply_gradients(zip(grads, weights))",
        "grads = tape.gradient(loss, weights)\noptimizer.apply_gradients(zip(grads, weights))",
    ],
)
def test_other_sums_are_no_accumulators(source: str) -> None:
    assert accumulators(ast.parse(source)) == []


def test_it_lies_below_the_explosion_that_it_brings() -> None:
    case = bad_step(norms(1.0, 50.0, 2e3, 1e5, 4e6, float("inf")), source=VARIABLES)
    found = diagnose(case.recording, case=case)
    assert [finding.name for finding in found.findings] == ["gradient-accumulation-unbounded", "exploding-gradients"]
    assert found.cause is not None
    assert found.cause.location is not None
    assert found.cause.location.line == 8
    assert "`totals` accumulates the gradients of each batch and is never reset to zero" in found.cause.message


@pytest.mark.parametrize(("totals", "told"), [([1.0 + n for n in range(20)], True), ([1.0] * 20, False)])
def test_it_is_told_where_it_matters(totals: list[float], told: bool) -> None:
    case = case_of(process=[norms(*totals, moment="end")], exit_code=0)
    case.recording.sources[FILE] = Source(VARIABLES)
    assert (gradient_accumulation_unbounded.check(case) is not None) == told


def test_a_sum_that_is_reset_and_divided_is_right() -> None:
    right = RESET.replace("zip(totals, weights)", "[(t / 4, w) for t, w in zip(totals, weights)]")
    case = bad_step(norms(1.0, 50.0, 2e3, 1e5, 4e6, float("inf")), source=right)
    assert gradient_accumulation_unbounded.check(case) is None
