from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from whydied.read.steps import Taken, read_taken
from whydied.records import Capture, FoundOp, Frame, NodeLine, Replay
from whydied.records.values import frames_in


def test_a_captured_step_is_read_with_its_replay(tmp_path: Path) -> None:
    directory = tmp_path / "numerics" / "7-0"
    directory.mkdir(parents=True)
    line = NodeLine(frames=[Frame(file="/a/train.py", line=3, function="call", user=True)])
    replay = Replay(directory="x", status="reproduced", first=FoundOp(op="Log", node="n", phase="forward", line=line))
    (directory / "step.json").write_bytes(msgspec.json.encode(Capture(kind="traced", suspects=[])))
    (directory / "replay.json").write_bytes(msgspec.json.encode(replay))
    taken = read_taken(tmp_path, ["numerics/7-0"])["numerics/7-0"]
    assert taken.capture == Capture(kind="traced", suspects=[])
    assert taken.replay == replay
    assert list(frames_in(taken.replay)) == line.frames


@pytest.mark.parametrize("text", ["", '{"kind": "tra', '{"kind": 3}', "[]", "\xff"])
def test_a_torn_file_is_as_if_it_was_not_there(tmp_path: Path, text: str) -> None:
    directory = tmp_path / "numerics" / "7-0"
    directory.mkdir(parents=True)
    (directory / "step.json").write_text(text, "latin-1")
    assert read_taken(tmp_path, ["numerics/7-0"]) == {"numerics/7-0": Taken()}


@pytest.mark.parametrize("name", ["../other", "numerics/../../x", "/etc", "numerics/.x", "numerics", "graphs/1"])
def test_names_that_lead_elsewhere_are_not_followed(tmp_path: Path, name: str) -> None:
    assert read_taken(tmp_path, [name]) == {}
