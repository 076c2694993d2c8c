"""What `--heal` decides between two runs, with invented trials."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from click.testing import CliRunner

from tests import handmade
from whydied.cli import healing
from whydied.cli.healing import Healer
from whydied.cli.run import RunCommand
from whydied.cli.run import command as run_command
from whydied.errors import NotEditable, NotStarted
from whydied.places import RunDirectory
from whydied.prove.proof import Proof, Tried
from whydied.prove.terms import CannotProve
from whydied.records import FitState
from whydied.report.proving import ProofWish
from whydied.report.summary import as_json
from whydied.run.command import Command
from whydied.run.supervise import RunOutcome, RunRequest
from whydied.source.edits.edit import Edit

TEXT, HEALED = "batch = 64\n", "batch = 32\n"


class Seen(NamedTuple):
    """What trials gave, and the text of the program that they were about."""

    proof: Proof
    text: str


class Bench:
    """A program that died, and what the trials of it will say, one after another."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file = tmp_path / "train.py"
        self.file.write_text(TEXT)
        self.run = RunDirectory(tmp_path / "run")
        self.run.make()
        self.run.report.write_bytes(as_json(handmade.report()))
        self.said: list[str] = []
        self.wishes: list[ProofWish] = []
        self.answers: list[Any] = []
        self.text = TEXT
        monkeypatch.setattr(healing, "proven", self._proven)
        monkeypatch.setattr(healing, "load", lambda directory: None)
        monkeypatch.setattr(healing, "edited_files", self._edited)

    def _proven(self, directory: RunDirectory, wish: ProofWish, *others: Any) -> Any:
        self.wishes.append(wish)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        self.text = answer.text
        return answer

    def _edited(self, recording: None, edits: list[Edit], shown: dict[str, bytes]) -> dict[str, bytes]:
        """As the real one, which compares with what ran."""
        if shown.get(str(self.file), self.file.read_bytes()).decode() != self.text:
            raise NotEditable(f"{self.file} was changed since the run")
        return {str(self.file): HEALED.encode()}

    def healer(self, most: int = 2, harm: str = "any") -> Healer:
        return Healer(most, harm, (), lambda *lines: self.said.extend(lines), quiet=False)

    def next(self, healer: Healer, status: int = 137, number: int | None = None) -> RunRequest | None:
        outcome = RunOutcome(self.run, status, signal=number)
        return healer.next(RunRequest(Command("script", (str(self.file),))), outcome)

    def seen(self, *harms: str, verdict: str = "proved", text: str = TEXT) -> Seen:
        tried = [
            Tried(
                title=f"Do it {harm}.",
                kind="batch",
                harm=harm,  # type: ignore[arg-type]
                patch=harm,
                edits=[],
                cause=handmade.finding(),
                verdict=verdict,
            )
            for harm in harms
        ]
        return Seen(Proof(reproduced=True, tried=tried), text)

    def state(self, epoch: int, finished: bool = False, losses: list[float | None] | None = None) -> None:
        place = self.run.path / "backup" / "c-0" / "1-main"
        place.mkdir(parents=True)
        state = FitState(epoch=epoch, epochs=4, weights="w", finished=finished, history={"loss": losses or []})
        (place / "state.json").write_bytes(msgspec.json.encode(state))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


def test_the_gentlest_proved_change_is_taken_and_said(bench: Bench) -> None:
    bench.answers = [bench.seen("changed result", "exact", "same result")]
    following = bench.next(bench.healer())
    assert following is not None
    assert dict(following.labels) == {"healed_from": "run", "healed_by": "Do it exact. (exact)"}
    assert bench.said == [
        "whydied: train.py died: MEM001 host-oom-kill; starting it again (restart 1 of at most 2)",
        "  This leaves every number as it is: Do it exact. It begins anew.",
    ]
    assert bench.file.read_text() == TEXT


def test_another_result_is_said_and_can_be_ruled_out(bench: Bench) -> None:
    bench.answers = [bench.seen("changed result"), bench.seen("changed result")]
    assert bench.next(bench.healer()) is not None
    assert bench.said[1].startswith("  This changes the result: Do it changed result.")
    assert bench.next(bench.healer(harm="same")) is None
    assert "--heal-harm same" in bench.said[-1]


def test_trials_begin_with_the_last_good_state_and_with_what_is_changed_already(bench: Bench) -> None:
    bench.state(1)
    bench.answers = [bench.seen("exact"), bench.seen("exact", verdict="refuted"), bench.seen("exact", text=HEALED)]
    healer = bench.healer()
    assert bench.next(healer) is not None
    assert bench.said[1].endswith("The training goes on at epoch 2 of 4.")
    assert bench.next(healer) is not None
    backup = str(bench.run.path / "backup")
    assert [wish.start.backup for wish in bench.wishes] == [backup, backup, ""]
    assert bench.wishes[1].start.files == {str(bench.file): b"batch = 32\n"}
    assert bench.said[-1].endswith("It begins anew.")
    assert not (bench.run.path / "backup").exists()


@pytest.mark.parametrize(
    ("losses", "goes_on"),
    [([3.0, 2.0, 2.1], True), ([3.0, 2.0, 9.0], False), ([3.0], False), ([3.0, None, 2.0], False)],
)
def test_a_training_that_was_diverging_begins_anew(bench: Bench, losses: list[float | None], goes_on: bool) -> None:
    cause = handmade.finding(code="NUM005", name="exploding-gradients")
    bench.run.report.write_bytes(as_json(handmade.report(cause=cause)))
    bench.state(3, losses=losses)
    bench.answers = [bench.seen("changed result")]
    assert bench.next(bench.healer()) is not None
    assert bool(bench.wishes[0].start.backup) is goes_on
    assert bench.said[-1].endswith("The training goes on at epoch 4 of 4." if goes_on else "It begins anew.")


def test_it_ends_after_so_many_restarts(bench: Bench) -> None:
    bench.answers = [bench.seen("exact")]
    healer = bench.healer(most=1)
    assert bench.next(healer) is not None
    assert bench.next(healer) is None
    assert bench.said[-1] == "whydied: not healed: it failed again after one restart"


def test_a_good_end_leaves_the_patch_and_no_states(bench: Bench) -> None:
    bench.state(4, finished=True)
    bench.answers = [bench.seen("exact")]
    healer = bench.healer()
    bench.next(healer)
    assert bench.said[1].endswith("The trainings that were done are not done again.")
    assert (bench.run.path / "healing").exists()
    assert bench.next(healer, status=0) is None
    assert not (bench.run.path / "healing").exists()
    assert not (bench.run.path / "backup").exists()
    assert "-batch = 64\n+batch = 32\n" in (bench.run.path / "healed.patch").read_text()


def test_what_a_person_stopped_is_not_started_again(bench: Bench) -> None:
    assert bench.next(bench.healer(), 143, signal.SIGTERM) is None
    assert bench.next(bench.healer(), 130) is None
    assert (bench.said, bench.wishes) == ([], [])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (CannotProve("the program cannot be run again", ""), "not healed: the program cannot be run again"),
        (KeyboardInterrupt(), "the trials were stopped"),
        (RuntimeError("ours"), "internal error of whydied"),
    ],
)
def test_without_a_proof_it_ends_as_it_would(bench: Bench, answer: BaseException, said: str) -> None:
    bench.answers = [answer]
    assert bench.next(bench.healer()) is None
    assert said in bench.said[-1]


def test_a_file_that_was_edited_since_is_not_run(bench: Bench) -> None:
    bench.answers = [bench.seen("exact")]
    bench.file.write_text("batch = 1\n")
    assert bench.next(bench.healer()) is None
    assert "was changed since the run" in bench.said[-1]


def test_a_notebook_is_refused() -> None:
    with pytest.raises(NotStarted, match="cannot restart a notebook"):
        Healer(2, "any", (), print, quiet=True).first(RunRequest(Command("notebook", ("a.ipynb",))))


@pytest.mark.parametrize(
    ("words", "restarts"), [(["--heal", "train.py"], 2), (["--heal=5", "train.py"], 5), (["train.py", "--heal"], None)]
)
def test_the_number_of_restarts_stands_behind_an_equals_sign(words: list[str], restarts: int | None) -> None:
    assert isinstance(run_command, RunCommand)
    context = run_command.make_context("run", words)
    assert (context.params["heal"], context.params["program"][1]) == (restarts, "train.py")


def test_help_names_both_options() -> None:
    text = CliRunner().invoke(run_command, ["--help"]).output
    assert "--heal" in text
    assert "--memory-guard" in text
    assert "--backup" not in text
