"""The groups around a sandbox, made in trees of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from whydied.prove.sandbox import control_groups


def _machine(root: Path, groups: str, mounted: str) -> str:
    (root / "proc" / "self").mkdir(parents=True)
    (root / "proc" / "self" / "cgroup").write_text(groups)
    (root / "proc" / "self" / "mountinfo").write_text(mounted)
    return f"{root}/"


def test_version_1(tmp_path: Path) -> None:
    for name in ("memory/own", "pids"):
        (tmp_path / "sys/fs/cgroup" / name).mkdir(parents=True)
    root = _machine(
        tmp_path,
        "4:memory:/own\n8:pids:/\n",
        "1 2 0:1 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "1 2 0:2 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n",
    )
    record = tmp_path / "groups.txt"
    groups = control_groups.make(str(record), 1000, 60, root)
    memory, pids = map(Path, groups.tops)
    assert record.read_text().split() == groups.tops
    assert memory.parent == tmp_path / "sys/fs/cgroup/memory/own"
    assert (memory / "memory.limit_in_bytes").read_text() == "1000"
    assert (pids / "pids.max").read_text() == "60"
    assert groups.room == str(memory / "room")
    assert groups.joined == [str(memory / "room/inner"), str(pids / "inner")]
    assert groups.bounds == {"memory", "pids"}
    groups.join(7)
    assert (pids / "inner/cgroup.procs").read_text() == "7"


def test_version_2_beside_the_own_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel fills a new group with knobs; a tree of files has to be told."""
    own = tmp_path / "sys/fs/cgroup/app.slice/shell.scope"
    own.mkdir(parents=True)
    (own / "cgroup.controllers").write_text("memory pids")
    root = _machine(tmp_path, "0::/app.slice/shell.scope\n", "1 2 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
    plain = control_groups.os.mkdir

    def mkdir(path: str, mode: int = 0o777) -> None:
        plain(path, mode)
        (Path(path) / "memory.max").write_text("max")

    monkeypatch.setattr(control_groups.os, "mkdir", mkdir)
    groups = control_groups.make(str(tmp_path / "groups.txt"), 1000, 60, root)
    (top,) = map(Path, groups.tops)
    assert top.parent == own.parent
    assert ((top / "memory.max").read_text(), (top / "pids.max").read_text()) == ("1000", "60")
    assert (top / "room/cgroup.subtree_control").read_text() == "+memory"
    assert groups.joined == [str(top / "room/inner")]


def test_where_nothing_may_be_made(tmp_path: Path) -> None:
    groups = control_groups.make(str(tmp_path / "groups.txt"), 1000, 60, _machine(tmp_path, "", ""))
    assert groups == ([], [], None, frozenset())
