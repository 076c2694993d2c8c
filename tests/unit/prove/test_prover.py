"""What is tried, in which order, and what is made of a program that fails of one thing after the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import msgspec
import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.prove.test_verdicts import WELL
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.diagnose.finding import Candidate
from whydied.prove.experiment import FRESH, Laboratory, Trial
from whydied.prove.loss_courses import Course
from whydied.prove.observed import Observed, observed
from whydied.prove.proof import Proof
from whydied.prove.prover import Plan, Prover
from whydied.prove.sandbox import Mechanism
from whydied.prove.terms import CannotProve, Terms
from whydied.prove.verdicts import Verdict
from whydied.source.edits.edit import Change, Edit, Harm, edited, line_edits
from whydied.source.text import Source

BEFORE = "first = 1\nsecond = 2\nthird = 3\n"
AFTER = "import math\nfirst = 1\nsecond = math.pi\n"


def test_edits_by_line_make_one_text_of_another():
    source = Source(BEFORE)
    edits = line_edits(source, "/p/train.py", AFTER)
    assert edited(source, edits) == AFTER
    assert line_edits(source, "/p/train.py", BEFORE) == []


def test_a_file_without_a_last_line_end_keeps_it():
    source = Source(BEFORE.rstrip("\n"))
    assert edited(source, line_edits(source, "/p/train.py", "first = 9\nsecond = 2\nthird = 3")) == (
        "first = 9\nsecond = 2\nthird = 3"
    )


class Bench:
    """Stands for the place where programs run: a text of the program, and what it shows."""

    def __init__(self, again: Observed, shows: dict[str, Observed]) -> None:
        self.terms = Terms(["--", "python", "train.py"], "/p", "/p", None)
        self.mechanism = Mechanism("namespaces", "held")
        self.start = FRESH
        self.shows = shows
        self.again = again
        self.ran: list[str] = []
        self.limit_bytes = 1 << 30
        self.said: list[bytes] = []
        self.rehearsals = 0

    def rehearse(self, stage: list[str], task: bytes, program: list[str], limit_s: float) -> list[bytes]:
        self.rehearsals += 1
        return self.said

    def run(self, files: dict[str, bytes], limit_s: float) -> Trial:
        text = next((data.decode() for data in files.values()), "")
        self.ran.append(text.strip())
        return Trial(next((seen for part, seen in self.shows.items() if part in text), self.again))


class Silent:
    def begins(self, words: str, number: int, most: int, limit_s: float) -> None: ...
    def ends(self, verdict: Verdict, seen: Observed | None) -> None: ...


@pytest.fixture
def failed(tmp_path: Path) -> tuple[Case, Diagnosis]:
    case = died_of(tmp_path, 'table = {"epochs": 1}\nprint(table["epoch"])\nprint(3)\n')
    return case, diagnose(case.recording, case=case)


def candidate(case: Case, diagnosis: Diagnosis, text: str, harm: Harm, code: str = "") -> Candidate:
    (file,) = case.project
    assert diagnosis.cause is not None
    finding = msgspec.structs.replace(diagnosis.cause, **({"code": code} if code else {}))
    edit = Edit(file, (2, 6), (2, 20), text)
    return Candidate(finding=finding, change=Change(title=text, kind="k", edits=[edit], harm=harm))


def tried_on(bench: Bench, failed: tuple[Case, Diagnosis], *candidates: Candidate, most: int = 10) -> Proof:
    case, diagnosis = failed
    kept: list[Proof] = []
    prover = Prover(cast(Laboratory, bench), lambda case, diagnosis: [], Plan(most), Silent(), kept.append)
    proof = prover.prove(case, diagnosis._replace(candidates=list(candidates)))
    assert kept[-1] == proof
    return proof


def test_the_gentlest_change_is_tried_first_and_none_after_a_proof(failed: tuple[Case, Diagnosis]) -> None:
    bench = Bench(observed(*failed), {"len": WELL})
    found = [candidate(*failed, text, harm) for text, harm in (("1 + 1", "changed result"), ("len('ab')", "exact"))]
    proof = tried_on(bench, failed, *found)
    assert [(one.title, one.verdict) for one in proof.tried] == [("len('ab')", "proved"), ("1 + 1", "untested")]
    assert len(bench.ran) == 2


def test_a_rival_that_costs_no_more_is_tried_after_a_proof(failed: tuple[Case, Diagnosis]) -> None:
    own, rival = candidate(*failed, "1 + 1", "exact"), candidate(*failed, "2 + 2", "exact", "NUM005")
    dear = candidate(*failed, "3 + 3", "changed result", "NUM003")
    proof = tried_on(Bench(observed(*failed), {"1 + 1": WELL}), failed, own, rival, dear)
    assert [one.verdict for one in proof.tried] == ["proved", "refuted", "untested"]


def test_a_change_that_turns_out_to_cost_more_is_told_so(
    failed: tuple[Case, Diagnosis], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = (Course((4.0, 3.0, 2.0, 1.0)), Course((8.0, 7.0, 6.0, 5.0)))
    monkeypatch.setattr("whydied.prove.observed.courses", lambda case: {"train_step 0": before})
    bench = Bench(observed(*failed), {"1 + 1": WELL._replace(courses={"train_step 0": after})})
    (tried,) = tried_on(bench, failed, candidate(*failed, "1 + 1", "exact")).tried
    assert (tried.verdict, tried.harm) == ("proved", "changed result")
    assert tried.words == "the program finishes; its loss at step 0 is 8, and 4 without the change"


def test_nothing_is_tried_on_a_program_that_does_not_fail_again(failed: tuple[Case, Diagnosis]) -> None:
    bench = Bench(observed(*failed), {"": WELL})
    proof = tried_on(bench, failed, candidate(*failed, "1 + 1", "exact"))
    assert proof.reproduced is False
    assert bench.ran == [""]
    assert [one.verdict for one in proof.tried] == ["untested"]


def test_no_more_is_tried_than_wanted(failed: tuple[Case, Diagnosis]) -> None:
    found = [candidate(*failed, f"{number} + 1", "exact") for number in range(4)]
    proof = tried_on(Bench(observed(*failed), {}), failed, *found, most=2)
    assert [one.verdict for one in proof.tried] == ["refuted", "refuted", "untested", "untested"]
    assert proof.stopped


def test_a_program_without_an_idea_is_one_sentence(failed: tuple[Case, Diagnosis]) -> None:
    with pytest.raises(CannotProve, match="no change of the source"):
        tried_on(Bench(observed(*failed), {}), failed)


def test_a_guess_that_only_moves_the_failure_is_not_proved(failed: tuple[Case, Diagnosis]) -> None:
    case, diagnosis = failed
    again = observed(case, diagnosis)
    moved = again._replace(stack=(again.stack[-1]._replace(line=3),), said="something else")
    guess = candidate(*failed, "1 + 1", "exact")
    kept: list[Proof] = []
    bench = Bench(again, {"1 + 1": moved})
    prover = Prover(cast(Laboratory, bench), lambda case, diagnosis: [guess], Plan(), Silent(), kept.append)
    proof = prover.prove(case, diagnosis._replace(candidates=[]))
    assert [(one.verdict, one.guessed) for one in proof.tried] == [("untested", True)]
    assert "then fails of something else" in proof.tried[0].words
    ruled = tried_on(bench, failed, guess)
    assert [one.verdict for one in ruled.tried] == ["proved"]


def test_a_rehearsal_chooses_what_is_tried(failed: tuple[Case, Diagnosis]) -> None:
    case, diagnosis = failed
    again = observed(case, diagnosis)
    bench = Bench(again, {"4 + 1": WELL})
    (file,) = case.project
    root = str(Path(file).parent)
    bench.terms = bench.terms._replace(root=root)
    failure = {"how": "raised", "raised": "KeyError", "said": "epoch", "frames": [["train.py", "<module>", 2]]}
    ends = [failure, failure, failure, {"how": "time"}, failure, {"how": "finished"}, failure]
    bench.said = [json.dumps({"number": number, **end}).encode() for number, end in enumerate(ends)]
    guess = [candidate(*failed, f"{number} + 1", "changed result") for number in range(1, 6)]
    kept: list[Proof] = []
    prover = Prover(cast(Laboratory, bench), lambda case, diagnosis: guess, Plan(), Silent(), kept.append)
    proof = prover.prove(case, diagnosis._replace(candidates=[]))
    assert {one.title: one.verdict for one in proof.tried} == {
        "1 + 1": "refuted",
        "3 + 1": "refuted",
        "5 + 1": "refuted",
        "4 + 1": "proved",
        "2 + 1": "untested",
    }
    assert len(bench.ran) == 2


def test_guesses_wait_for_what_the_rules_propose(failed: tuple[Case, Diagnosis]) -> None:
    case, diagnosis = failed
    bench = Bench(observed(case, diagnosis), {"9 + 9": WELL})
    (file,) = case.project
    bench.terms = bench.terms._replace(root=str(Path(file).parent))
    own = candidate(*failed, "9 + 9", "changed result")
    guess = [candidate(*failed, f"{number} + 1", "exact") for number in range(1, 6)]
    prover = Prover(cast(Laboratory, bench), lambda case, diagnosis: guess, Plan(), Silent(), lambda proof: None)
    proof = prover.prove(case, diagnosis._replace(candidates=[own]))
    assert [(one.title, one.verdict) for one in proof.tried] == [("9 + 9", "proved")]
    assert (len(bench.ran), bench.rehearsals) == (2, 0)


ALIKE = 'names = {"epoch": 1}\nfirst = names.get("epochs") + 0\nsecond = names.get("epochs") + 0\n'


def at_both(failed: tuple[Case, Diagnosis]) -> Candidate:
    """The name that exists, at the first of two calls that miss it."""
    case, diagnosis = failed
    (file,) = case.project
    assert diagnosis.cause is not None
    edits = [Edit(file, (2, 18), (2, 26), '"epoch"')]
    return Candidate(finding=diagnosis.cause, change=Change(title="Write `epoch`.", kind="k", edits=edits))


def test_a_change_that_moves_the_failure_to_a_like_statement_is_made_there_too(tmp_path: Path) -> None:
    case = died_of(tmp_path, ALIKE)
    failed = case, diagnose(case.recording, case=case)
    again = observed(*failed)
    moved = again._replace(stack=(again.stack[-1]._replace(line=3),), said="the second")
    text = 'names = {"epoch": 1}\nfirst = names.get("epoch") + 0\nsecond = names.get('

    class Reported(Bench):
        def run(self, files: dict[str, bytes], limit_s: float) -> Trial:
            return super().run(files, limit_s)._replace(case=case, diagnosis=failed[1]._replace(candidates=[]))

    bench = Reported(again, {f'{text}"epoch")': WELL, f'{text}"epochs")': moved})
    proof = tried_on(bench, failed, at_both(failed))
    assert [(one.title, one.verdict) for one in proof.tried] == [
        ("Write `epoch`.", "proved"),
        ("Write `epoch`, and likewise in line 3", "proved"),
    ]
    assert proof.tried[-1].patch.count("+") > proof.tried[0].patch.count("+")


def test_a_change_that_does_not_help_alone_is_tried_at_all_that_is_alike(tmp_path: Path) -> None:
    case = died_of(tmp_path, ALIKE)
    failed = case, diagnose(case.recording, case=case)
    bench = Bench(observed(*failed), {'second = names.get("epoch")': WELL})
    proof = tried_on(bench, failed, at_both(failed))
    assert [(one.verdict, one.guessed) for one in proof.tried] == [("refuted", False), ("proved", False)]
