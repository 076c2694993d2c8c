"""The files of pictures that the dying program names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from whydied.inside.errors import picture_files
from whydied.inside.errors.picture_files import _named, _reasons
from whydied.records import PicturesNamed
from whydied.stream import LARGEST_RECORD_BYTES
from whydied.wire import frame


def _given(monkeypatch: pytest.MonkeyPatch, paths: list[str]) -> list[PicturesNamed]:
    def given(_: object) -> Iterator[str]:
        yield from paths

    monkeypatch.setattr(picture_files, "_paths", given)
    return list(_named([], ("cut",)))


def test_the_words_of_the_error_say_what_to_look_for() -> None:
    assert _reasons("Unknown image file format") == ("empty", "other")
    assert _reasons("Input is empty") == ("empty",)
    assert _reasons("jpeg::Uncompress failed") == ("cut",)
    assert _reasons("Invalid PNG ") == ("cut",)


def test_all_names_are_recorded_in_records_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"/data/train/class {number % 7}/picture {number}.jpg" for number in range(20_100)]
    found = _given(monkeypatch, paths)
    assert [os.path.join(one.directory, name) for one in found for name in one.names] == paths[:20_000]
    assert {one.directory for one in found} == {"/data/train"}
    assert max(len(frame(1, 1, one)) for one in found) < LARGEST_RECORD_BYTES


def test_nothing_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not even whether they are there."""
    (one,) = _given(monkeypatch, [str(tmp_path / "none" / "a.png")])
    assert (one.directory, one.names, one.reasons) == (str(tmp_path / "none"), ["a.png"], ["cut"])


def test_names_that_are_no_text_and_no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = _given(monkeypatch, ["/data/a.png", os.fsdecode(b"/data/\xff.png")])
    assert one.names == ["a.png"]
    assert _given(monkeypatch, []) == []
