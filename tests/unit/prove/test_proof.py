"""A diagnosis in the light of what was tried."""

from __future__ import annotations

import msgspec
import pytest

from whydied.diagnose.engine import Diagnosis
from whydied.diagnose.finding import Culprit, Finding, Fix
from whydied.prove import proof as proofs
from whydied.prove.proof import Proof, Tried, settled

CAUSE = Finding(id="F1", code="NUM001", name="nonfinite-from-op", message="the square overflows", certainty="likely")
DEATH = Finding(id="F2", code="PRC008", name="uncaught-exception", message="ValueError", certainty="certain")
RIVAL = Finding(code="NUM005", name="exploding-gradients", message="the rate is too high", certainty="possible")
FACTS = {"words": "finished in 3 s"}


@pytest.fixture
def diagnosis() -> Diagnosis:
    return Diagnosis(
        outcome="failed",
        death=DEATH,
        cause=CAUSE,
        findings=[CAUSE, DEATH],
        fixes=[Fix(title="Bound the square", kind="op", answers="F1", patch="bound")],
        candidates=[],
        notes=[],
        undetermined=None,
        errors=[],
    )


def tried(cause: Finding, verdict: str, patch: str = "bound", **more) -> Tried:
    return Tried(
        title="Bound the square" if patch == "bound" else "Use a rate of 0.01",
        kind="k",
        harm="changed result",
        patch=patch,
        edits=[],
        cause=cause,
        verdict=verdict,
        words="the program finishes",
        before=FACTS,
        after=FACTS,
        **more,
    )


def test_without_a_proof_nothing_changes(diagnosis):
    assert settled(diagnosis, None) is diagnosis


def test_a_proved_change_confirms_its_cause(diagnosis):
    now = settled(diagnosis, Proof(reproduced=True, tried=[tried(CAUSE, "proved")]))
    assert now.cause is not None
    assert (now.cause.code, now.cause.certainty) == ("NUM001", "certain")
    assert [(fix.verdict, fix.after) for fix in now.fixes] == [("proved", FACTS)]
    assert "Bound the square" in now.cause.evidence[-1].fact
    assert now.findings[0] == now.cause


def test_a_rival_whose_removal_removes_the_failure_is_the_cause(diagnosis):
    trials = [tried(CAUSE, "refuted"), tried(RIVAL, "proved", "rate")]
    now = settled(diagnosis, Proof(reproduced=True, tried=trials))
    assert now.cause is not None
    assert (now.cause.id, now.cause.code, now.cause.certainty) == ("F1", "NUM005", "certain")
    assert [(fix.title, fix.verdict) for fix in now.fixes] == [
        ("Use a rate of 0.01", "proved"),
        ("Bound the square", "refuted"),
    ]
    assert now.cause.evidence[-1].value == "the square overflows"
    assert [one.code for one in now.findings] == ["NUM005", "PRC008"]


def test_a_rival_that_helps_too_leaves_the_cause(diagnosis):
    trials = [tried(CAUSE, "proved"), tried(RIVAL, "proved", "rate")]
    now = settled(diagnosis, Proof(reproduced=True, tried=trials))
    assert now.cause is not None
    assert now.cause.code == "NUM001"


def test_an_end_that_was_its_own_cause_stays_the_end(diagnosis):
    bare = diagnosis._replace(cause=DEATH, findings=[DEATH], fixes=[])
    guess = tried(RIVAL, "proved", "rate", guessed=True)
    now = settled(bare, Proof(reproduced=True, tried=[guess]))
    assert now.cause is not None
    assert now.cause.code == "NUM005"
    assert now.death == DEATH
    assert [one.code for one in now.findings] == ["NUM005", "PRC008"]


def test_a_guess_that_failed_is_nobodys_advice(diagnosis):
    guess = tried(CAUSE, "refuted", "rate", guessed=True)
    now = settled(diagnosis, Proof(reproduced=True, tried=[guess]))
    assert [fix.title for fix in now.fixes] == ["Bound the square"]
    assert now.fixes[0].verdict == "untested"


def test_what_did_not_fail_again_is_a_note(diagnosis):
    now = settled(diagnosis, Proof(reproduced=False))
    assert "did not fail again" in now.notes[-1]
    assert now.cause == CAUSE


def test_a_proof_is_read_as_it_was_written(tmp_path):
    file = tmp_path / "proof.json"
    proof = Proof(reproduced=True, tried=[tried(CAUSE, "proved")], before=FACTS)
    proofs.write(file, proof)
    assert proofs.read(file) == proof
    file.write_bytes(b"{torn")
    assert proofs.read(file) is None


def test_what_the_cause_brought_about_does_not_take_its_place(diagnosis):
    """A lower rate also helps against gradients that are never divided."""
    brought = msgspec.structs.replace(RIVAL, id="F2", because_of="F1")
    chained = diagnosis._replace(findings=[CAUSE, brought, DEATH])
    now = settled(chained, Proof(reproduced=True, tried=[tried(brought, "proved", "rate")]))
    assert now.cause == CAUSE
    assert [fix.verdict for fix in now.fixes] == ["proved", "untested"]
    trials = [tried(CAUSE, "refuted"), tried(brought, "proved", "rate")]
    assert settled(chained, Proof(reproduced=True, tried=trials)).cause.code == "NUM005"


def test_what_failed_of_ours_is_told(diagnosis):
    assert settled(diagnosis, Proof(reproduced=True, errors=["guesses at names: KeyError()"])).errors == [
        "guesses at names: KeyError()"
    ]


def test_a_guess_adds_its_change_to_what_a_rule_explains(diagnosis):
    told = msgspec.structs.replace(CAUSE, culprit=Culprit(kind="array", name="batches"))
    known = diagnosis._replace(cause=told, findings=[told, DEATH], fixes=[])
    moved = msgspec.structs.replace(CAUSE, message="28 is written where 32 is needed")
    guess = tried(moved, "proved", "size", guessed=True)
    now = settled(known, Proof(reproduced=True, tried=[guess]))
    assert now.cause is not None
    assert (now.cause.message, now.cause.culprit) == (told.message, told.culprit)
    assert "the failure is gone with this change" in now.cause.evidence[-1].fact
    assert [fix.verdict for fix in now.fixes] == ["proved"]


@pytest.mark.parametrize(
    ("code", "by", "moved"), [("SHP001", "copy", True), ("SHP001", "", False), ("NUM001", "copy", False)]
)
def test_a_guess_of_the_report_says_more_than_which_shapes_met(diagnosis, code, by, moved):
    told = msgspec.structs.replace(CAUSE, code=code)
    guess = tried(msgspec.structs.replace(told, message="44 is not a multiple of 8"), "proved", "size", guessed=True)
    known = diagnosis._replace(cause=told, findings=[told, DEATH], fixes=[])
    now = settled(known, Proof(reproduced=True, by=by, tried=[guess]))
    assert now.cause is not None
    assert (now.cause.message == "44 is not a multiple of 8") == moved


def test_a_guess_takes_the_place_of_a_cause_whose_own_changes_failed(diagnosis):
    told = msgspec.structs.replace(CAUSE, culprit=Culprit(kind="array", name="batches"))
    known = diagnosis._replace(cause=told, findings=[told, DEATH], fixes=[])
    moved = msgspec.structs.replace(CAUSE, message="28 is written where 32 is needed")
    trials = [tried(told, "refuted"), tried(moved, "proved", "size", guessed=True)]
    now = settled(known, Proof(reproduced=True, tried=trials))
    assert now.cause is not None
    assert now.cause.message == "28 is written where 32 is needed"
    assert now.cause.culprit == told.culprit


def test_what_a_copy_showed_confirms_without_more_certainty(diagnosis):
    now = settled(diagnosis, Proof(reproduced=True, by=proofs.BY_COPY, tried=[tried(CAUSE, "proved")]))
    assert now.cause is not None
    assert (now.cause.certainty, now.fixes[0].verdict) == ("likely", "proved")


def test_advice_is_about_the_change_that_helped(diagnosis):
    advised = msgspec.structs.replace(CAUSE, advice=["Bound the square."])
    diagnosis = diagnosis._replace(cause=advised, findings=[advised, DEATH])
    both = [tried(CAUSE, "refuted"), tried(CAUSE, "proved", "rate")]
    now = settled(diagnosis, Proof(reproduced=True, by=proofs.BY_COPY, tried=both))
    assert now.cause is not None
    assert now.cause.advice == ["Use a rate of 0.01."]


def test_advice_that_failed_in_a_copy_is_evidence_and_no_advice(diagnosis):
    sure = msgspec.structs.replace(CAUSE, certainty="certain", advice=["Bound the square."])
    diagnosis = diagnosis._replace(cause=sure, findings=[sure, DEATH])
    now = settled(diagnosis, Proof(reproduced=True, by=proofs.BY_COPY, tried=[tried(CAUSE, "refuted")]))
    assert now.cause is not None
    assert (now.cause.certainty, now.cause.advice) == ("likely", [])
    assert now.cause.evidence[-1].fact == "tried on the program: Bound the square"
    assert [one.verdict for one in now.fixes] == ["refuted"]


def test_advice_for_whose_change_there_was_no_time_is_kept(diagnosis):
    cause = msgspec.structs.replace(CAUSE, advice=["Bound the square."])
    known = diagnosis._replace(cause=cause, findings=[cause, DEATH])
    now = settled(known, Proof(reproduced=True, by=proofs.BY_COPY, tried=[tried(cause, "refuted", "rate")]))
    assert now.cause is not None
    assert now.cause.advice == ["Bound the square."]
