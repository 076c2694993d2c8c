from __future__ import annotations

import time
from pathlib import Path

from tests.handmade import recorded_run
from whydied import places
from whydied.report.keeping.retention import prune, size_bytes


def name(days_ago: float, tail: str) -> str:
    return time.strftime("%Y%m%d-%H%M%S", time.localtime(time.time() - days_ago * 86400)) + f"-train-{tail}"


def left(runs: Path) -> list[str]:
    return [run.id[-1] for run in places.list_runs(runs)]


def test_by_age(tmp_path: Path) -> None:
    for days, tail in ((40, "a"), (20, "b"), (1, "c")):
        recorded_run(tmp_path, name(days, tail))
    pruned = prune(places.list_runs(tmp_path), keep_days=30, keep_bytes=1 << 40)
    assert left(tmp_path) == ["b", "c"]
    assert [run.id[-1] for run in pruned.removed] == ["a"]
    assert pruned.freed_bytes > 0


def test_by_size_the_oldest_go_first(tmp_path: Path) -> None:
    for days, tail in ((3, "a"), (2, "b"), (1, "c")):
        recorded_run(tmp_path, name(days, tail))
    one = size_bytes(places.list_runs(tmp_path)[0].path)
    prune(places.list_runs(tmp_path), keep_days=30, keep_bytes=2 * one)
    assert left(tmp_path) == ["b", "c"]


def test_a_run_that_is_still_going_is_never_removed(tmp_path: Path) -> None:
    recorded_run(tmp_path, name(40, "a"), ended=False)
    recorded_run(tmp_path, name(39, "b"))
    pruned = prune(places.list_runs(tmp_path), keep_days=0, keep_bytes=0)
    assert left(tmp_path) == ["a"]
    assert pruned.failed == []


def test_what_cannot_be_removed_is_said(tmp_path: Path) -> None:
    run = recorded_run(tmp_path / "elsewhere", name(40, "a"))
    link = places.RunDirectory(tmp_path / run.id)
    link.path.symlink_to(run.path)
    pruned = prune([link], keep_days=1, keep_bytes=0)
    assert pruned.removed == []
    assert "could not be removed" in pruned.failed[0]
    assert run.streams.is_dir()
