"""The command that enters a sandbox, without running it."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from whydied.errors import UsageError
from whydied.prove.sandbox import Mechanism, Wanted, entered, original

_NAMESPACES, _LANDLOCK = Mechanism("namespaces", ""), Mechanism("landlock", "")


def test_the_command_carries_what_is_wanted_with_real_paths(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    wanted = Wanted(str(tmp_path / "link"), writable=[str(tmp_path / "runs")], shown={"/a.py": "/b.py"})
    python, *options, name, text, program, word = entered(wanted, ["program", "two words"], _NAMESPACES)
    assert (python, options[0], name, program, word) == (sys.executable, "-I", "namespaces", "program", "two words")
    decoded = msgspec.json.decode(text, type=Wanted)
    assert decoded == msgspec.structs.replace(wanted, scratch=str(tmp_path / "real"))


@pytest.mark.parametrize("writable", ["", "scratch", "scratch/sandbox/.."])
def test_a_scratch_directory_that_the_program_could_write_to_is_refused(tmp_path: Path, writable: str) -> None:
    with pytest.raises(UsageError, match="which the program can write to"):
        entered(Wanted(str(tmp_path / "scratch"), writable=[str(tmp_path / writable)]), ["x"], _NAMESPACES)


def test_an_edited_file_cannot_lie_where_the_real_one_is_written_to(tmp_path: Path) -> None:
    wanted = Wanted(str(tmp_path / "scratch"), writable=[str(tmp_path / "runs")], shown={f"{tmp_path}/runs/a.py": "/b"})
    with pytest.raises(UsageError, match="which the program can write to"):
        entered(wanted, ["x"], _NAMESPACES)


def test_a_run_directory_beside_or_below_the_scratch_directory_is_not(tmp_path: Path) -> None:
    for name in ("scratch-of-another", "scratch/run"):
        assert entered(Wanted(str(tmp_path / "scratch"), writable=[str(tmp_path / name)]), ["x"], _NAMESPACES)


def test_paths_of_the_copy_are_told_as_the_users(tmp_path: Path) -> None:
    wanted = Wanted(str(tmp_path), project="/home/user/project")
    copied = f"{tmp_path.resolve()}/sandbox/project/train.py"
    assert original(wanted, copied, _LANDLOCK) == "/home/user/project/train.py"
    assert original(wanted, "/usr/lib/x.py", _LANDLOCK) == "/usr/lib/x.py"
    assert original(wanted, "/home/user/project/train.py", _NAMESPACES) == "/home/user/project/train.py"
