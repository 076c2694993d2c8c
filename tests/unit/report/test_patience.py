from __future__ import annotations

import io
import signal
import threading
import time

import pytest

from whydied.report import patience as patiences
from whydied.report.patience import patience


class Screen(io.StringIO):
    encoding = "ascii"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True

    def awaits(self, text: str) -> None:
        give_up = time.monotonic() + 30
        while text not in self.getvalue():
            assert time.monotonic() < give_up, self.getvalue()
            time.sleep(0.01)


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patiences, "QUIET_S", 0.01)
    monkeypatch.setattr(patiences, "_EVERY_S", 0.01)
    monkeypatch.setenv("TERM", "xterm")


def test_what_takes_long_is_told_and_taken_away() -> None:
    screen = Screen()
    with patience("reading…", screen) as shown:
        screen.awaits("\r\x1b[2Kwhydied: reading... (0 s)")
        shown.tells("writing")
        screen.awaits("whydied: writing (0 s)")
    assert screen.getvalue().endswith("\r\x1b[2K")


def test_one_inside_another_lends_it_its_words() -> None:
    screen = Screen()
    with patience("outer", screen):
        with patience("inner"):
            screen.awaits("inner")
        before = len(screen.getvalue())
        while "outer" not in screen.getvalue()[before:]:
            time.sleep(0.01)


def test_a_dumb_terminal_gets_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    screen = Screen()
    with patience("reading", screen):
        screen.awaits("\n")
    assert screen.getvalue() == "whydied: reading\n"


def test_what_is_quick_or_unwatched_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patiences, "QUIET_S", 60.0)
    screen, pipe = Screen(), io.StringIO()
    with patience("reading", screen):
        pass
    with patience("reading", pipe):
        assert not [one for one in threading.enumerate() if one.name == "whydied-patience"]
    assert (screen.getvalue(), pipe.getvalue()) == ("", "")


def test_the_thread_takes_no_signal() -> None:
    """Ctrl-C during a replay is waited for by the main thread: another one must not take it away."""
    with patience("reading", Screen()):
        thread = next(one for one in threading.enumerate() if one.name == "whydied-patience")
        with open(f"/proc/self/task/{thread.native_id}/status") as status:
            blocked = next(int(line.split()[1], 16) for line in status if line.startswith("SigBlk:"))
    assert blocked >> (signal.SIGINT - 1) & 1
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
