"""Shows the trials of a proof while they run: what is tried, how long it may take, memory against the limit. Runs in
the parent.

On a terminal one line is drawn over and over, and stays as the verdict; elsewhere a line is written for each verdict.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TextIO

from whydied import words
from whydied.prove.experiment import Pulse
from whydied.prove.observed import Observed
from whydied.prove.proof import Proof
from whydied.prove.verdicts import Verdict
from whydied.report import plain
from whydied.report.proving import LiveTeller
from whydied.report.summary import Report
from whydied.report.terminal.sentences import columns_of, wrapped

_MARKS = {"proved": "✓", "refuted": "✗", "untested": "·"}
_COLOURS = {"proved": "32", "refuted": "31", "untested": "33"}
_BARS = "▁▂▃▄▅▆▇█"
_PLOT, _LEAST_TITLE = 16, 24


@contextlib.contextmanager
def display_on(stream: TextIO | None) -> Iterator[ProofDisplay]:
    display = ProofDisplay(stream)
    try:
        yield display
    finally:
        display.clears()


class ProofDisplay(LiveTeller):
    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._live = stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
        self._encoding = getattr(stream, "encoding", None) or "ascii"
        self._coloured = self._live and not os.environ.get("NO_COLOR")
        self._title = ""
        self._began = False
        self._memory: list[int] = []

    def begins(self, words: str, number: int, most: int, limit_s: float) -> None:
        self._title = f"[{number}/{most}] {words}" if number else words
        self._memory = []
        if not self._began:
            self._say("whydied: running the program again, in a sandbox")
        self._began = True

    def beats(self, pulse: Pulse) -> None:
        if not self._live:
            return
        self._memory.append(pulse.rss_bytes)
        times = f"{words.duration(pulse.seconds)} of {words.duration(pulse.limit_s)} at most"
        held = f"{words.size(pulse.rss_bytes)} of {words.size(pulse.limit_bytes)}"
        tails = [f"  {times}  {self._plot(pulse.limit_bytes)} {held}", f"  {times}  {held}", f"  {times}", ""]
        # What is tried counts most: where there is little room, the rest goes.
        room = self._width() - _LEAST_TITLE - 3
        tail = next(one for one in tails if len(one) <= room or not one)
        self._draw(f"  {self._fitted(self._title, len(tail) + 2)}{tail}")

    def ends(self, verdict: Verdict, seen: Observed | None) -> None:
        self.clears()
        mark = self._painted(plain.spelled(_MARKS[verdict.word], self._encoding), verdict.word)
        # What is well says all of it by itself.
        parts = [] if seen is not None and seen.is_well else [verdict.words]
        parts += [seen.words] if seen is not None else []
        parts += [f"{verdict.losses}: {verdict.harm}"] if verdict.losses else []
        first, *others = self._wrapped(f"  - {self._title}: {'; '.join(parts)}", hanging=2)
        self._write("".join(f"{line}\n" for line in [first.replace("-", mark, 1), *others]))

    def concludes(self, report: Report | None, proof: Proof) -> None:
        """What it all comes to. Without a report, one will be shown."""
        if proof.reproduced is not True:
            reason = proof.stopped or "it did not fail again, so there was nothing to compare with"
            self._say(f"whydied: not reproduced: {reason}")
            return
        proved = _best(report, proof)
        if proved is None:
            left = "; more can be tried with --tries and --time" if proof.stopped else ""
            self._say(f"whydied: none of the changes removes the failure{left}")
            return
        where = f"whydied fix {report.run.id}" if report is not None else "%whydied fix"
        self._say(f"whydied: proved: {proved.rstrip('.')}. See the patch with: {where}")

    def _say(self, sentence: str) -> None:
        self._write("".join(f"{line}\n" for line in self._wrapped(sentence)))

    def _wrapped(self, line: str, hanging: int = 0) -> list[str]:
        columns = columns_of(self._stream)
        shown = plain.spelled(line, self._encoding)
        return wrapped(shown, columns, hanging) if columns is not None else [shown]

    def clears(self) -> None:
        if self._live:
            self._write("\r\x1b[2K")

    def _plot(self, limit_bytes: int) -> str:
        """The last looks at memory, against the limit."""
        last = self._memory[-_PLOT:]
        bars = "".join(_BARS[min(len(_BARS) - 1, one * len(_BARS) // max(1, limit_bytes))] for one in last)
        return bars.rjust(_PLOT)

    def _fitted(self, text: str, taken: int) -> str:
        room = self._width() - taken - 1
        return text if len(text) <= room else f"{text[: max(0, room - 1)]}…"

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno() if self._stream else 2).columns or 80
        except (OSError, ValueError):
            return 80

    def _draw(self, line: str) -> None:
        self._write(f"\r\x1b[2K{plain.spelled(line, self._encoding)[: self._width() - 1]}")

    def _painted(self, mark: str, word: str) -> str:
        return f"\x1b[{_COLOURS[word]}m{mark}\x1b[0m" if self._coloured else mark

    def _write(self, text: str) -> None:
        if self._stream is None:
            return
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(plain.spelled(text, self._encoding))
            self._stream.flush()


def _best(report: Report | None, proof: Proof) -> str | None:
    """The title of the proved change that `whydied fix` gives."""
    if report is not None:
        return next((fix.title for fix in report.fixes if fix.verdict == "proved"), None)
    proved = [one for one in proof.tried if one.verdict == "proved"]
    # Of a program that fails of one thing after the other the last one holds all changes; a rival is tried after the
    # change that names the cause.
    several = [one for one in proved if one.kind == "several"]
    return next((one.title for one in [*several[::-1], *proved]), None)
