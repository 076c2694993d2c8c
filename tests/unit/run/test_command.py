from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from whydied import places
from whydied.places import RunDirectory
from whydied.run.command import BOOTSTRAP, Command, environment, find_missing, plain_environment

RUN = RunDirectory(Path("/somewhere/run"))


def test_forms() -> None:
    assert Command("script", ("train.py", "-x")).argv == [sys.executable, "train.py", "-x"]
    assert Command("module", ("pkg.train", "-x")).argv == [sys.executable, "-m", "pkg.train", "-x"]
    assert Command("module", ("pkg.train", "-x")).shown == ["-m", "pkg.train", "-x"]
    assert Command("command", ("bash", "x.sh")).argv == ["bash", "x.sh"]
    assert Command("script", ("some/where/train.py",)).label == "train"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, f"{BOOTSTRAP}"),
        ("", f"{BOOTSTRAP}"),
        ("/a:/b", f"{BOOTSTRAP}:/a:/b"),
        (f"{BOOTSTRAP}:/a", f"{BOOTSTRAP}:/a"),
    ],
)
def test_search_path(before: str | None, after: str) -> None:
    base = {} if before is None else {"PYTHONPATH": before}
    assert environment(RUN, base=base)["PYTHONPATH"] == after


def test_environment_names_the_run() -> None:
    env = environment(RUN, options=("pdb",), base={"OTHER": "kept"})
    assert env["OTHER"] == "kept"
    assert env[places.ENV_RUN] == "/somewhere/run"
    assert env[places.ENV_OPTIONS] == "pdb"
    assert os.path.isfile(os.path.join(env[places.ENV_HOME], "whydied", "__init__.py"))


def test_options_of_an_outer_run_are_not_inherited() -> None:
    assert places.ENV_OPTIONS not in environment(RUN, base={places.ENV_OPTIONS: "pdb"})


def test_a_watched_limit_is_told_and_an_older_one_forgotten() -> None:
    assert environment(RUN, watched_bytes=4096, base={})[places.ENV_MEMORY_LIMIT] == "4096"
    assert places.ENV_MEMORY_LIMIT not in environment(RUN, base={places.ENV_MEMORY_LIMIT: "1"})


@pytest.mark.parametrize("before", [{}, {"PYTHONPATH": "/a:/b"}])
def test_plain_environment_takes_it_all_back(before: dict[str, str]) -> None:
    assert plain_environment(environment(RUN, options=("pdb",), base=before)) == before


def test_working_directory_stays_off_the_search_path(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "tells.py").write_text("import sys; print(sys.path)")
    paths = [
        subprocess.run([sys.executable, "elsewhere/tells.py"], cwd=tmp_path, env=env, capture_output=True).stdout
        for env in ({"PATH": os.defpath}, environment(RunDirectory(tmp_path / "gone"), base={"PATH": os.defpath}))
    ]
    assert paths[0] == paths[1] != b""


def test_missing_script_names_its_neighbours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").touch()
    missing = find_missing(Command("script", ("trian.py",)))
    assert missing is not None
    assert missing.near == ["train.py"]
    assert missing.sentence == f"no such script: trian.py (in {tmp_path})"
    assert missing.hint == "did you mean train.py?"
    assert find_missing(Command("script", ("train.py",))) is None


def test_missing_script_in_a_missing_directory(tmp_path: Path) -> None:
    missing = find_missing(Command("script", (str(tmp_path / "no" / "train.py"),)))
    assert missing is not None
    assert "does not exist" in missing.sentence


def test_command_where_a_script_is_expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    missing = find_missing(Command("script", ("sh", "x.sh")))
    assert missing is not None
    assert missing.hint == "to run a command instead of a script, write: whydied run -- sh …"


def test_missing_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "mytool"
    tool.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = find_missing(Command("command", ("mytol",)))
    assert missing is not None
    assert missing.near == ["mytool"]
    assert find_missing(Command("command", ("mytool",))) is None


def test_command_that_may_not_be_executed(tmp_path: Path) -> None:
    script = tmp_path / "train.sh"
    script.touch(0o644)
    missing = find_missing(Command("command", (str(script),)))
    assert missing is not None
    assert missing.sentence == f"{script} is not executable"
    assert "chmod +x" in missing.hint
