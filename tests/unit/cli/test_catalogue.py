from __future__ import annotations

from pathlib import Path

import pytest

from tests.handmade import recorded_run
from whydied.cli import catalogue
from whydied.errors import RunNotFound, UsageError

FIRST, SECOND, THIRD = (
    "20250110-101010-train-py-ab12cd",
    "20250110-101011-train-py-ef34ab",
    "20250111-090000-x-py-012345",
)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    recorded_run(tmp_path, FIRST, name="nightly")
    recorded_run(tmp_path, THIRD)
    recorded_run(tmp_path, SECOND, name="nightly")
    return tmp_path


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(None, THIRD), (FIRST, FIRST), ("20250111", THIRD), ("ef34", SECOND), ("nightly", SECOND), ("x-py", THIRD)],
)
def test_a_run_is_found_by_any_of_its_names(runs: Path, wanted: str | None, found: str) -> None:
    assert catalogue.find(wanted, runs).id == found


def test_by_path(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert catalogue.find(str(runs / FIRST), None).path == runs / FIRST
    monkeypatch.chdir(runs)
    assert catalogue.find(f"./{FIRST}", None).path == runs / FIRST
    monkeypatch.chdir(runs / FIRST)
    assert catalogue.find(".", None).path == runs / FIRST


def test_too_little_of_an_id_lists_what_fits(runs: Path) -> None:
    with pytest.raises(RunNotFound, match=r"matches 2 runs: .*ab12cd, .*ef34ab"):
        catalogue.find("train", runs)


def test_no_such_run(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(RunNotFound, match="no run 'nosuch'"):
        catalogue.find("nosuch", runs)
    with pytest.raises(RunNotFound, match="there are no runs in"):
        catalogue.find(None, tmp_path / "empty")
    with pytest.raises(RunNotFound, match="is not the directory of a run"):
        catalogue.find(str(tmp_path / "nothing"), runs)
    archive = tmp_path / "a.tar.gz"
    archive.touch()
    with pytest.raises(UsageError, match="is a file"):
        catalogue.find(str(archive), runs)


def test_the_place_that_stands_in_for_the_usual_one_is_looked_into_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHYDIED_RUNS", str(tmp_path / "usual"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    from whydied import places

    recorded_run(places.fallback_runs(), FIRST)
    assert catalogue.find(None, None).id == FIRST


def test_a_row_of_a_run_without_a_report(runs: Path) -> None:
    row = catalogue.row(catalogue.find(FIRST, runs))
    assert (row.state, row.name, row.cause, row.wall_s) == ("unfinished", "nightly", "", None)
    assert row.size_bytes > 0
    going = recorded_run(runs, "20250112-101010-y-py-000000", ended=False)
    assert catalogue.row(going).state == "going"
    damaged = catalogue.find(SECOND, runs)
    damaged.report.write_bytes(b'{"schema": 1, "run"')
    assert catalogue.row(damaged).state == "unfinished"


def test_runs_of_one_second_are_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    """Their ids end in letters by chance."""
    later, earlier = "20250110-101010-train-py-aaaaaa", "20250110-101010-train-py-zzzzzz"
    recorded_run(tmp_path, later, wall_time_s=1736503810.9)
    recorded_run(tmp_path, earlier, wall_time_s=1736503810.1)
    assert [run.id for run in catalogue.all_runs(tmp_path)] == [earlier, later]
    assert catalogue.find(None, tmp_path).id == later
