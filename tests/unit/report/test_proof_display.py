from __future__ import annotations

import io
import re

import pytest

from whydied.prove.experiment import Pulse
from whydied.prove.verdicts import Verdict
from whydied.report.terminal.proof_display import ProofDisplay


class Terminal(io.StringIO):
    encoding = "ascii"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_trials_on_any_terminal(columns: int, term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(ProofDisplay, "_width", lambda _: columns)
    screen = Terminal()
    display = ProofDisplay(screen)
    display.begins("train with a batch of 16 rows instead of 256 → less memory", 1, 3, 60.0)
    for second in range(20):
        display.beats(Pulse(float(second), 60.0, second << 25, 1 << 30))
    display.ends(Verdict("refuted", "it was killed by the kernel again, at the same step of the training"), None)
    display.clears()
    shown = screen.getvalue()
    assert shown.isascii()
    assert ("\x1b" in shown) == (term == "xterm")
    drawn = re.sub(r"\x1b\[[0-9;]*[mK]", "", shown).replace("\r", "\n").splitlines()
    assert max(map(len, drawn)) <= columns
    assert "[1/3] train with a batch" in shown
    assert "killed by the kernel" in " ".join(drawn[-4:])
