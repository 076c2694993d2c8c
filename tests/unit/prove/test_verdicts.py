"""Two runs of one program compared."""

from __future__ import annotations

from whydied.prove.loss_courses import Course
from whydied.prove.observed import Call, Observed
from whydied.prove.verdicts import fails_again, judged, same_lines


def seen(**facts) -> Observed:
    base = {
        "outcome": "failed",
        "code": "SHP004",
        "name": "target-mismatch",
        "family": "SHP",
        "said": "the target has another shape",
        "raised": "ValueError",
        "stack": (Call("/p/train.py", "<module>", 13),),
        "of_memory": False,
        "grows": False,
        "at_limit": False,
        "stalled": False,
        "wall_s": 4.0,
        "peak_bytes": 600 << 20,
        "growth_bytes_s": 0.0,
        "steps": {},
        "step_s": None,
    }
    return Observed(**base | facts)


WELL = seen(outcome="finished", code="", family="", said="", raised="", stack=())
KILLED = seen(
    outcome="died", code="MEM005", family="MEM", raised="", stack=(), of_memory=True, grows=True, growth_bytes_s=5e7
)
ENDED = {"outcome": "hung", "code": "PRC003", "family": "PRC", "at_limit": True, "raised": "", "stack": ()}


def test_a_program_that_finishes_proves_the_change():
    assert judged(seen(), WELL, {}).word == "proved"


def test_a_finished_program_with_a_cause_does_not():
    sick = seen(outcome="finished", code="NUM001", family="NUM", raised="", stack=())
    assert judged(sick._replace(said="NaN at step 2"), sick._replace(said="NaN at step 90"), {}).word == "refuted"


def test_the_same_statement_again_is_refuted_whatever_it_says():
    verdict = judged(seen(), seen(said="the target has a third shape", raised="TypeError"), {})
    assert verdict.word == "refuted"
    assert "a third shape" in verdict.words


def test_the_same_statement_moved_by_the_change_is_the_same():
    lines = {"/p/train.py": same_lines(["a"] * 3 + ["b"], ["new", *["a"] * 3, "b"])}
    before = seen(stack=(Call("/p/train.py", "<module>", 4),))
    after = seen(stack=(Call("/p/train.py", "<module>", 5),), said="other")
    assert judged(before, after, lines).word == "refuted"


def test_a_later_statement_is_past_the_failure_and_an_earlier_one_is_not():
    later = seen(stack=(Call("/p/train.py", "<module>", 20),), said="no such file")
    verdict = judged(seen(), later, {})
    assert verdict.word == "proved"
    assert "then fails of something else: no such file" in verdict.words
    assert judged(seen(), seen(stack=(Call("/p/train.py", "<module>", 5),)), {}).word == "refuted"


def test_a_statement_that_only_the_change_has_is_not_past_it():
    lines = {"/p/train.py": {1: 1}}
    after = seen(stack=(Call("/p/train.py", "<module>", 14),))
    assert judged(seen(), after, lines).word == "refuted"


def test_a_leak_is_gone_when_it_runs_on_without_growing():
    quiet = seen(**ENDED, growth_bytes_s=1e6)
    assert judged(KILLED, quiet, {}).word == "proved"
    assert judged(KILLED, quiet._replace(growth_bytes_s=4e7), {}).words == "its memory still grows"
    assert judged(KILLED, KILLED._replace(said="killed later"), {}).word == "refuted"


def test_a_run_that_did_not_come_so_far_decides_nothing():
    before = seen(steps={"train": 40})
    assert judged(before, seen(**ENDED, steps={"train": 12}), {}).word == "untested"
    assert judged(before, seen(**ENDED, steps={"train": 90}), {}).word == "proved"


def test_what_stands_still_again_is_refuted():
    stalled = seen(outcome="hung", code="PRC021", family="PRC", raised="", stack=(), stalled=True)
    assert judged(stalled, seen(**ENDED), {}).word == "refuted"
    assert judged(stalled, WELL, {}).word == "proved"


def test_a_failure_of_memory_is_one_however_it_shows():
    refused = seen(code="MEM002", family="MEM", raised="ResourceExhaustedError", of_memory=True)
    assert fails_again(KILLED, refused)
    assert not fails_again(KILLED, WELL)


def test_another_end_is_not_the_failure_again():
    assert fails_again(seen(), seen(said="in other numbers"))
    assert not fails_again(seen(), seen(**ENDED))
    assert not fails_again(seen(), seen(code="PRC008", family="PRC", raised="FileNotFoundError"))


def test_lines_written_anew_in_their_place_keep_their_numbers():
    assert same_lines(["a", "b", "c"], ["a", "B", "c"]) == {1: 1, 2: 2, 3: 3}
    assert same_lines(["a", "b"], ["a", "x", "y", "b"]) == {1: 1, 4: 2}


def test_values_that_run_away_are_no_training():
    sick = seen(outcome="finished", code="NUM005", family="NUM", raised="", stack=())
    growing = WELL._replace(losses=tuple((step, -(10.0**step)) for step in range(9)))
    assert judged(sick, growing, {}).word == "refuted"
    falling = WELL._replace(losses=tuple((step, 1e8 / (step + 1)) for step in range(9)))
    assert judged(sick, falling, {}).word == "proved"
    assert judged(seen(), growing, {}).word == "proved"


def test_a_loss_that_is_kept_finite_far_above_the_first_is_no_training():
    sick = seen(outcome="finished", code="NUM005", family="NUM", raised="", stack=())
    high = tuple((step, 8e29 - step) for step in range(9))
    lost = WELL._replace(losses=high, courses={"train 0": Course((12.0, 9e4, 8e29))})
    assert judged(sick, lost, {}).word == "refuted"
    large = lost._replace(courses={"train 0": Course((9e29, 8e29))})
    assert judged(sick, large, {}).word == "proved"
