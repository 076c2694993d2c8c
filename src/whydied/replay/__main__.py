"""`python -m whydied.replay DIR [--seconds N]`: the process of a replay.

Invariant: `replay.json` is there afterwards, whole, also where the step could not be run again. The exit status
is 0 then; it is 2 where DIR is not a capture.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

SECONDS = 60.0


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m whydied.replay", description="Replay a captured step.")
    words.add_argument("directory")
    words.add_argument("--seconds", type=float, default=SECONDS, help="time limit")
    given = words.parse_args()
    if not os.path.isdir(given.directory):
        sys.stderr.write(f"{given.directory} is not a capture directory\n")
        return 2
    _settle()
    from whydied.replay.step_report import replay

    found = replay(given.directory, given.seconds, _Progress())
    _write(given.directory, found)
    return 0


def _settle() -> None:
    """Choose, before TensorFlow is loaded, what it will run with."""
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    # With XLA, ops would be fused, and none of them could be looked at.
    for name in ("TF_XLA_FLAGS", "XLA_FLAGS", "WHYDIED_RUN"):
        os.environ.pop(name, None)


def _write(directory: str, found: object) -> None:
    import msgspec

    path = os.path.join(directory, "replay.json")
    temporary = f"{path}.{os.getpid()}"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as stream:
        stream.write(msgspec.json.encode(found))
    os.replace(temporary, path)


class _Progress:
    """A line on a terminal, at most one a second."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, words: str) -> None:
        now = time.monotonic()
        if sys.stderr.isatty() and now - self._last >= 1.0:
            self._last = now
            sys.stderr.write(f"{words} …\n")


if __name__ == "__main__":
    sys.exit(main())
