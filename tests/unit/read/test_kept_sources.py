from __future__ import annotations

import os
import socket
from pathlib import Path

from whydied import source_copy
from whydied.read.kept_sources import current_sources, texts_of
from whydied.records import RunStarted, SourceKept

HERE = socket.gethostname()
BEGAN_S = 1_700_000_000.0


def _started(hostname: str = HERE) -> RunStarted:
    return RunStarted(
        run_id="r", argv=[], cwd="/", wall_time_s=BEGAN_S, boot_id="b", supervisor_pid=1, hostname=hostname,
        whydied_version="0",
    )  # fmt: skip


def _keep(directory: Path, text: str, changed_s: float = BEGAN_S - 60) -> tuple[str, str]:
    path = directory / "train.py"
    path.write_text(text)
    os.utime(path, (changed_s, changed_s))
    version = source_copy.version_of(str(path))
    assert version is not None
    return str(path), source_copy.keep(str(directory), str(path), version)


def _lines(directory: Path, file: str, kept: list[SourceKept], hostname: str = HERE) -> list[str] | None:
    source = texts_of(directory / "sources", {file}, kept, _started(hostname)).sources.get(file)
    return source.lines if source else None


def test_the_copy_counts_and_not_the_file(tmp_path: Path) -> None:
    file, copy = _keep(tmp_path, "ran = 1\n")
    Path(file).write_text("edited = 1\n")
    assert _lines(tmp_path, file, [SourceKept(file=file, copy=copy)]) == ["ran = 1"]
    os.unlink(file)
    assert _lines(tmp_path, file, [SourceKept(file=file, copy=copy)]) == ["ran = 1"]


def test_of_several_versions_the_last_that_a_process_named(tmp_path: Path) -> None:
    file, first = _keep(tmp_path, "first = 1\n")
    _, second = _keep(tmp_path, "second = 1\n", BEGAN_S + 9)
    both = [SourceKept(file=file, copy=first), SourceKept(file=file, copy=second)]
    assert _lines(tmp_path, file, both) == ["second = 1"]
    assert _lines(tmp_path, file, both[::-1]) == ["first = 1"]
    assert _lines(tmp_path, file, []) == ["second = 1"]
    assert current_sources(tmp_path / "sources", {file})[file].lines == ["second = 1"]


def test_what_was_changed_too_late_is_named(tmp_path: Path) -> None:
    file, copy = _keep(tmp_path, "x = 1\n")
    folder = tmp_path / "sources"
    assert texts_of(folder, {file}, [SourceKept(file=file, copy=copy)], _started()).edited == frozenset()
    assert texts_of(folder, {file}, [SourceKept(file=file, copy=copy, edited=True)], _started()).edited == {file}
    assert texts_of(folder, {file}, [], _started()).edited == frozenset()
    _keep(tmp_path, "x = 2\n", BEGAN_S + 9)
    assert texts_of(folder, {file}, [], _started()).edited == {file}
    assert texts_of(tmp_path / "none", {file}, [], _started()).edited == {file}


def test_the_disk_stands_in_on_the_same_machine_only(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("of this machine = 1\n")
    (tmp_path / "sources").mkdir()
    assert _lines(tmp_path, str(path), []) == ["of this machine = 1"]
    assert _lines(tmp_path, str(path), [], "elsewhere") is None
    assert _lines(tmp_path / "old recording", str(path), [], "elsewhere") == ["of this machine = 1"]


def test_a_name_that_leads_out_of_the_recording_is_not_followed(tmp_path: Path) -> None:
    file, copy = _keep(tmp_path, "x = 1\n")
    os.unlink(file)
    inner = tmp_path / "inner"
    (inner / "sources").mkdir(parents=True)
    assert _lines(inner, file, [SourceKept(file=file, copy=f"../../sources/{copy}")]) is None
    assert _lines(tmp_path, file, [SourceKept(file=file, copy=copy)]) == ["x = 1"]
