"""What the copy of a process said, and where a variant of a notebook stands."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from whydied.inside.trials import stage
from whydied.places import RunDirectory, copy_directory
from whydied.prove import copy_trials
from whydied.prove.copy_trials import Copy, _endings, _last_line
from whydied.prove.rehearsal.rehearsal import Ending, Standing, standing

ROOT = "/p/work.ipynb"
CONTROL = Ending(0, "raised", "KeyError", "'x'", [("cell [4]", "<module>", 2), ("cell [2]", "rate", 3)])


def said(directory: Path, *lines: dict[str, object]) -> list[tuple[int, str]]:
    answer = directory / "said-0"
    answer.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + '{"number": 9, "ho')
    return [(number, one.how) for number, one in _endings(answer).items()]


def test_a_variant_that_is_ended_after_it_passed_the_failure_has_passed_it(tmp_path: Path) -> None:
    passed = {"number": 1, "how": "passed"}
    assert said(tmp_path, passed, {"number": 1, "how": "signal"}) == [(1, "passed")]
    assert said(tmp_path, passed, {"number": 1, "how": "time"}, {"number": 2, "how": "time"}) == [
        (1, "passed"),
        (2, "time"),
    ]


def test_what_it_came_to_itself_counts_more(tmp_path: Path) -> None:
    passed = {"number": 1, "how": "passed"}
    assert said(tmp_path, passed, {"number": 1, "how": "finished"}) == [(1, "finished")]
    assert said(tmp_path, passed, {"number": 1, "how": "raised"}) == [(1, "raised")]


def test_what_is_said_of_time_after_an_end_is_late(tmp_path: Path) -> None:
    passed = {"number": 1, "how": "passed"}
    assert said(tmp_path, {"number": 1, "how": "raised"}, passed) == [(1, "raised")]


def test_a_variant_that_runs_on_longer_is_told_before_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "PASSES_S", 0.3)

    def become(texts: Mapping[str, str], passed: Callable[[], None]) -> BaseException | None:
        if not texts:
            return KeyError("x")
        time.sleep(1.0)
        return None

    answer = tmp_path / "said-0"
    place = stage.Place(str(tmp_path), become, stage.opened(str(answer)), lambda texts: None)
    task = stage.Task([], [{}, {"a.py": "x = 1"}], 1, 4, 20.0, alone=0, control_s=0.0)
    stage.perform(task, place)
    lines = [json.loads(line) for line in answer.read_text().splitlines()]
    assert [(one["number"], one["how"]) for one in lines] == [(0, "raised"), (1, "passed"), (1, "finished")]
    unasked = tmp_path / "said-1"
    stage.perform(task._replace(control_s=None), place._replace(said=stage.opened(str(unasked))))
    assert "passed" not in unasked.read_text()


def test_nothing_is_said_yet(tmp_path: Path) -> None:
    assert _endings(tmp_path / "said-0") == {}


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ([("cell [4]", "<module>", 2), ("cell [2]", "rate", 3)], "again"),
        # The function that failed has a line more before that one.
        ([("cell [4]", "<module>", 2), ("cell [2]", "rate", 5)], "later"),
        ([("cell [4]", "<module>", 3)], "later"),
        ([("cell [10]", "<module>", 1)], "later"),
        ([("cell [3]", "<module>", 9)], "again"),
        # Which cell a function is defined in says nothing of when it runs.
        ([("cell [4]", "<module>", 2), ("cell [3]", "rate", 9)], "again"),
    ],
)
def test_a_cell_that_runs_later_is_later(frames: list[tuple[str, str, int]], expected: Standing) -> None:
    ending = Ending(1, "raised", "KeyError", "'x'", frames)
    lines = {"cell [2]": {1: 1, 2: 2, 3: 3, 5: 4}}
    assert standing(CONTROL, ending, lines, ROOT) == expected


def test_the_lines_of_a_changed_cell_count_as_they_did() -> None:
    moved = Ending(1, "raised", "KeyError", "'x'", [("cell [4]", "<module>", 3), ("cell [2]", "rate", 3)])
    assert standing(CONTROL, moved, {"cell [4]": {1: 1, 3: 2}}, ROOT) == "again"


@pytest.mark.parametrize(
    ("file", "words"),
    [("cell [4]", "cell [4], line 2"), ("p/a.ipynb/cell [4]", "cell [4], line 2"), ("a.py", "line 2")],
)
def test_a_place_in_a_cell_names_it(file: str, words: str) -> None:
    assert _last_line(Ending(1, "raised", frames=[(file, "<module>", 2)])) == words


def test_a_program_that_does_not_fail_again_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_trials, "CONTROL_S", 0.2)
    directory = RunDirectory(tmp_path / "run")
    place = Path(copy_directory(str(directory.path)))
    place.mkdir(parents=True)
    (place / "pid").write_text(str(os.getpid()))
    copy = Copy(directory, 0.1)
    assert copy.ask(str(tmp_path), [{}, {"a.py": "x = 1"}], 0) == ({}, {})
    assert copy.left_s < 0
    # What the others may take is not what the first one may.
    assert json.loads((place / "task-0").read_text())["limit_s"] == copy_trials.MOST_TOGETHER_S
    copy.end()
