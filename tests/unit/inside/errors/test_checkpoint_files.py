"""What lies where a checkpoint is sought."""

from __future__ import annotations

from pathlib import Path

from whydied.inside.errors.framework.checkpoint_files import look

NotFoundError = type("NotFoundError", (Exception,), {"__module__": "tensorflow.python.framework.errors_impl"})


def test_the_checkpoints_beside_the_one_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a-1.index").write_text("")
    (tmp_path / "a-1.data-00000-of-00001").write_text("")
    error = NotFoundError(f"Failed to find any matching files for {tmp_path}/b-1\n Please double-check")
    found = look(0, error, [])
    assert found is not None
    assert (found.is_directory, found.folder, found.found) == (False, str(tmp_path), ["a-1"])


def test_a_directory(tmp_path: Path) -> None:
    (tmp_path / "a-1.index").write_text("")
    error = NotFoundError(f"Unable to open table file {tmp_path}: FAILED_PRECONDITION: {tmp_path}; Is a directory: x")
    found = look(0, error, [])
    assert found is not None
    assert (found.is_directory, found.found) == (True, ["a-1"])


def test_another_exception(tmp_path: Path) -> None:
    assert look(0, FileNotFoundError("Failed to find any matching files for /ck/b-1"), []) is None
    assert look(0, NotFoundError("Key v not found in checkpoint"), []) is None
