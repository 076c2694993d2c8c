"""What a part is worth: the one that a verdict needs is found, the others are not, and nothing stays switched."""

from __future__ import annotations

from pathlib import Path

import pytest

import corpus
import long_recording
import recordings
from parts import heuristics, left_out, rules
from whydied.diagnose import answers, registry
from whydied.diagnose.memory import call_at_death, memory_over_time, step_need
from whydied.diagnose.rules.memory import host_oom_kill
from whydied.places import RunDirectory
from worth import Kept, Worth, unpacked, worths

SERIES = "diagnose.memory.memory_over_time.memory_series"


@pytest.fixture
def kept(tmp_path: Path) -> list[Kept]:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "train.py").write_text("model.fit(rows)\n")
    (programs / "train.expect.toml").write_text('outcome = "died"\ndeath = "killed-from-outside"\n')
    (programs / "other.py").write_text("pass\n")
    (programs / "other.expect.toml").write_text("healthy = true\n")
    long_recording.write(RunDirectory(tmp_path / "kept/run"), programs / "train.py", 0.1)
    case = next(case for case in corpus.load(programs) if case.name == "train")
    seen = recordings.Seen(status=137, printed="", wall_s=0.1)
    return [Kept(case, recordings.Stored(seen, tmp_path / "kept"))]


def worth(kept: list[Kept], *names: str) -> list[Worth]:
    chosen = [part for part in [*rules(), *heuristics()] if part.name in names]
    assert len(chosen) == len(names)
    return list(worths(kept, chosen))


def test_what_a_verdict_needs_is_worth_it(kept: list[Kept]) -> None:
    needed, unneeded, weighed = worth(kept, "PRC001 killed-from-outside", "PRC003 time-limit", SERIES)
    assert (needed.answers, needed.worse, needed.fails) == (1, ["train"], [])
    assert (unneeded.answers, unneeded.worse) == (0, [])
    assert (weighed.answers, weighed.worse) == (1, [])


def test_every_rule_and_no_rules_check_is_a_part_of_its_own() -> None:
    assert [part.name for part in rules()] == [f"{rule.code} {rule.name}" for rule in registry.all_rules()]
    names = [part.name for part in heuristics()]
    assert len(names) == len(set(names)) > 300
    assert not [name for name in names if name.endswith(".check")]


def test_a_rule_left_out_is_not_asked_by_others_either() -> None:
    part = next(part for part in rules() if part.name == "MEM001 host-oom-kill")
    before = host_oom_kill.check
    with left_out(part):
        assert host_oom_kill.check is not before
        assert "MEM001" not in {rule.code for rule in vars(answers)["RULES"]}
    assert host_oom_kill.check is before
    assert vars(answers)["RULES"] == registry.RULES


def test_a_switch_holds_wherever_the_name_was_imported() -> None:
    switches = {part.name: part for part in heuristics()}
    before = memory_over_time.memory_series
    assert call_at_death.memory_series is before
    with left_out(switches[SERIES]):
        assert call_at_death.memory_series is memory_over_time.memory_series is not before
    assert call_at_death.memory_series is memory_over_time.memory_series is before
    with left_out(switches["diagnose.memory.step_need.MARGIN"]):
        assert step_need.MARGIN == 1.0
    assert step_need.MARGIN < 1.0


def test_the_stored_recordings_are_judged(tmp_path: Path) -> None:
    case = next(case for case in corpus.load(recordings.PROGRAMS) if recordings.path_of(case.name).exists())
    missing = case._replace(name="memory/no_such_program")
    (only,) = unpacked([missing, case], tmp_path)
    assert only.case.name == case.name
    assert only.stored.run.streams.is_dir()
