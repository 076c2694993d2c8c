"""What the losses of two runs say about a change."""

from __future__ import annotations

import pytest

from tests.unit.prove.test_verdicts import WELL, seen
from whydied.prove.loss_courses import Course, departure, ended, stands_still
from whydied.prove.verdicts import Verdict, judged, weighed
from whydied.source.edits.edit import Change, Harm

FALLING = (4.0, 3.0, 2.5, 2.2, 2.0, 1.9, 1.8, 1.75)
PROVED = Verdict("proved", "the program finishes")


def of(*losses: float, norms: tuple[float, ...] = ()) -> dict[str, Course]:
    return {"train_step 0": Course(losses, norms)}


def change(harm: Harm, kind: str = "copies") -> Change:
    return Change(title="Leave it out", kind=kind, edits=[], harm=harm)


def test_the_same_losses_and_their_rounding_say_nothing():
    rounded = tuple(loss * (1 + 1e-5) for loss in FALLING)
    assert departure(of(*FALLING), of(*FALLING), of(*FALLING)) is None
    assert departure(of(*FALLING), of(*FALLING), of(*rounded)) is None


def test_a_step_that_differs_is_not_exact():
    other = (*FALLING[:5], 1.97, *FALLING[6:])
    found = departure(of(*FALLING), of(*FALLING), of(*other))
    assert found is not None
    assert found.harm == "same result"
    assert found.words == "its loss at step 5 is 1.97, and 1.9 without the change"


def test_another_order_of_the_rows_moves_steps_and_not_the_result():
    swapped = (3.0, 4.0, 2.2, 2.5, 1.9, 2.0, 1.75, 1.8)
    found = departure(of(*FALLING), of(*FALLING), of(*swapped))
    assert found is not None
    assert found.harm == "same result"


def test_losses_that_all_lie_elsewhere_are_another_result():
    found = departure(of(*FALLING), of(*FALLING), of(*(loss / 2 for loss in FALLING)))
    assert found is not None
    assert found.harm == "changed result"


def test_what_chance_does_is_not_blamed_on_the_change():
    once = tuple(loss * 1.3 for loss in FALLING)
    assert departure(of(*once), of(*FALLING), of(*(loss * 0.7 for loss in FALLING))) is None


def test_few_steps_and_other_trainings_say_nothing():
    assert departure(of(4.0, 3.0), of(4.0, 3.0), of(9.0, 8.0)) is None
    assert departure(of(*FALLING), of(*FALLING), {"other 0": Course((9.0,) * 8)}) is None
    nan = float("nan")
    assert departure(of(4.0, nan, nan, nan, nan), of(4.0, nan, nan, nan, nan), of(*FALLING)) is None


def test_a_loss_that_no_longer_moves_refutes():
    sick = seen(
        outcome="finished", code="NUM001", family="NUM", raised="", stack=(), courses=of(4.0, 3.0, float("nan"))
    )
    still = WELL._replace(courses=of(*[4.0] * 30))
    assert judged(sick, still, {}).word == "refuted"
    assert judged(sick, WELL._replace(courses=of(*FALLING)), {}).word == "proved"
    assert judged(sick._replace(courses=of(4.0, float("nan"))), still, {}).word == "proved"


def test_gradients_of_zero_learn_nothing_whatever_the_batches_cost():
    batches = (2.0, 2.1, 1.9, 2.2, 2.0)
    assert stands_still(of(*FALLING), of(*batches, norms=(0.0,) * 5))
    assert not stands_still(of(*FALLING), of(*batches, norms=(0.0, 0.0, 0.0, 0.0, 0.1)))
    assert not stands_still(of(2.0, 2.5, 3.0), of(*batches, norms=(0.0,) * 5))


@pytest.mark.parametrize(
    ("harm", "kind", "told"),
    [
        ("exact", "copies", "changed result"),
        ("same result", "dtype", "changed result"),
        ("changed result", "learning-rate", None),
        ("same result", "accumulation", None),
    ],
)
def test_a_change_costs_what_its_losses_show(harm: Harm, kind: str, told: Harm | None):
    first, before = WELL._replace(courses=of(*FALLING)), WELL._replace(courses=of(*FALLING))
    after = WELL._replace(courses=of(*(loss / 2 for loss in FALLING)))
    verdict = weighed(PROVED, change(harm, kind), first, before, after)
    assert (verdict.word, verdict.harm) == ("proved", told)
    assert weighed(PROVED, change(harm, kind), before, before, after).harm is None


@pytest.mark.parametrize(
    ("losses", "norms", "left"),
    [([0.7, 0.0], [1.0, 0.0], 1), ([0.7, 0.0], [1.0, 0.5], 2), ([0.7, 0.0], [], 2), ([0.0], [0.0], 0), ([], [], 0)],
)
def test_a_step_in_which_nothing_was_computed_has_no_loss(losses, norms, left):
    assert len(ended(losses, norms)) == left
