"""Files that are no whole pictures, told by their first and last bytes after the program's end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import handmade
from whydied.read.recording import load
from whydied.records import PicturesNamed, ProcessBegan
from whydied.report.finish import finish
from whydied.report.pictures import examined
from whydied.stream import Stream

JPEG = b"\xff\xd8\xff\xe0" + bytes(300)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(300)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (JPEG + b"\xff\xd9", None),
        (JPEG + b"\xff\xd9" + bytes(40), None),
        (JPEG, "cut"),
        (PNG + b"\0\0\0\0IEND\xaeB`\x82", None),
        (PNG, "cut"),
        (b"GIF89a" + bytes(20), None),
        (b"BM" + bytes(20), None),
        (b"", "empty"),
        (b"<html>", "other"),
        (b"\0", "other"),
    ],
)
def test_what_is_wrong_with_a_file(content: bytes, reason: str | None, tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(content)
    found = examined(str(path))
    assert (found.reason if found is not None else None) == reason
    if found is not None:
        assert (found.path, found.size_bytes) == (str(path), len(content))


def test_a_file_that_is_not_there_is_not_called_bad(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        examined(str(tmp_path / "none.png"))


def test_the_parent_looks_once_and_keeps_what_it_found(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for name, content in {"good.jpg": JPEG + b"\xff\xd9", "cut.jpg": JPEG, "page.jpg": b"<html>"}.items():
        (pictures / name).write_bytes(content)
    directory = handmade.recorded_run(tmp_path / "runs")
    stream = Stream(directory.streams, f"process-{os.getpid()}-0")
    stream.write(ProcessBegan(start="exec", pid=os.getpid(), ppid=1, executable="python", argv=["train.py"]))
    for names in (["good.jpg", "gone.jpg"], ["cut.jpg", "page.jpg"]):
        stream.write(PicturesNamed(directory=str(pictures), names=names, reasons=["empty", "other"]))
    assert load(directory).aftermath.pictures is None
    finish(directory)
    (pictures / "page.jpg").unlink()
    directory.report.unlink()
    finish(directory)
    found = load(directory).aftermath.pictures
    assert found is not None
    assert (found.looked, found.bad) == (3, 1)
    assert [(one.path, one.reason) for one in found.files] == [(str(pictures / "page.jpg"), "other")]


def test_nothing_is_kept_where_nothing_is_wrong(tmp_path: Path) -> None:
    directory = handmade.recorded_run(tmp_path / "runs")
    finish(directory)
    assert not directory.aftermath.exists()
