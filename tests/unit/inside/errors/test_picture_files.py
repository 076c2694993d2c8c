"""Files that are no whole pictures, told by their first and last bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from whydied.inside.errors.picture_files import _reasons, examined

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


def test_the_words_of_the_error_say_what_to_look_for() -> None:
    assert _reasons("Unknown image file format") == ("empty", "other")
    assert _reasons("Input is empty") == ("empty",)
    assert _reasons("jpeg::Uncompress failed") == ("cut",)
    assert _reasons("Invalid PNG ") == ("cut",)
