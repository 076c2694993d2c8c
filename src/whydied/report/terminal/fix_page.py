"""A fix for readers: what it does, what it costs, whether it was tried, and its diff. Pure but for `as_bytes`, which
looks at the files of a patch.
"""

from __future__ import annotations

import html
import os

from rich.text import Text

from whydied.diagnose.finding import Fix
from whydied.prove.patching.choice import COSTS, VERDICTS, is_offered, ranked
from whydied.read.recording import Recording
from whydied.report import claims, headline, plain
from whydied.report.summary import Report
from whydied.report.terminal.console import is_healthy
from whydied.source.bindings import cell_number
from whydied.source.edits.edit import patch
from whydied.source.text import encoding_of

_STYLES = {"---": "bold", "+++": "bold", "@@": "cyan", "+": "green", "-": "red", "\\": "dim"}
_COLOURS = {"cyan": "#1b8a9c", "green": "#2b8a3e", "red": "#d64545"}
_HEAD_BYTES = 1024


def head(fix: Fix, number: int, count: int) -> str:
    """`Fix 1 of 2 (proved): lower the batch size. Computes the same numbers.`"""
    which = f"Fix {number} of {count}" if count > 1 else "Fix"
    return f"{which} ({verdict(fix)}): {plain.line(fix.title).rstrip('.')}. {COSTS[fix.harm]}"


def verdict(fix: Fix) -> str:
    told = VERDICTS[fix.verdict]
    return f"{told}: {plain.line(fix.compared)}" if fix.compared else told


def row(fix: Fix, number: int, report: Report) -> str:
    """One line of a list."""
    code = next((one.code for one in report.findings if one.id == fix.answers), "")
    tried = VERDICTS[fix.verdict].partition(":")[0]
    return f"{number:>2}  {code:<6}  {plain.line(fix.title).rstrip('.')} ({tried}; {fix.harm})"


def without_fix(report: Report) -> list[str]:
    """What is known where there is no patch to offer."""
    if is_healthy(report):
        return [f"{headline.program(report)} has nothing to fix: no problem was seen."]
    tried = [fix for fix in ranked(report.fixes) if not is_offered(fix)]
    told = f"no change of {headline.program(report)} is known that would help"
    if tried:
        told += f"; {len(tried)} tried in vain: --list shows them"
    reason = headline.why(report)
    advice = [text for text in claims.remedies(report) if VERDICTS["refuted"] not in text]
    return [f"{told}.", *([reason] if reason else []), *advice]


def readable(recording: Recording | None, fix: Fix) -> str:
    """The diff as people read it: that of the cells of a notebook, where the patch is one of its file."""
    if recording is None or all(cell_number(edit.file) is None for edit in fix.edits):
        return fix.patch or ""
    root = recording.started.cwd if recording.started is not None else ""
    return patch({**recording.project, **recording.sources}, fix.edits, root) or fix.patch or ""


def coloured(text: str, encoding: str) -> list[Text]:
    return [Text(plain.spelled(line, encoding), style=_style(line)) for line in _lines(text)]


def as_html(told: str, text: str) -> str:
    rows = [
        f'<span style="color:{_COLOURS.get(_style(line), "inherit")}">{html.escape(line)}</span>'
        for line in _lines(text)
    ]
    return f'<div class="whydied-fix">{html.escape(told)}<pre>{chr(10).join(rows)}</pre></div>'


def as_bytes(text: str, root: str) -> bytes:
    """A patch for other programs: the lines of a file in the encoding of that file."""
    lines = text.split("\n")
    heads = [at for at in range(len(lines) - 1) if lines[at].startswith("--- ") and lines[at + 1].startswith("+++ ")]
    written, encoding = [], "utf-8"
    for at, line in enumerate(lines):
        if at in heads:
            name = line.removeprefix("--- a/").rstrip("\t")
            encoding = _encoding(os.path.join(root, name)) or _encoding(f"/{name}") or "utf-8"
        is_head = at in heads or at - 1 in heads
        written.append(line.encode("utf-8" if is_head else encoding, "surrogateescape"))
    return b"\n".join(written)


def _encoding(file: str) -> str | None:
    try:
        with open(file, "rb") as stream:
            encoding = encoding_of(stream.read(_HEAD_BYTES))
        "".encode(encoding)
    except (OSError, LookupError, ValueError):
        return None
    return encoding


def _lines(text: str) -> list[str]:
    return [plain.block(line).replace("\n", " ") for line in text.removesuffix("\n").split("\n")]


def _style(line: str) -> str:
    return next((style for start, style in _STYLES.items() if line.startswith(start)), "")
