"""The note about a training step that is not finite: said once, and only of trainings that go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from whydied.places import RunDirectory
from whydied.records import Frame, Numbers, StepCaptured, Suspect
from whydied.run.observe.bad_step_notice import BadStepNotice
from whydied.stream import Stream
from whydied.words.bad_step_note import note

NAN = Numbers(shape=[], dtype="float32", count=1, nan=1)
INFINITE = Numbers(shape=[2], dtype="float32", count=2, plus_infinity=1)
FRAME = Frame(file="/home/u/train.py", line=22, function="<module>", user=True)


def captured(*suspects: Suspect, **fields: object) -> StepCaptured:
    return StepCaptured(directory="numerics/7-0", kind="traced", suspects=list(suspects), frames=[FRAME], **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (
            captured(Suspect(role="loss", name="loss", numbers=NAN), step=2, epoch=0),
            "the loss is NaN at step 2 (epoch 1), ",
        ),
        (
            captured(Suspect(role="gradient", name="dense/kernel", numbers=INFINITE), step=5),
            "the gradient of dense/kernel has become infinite at step 5, train.py:22.",
        ),
        (captured(Suspect(role="result", name="score", numbers=NAN), step=2), None),
        (captured(Suspect(role="loss", name="loss", numbers=NAN), stopped=True), None),
    ],
)
def test_the_words(step: StepCaptured, words: str | None) -> None:
    said = note(step)
    assert said is None if words is None else said is not None and said.startswith(f"whydied: {words}")


def test_it_is_said_once(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)
    directory.streams.mkdir()
    said: list[str] = []
    notice = BadStepNotice(directory, said.append)
    notice.look()
    (tmp_path / "numerics" / "7-0").mkdir(parents=True)
    notice.look()
    assert said == [], "its record is not there yet"
    stream = Stream(directory.streams, "process-7-1")
    stream.write(captured(Suspect(role="loss", name="loss", numbers=NAN), step=2))
    notice.look()
    (tmp_path / "numerics" / "7-1").mkdir()
    notice.look()
    assert len(said) == 1
    assert "train.py:22" in said[0]
