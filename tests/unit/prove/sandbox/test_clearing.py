"""What a sandbox left is removed, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from whydied.linux import proc
from whydied.prove.sandbox import clear, notes
from whydied.prove.sandbox.clearing import remove_tree


def test_a_tree_with_links_modes_and_depth(tmp_path: Path) -> None:
    top, outside = tmp_path / "top", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    (top / "a" / "b").mkdir(parents=True)
    (top / "a" / "link").symlink_to(outside)
    (top / "file").symlink_to(outside / "kept")
    (top / "a").chmod(0)
    remove_tree(str(top))
    assert not top.exists()
    assert (outside / "kept").read_text() == "x"
    assert outside.stat().st_mode & 0o777 != 0


def test_only_the_sandbox_of_the_scratch_directory_is_removed(tmp_path: Path) -> None:
    (tmp_path / "sandbox").mkdir()
    (tmp_path / "sandbox" / "notes.txt").write_text("one\ntwo\n")
    (tmp_path / "mine").write_text("x")
    assert notes(str(tmp_path)) == ["one", "two"]
    clear(str(tmp_path))
    assert os.listdir(tmp_path) == ["mine"]
    clear(str(tmp_path))


def test_a_process_with_the_number_of_the_guardian_lives_on(tmp_path: Path) -> None:
    """Numbers are used again; only number and start together are the guardian."""
    (tmp_path / "sandbox").mkdir()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        stat = proc.stat_of(process.pid)
        assert stat
        (tmp_path / "sandbox" / "guardian.txt").write_text(f"{process.pid} {stat.started_ticks - 1}")
        clear(str(tmp_path))
        assert process.poll() is None
        process.communicate(b"\n")
    assert process.returncode == 0
