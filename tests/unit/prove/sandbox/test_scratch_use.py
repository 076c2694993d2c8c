"""What counts as written."""

from __future__ import annotations

from pathlib import Path

from whydied.prove.sandbox.scratch_use import ScratchUse


def test_what_was_there_before_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "before").write_bytes(bytes(1 << 20))
    use = ScratchUse([str(tmp_path)], 100_000)
    assert use.excess() is None
    use.close()


def test_too_much_is_told(tmp_path: Path) -> None:
    use = ScratchUse([str(tmp_path)], 100_000)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "file").write_bytes(b"x" * (3 << 20))
    (tmp_path / "link").symlink_to("/")
    assert (use.excess() or "").endswith("; the sandbox allows 97.7 KiB")
    use.close()
