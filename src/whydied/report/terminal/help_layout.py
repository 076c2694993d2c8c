"""The help of the commands within the width of the terminal. Runs in the parent.

Invariant: a line of an example that fits is printed as it is written; one that does not has its remark below it, and is
continued as a shell takes it. click keeps help at least 50 columns wide and leaves examples as they are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

import click

from whydied.report.terminal.sentences import columns_of, continued, wrapped

_WIDEST = 100
_REMARK = re.compile(r"(?P<indent> *)(?P<shown>\S.*?)(?: {2,}(?P<remark>\S.*))?")
_SET_IN = 4


class HelpLayout(click.HelpFormatter):
    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Set in by little: where the program's name is long, click would leave no room for the rest."""
        line = f"{prefix or 'Usage: '}{prog} {args}"
        self.write("".join(f"{part}\n" for part in wrapped(line, self.width, _SET_IN)))

    def write_text(self, text: str) -> None:
        paragraphs = [self._paragraph(part) for part in re.split(r"\n\s*\n", text.strip("\n"))]
        self.write("\n\n".join("\n".join(lines) for lines in paragraphs) + "\n")

    def _paragraph(self, text: str) -> list[str]:
        indent = " " * self.current_indent
        first, *others = text.split("\n")
        if first.strip() == "\b":
            return [part for line in others for part in _example(indent + line.rstrip(), self.width)]
        return wrapped(indent + " ".join(text.split()), self.width)

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        super().write_dl(list(rows), min(col_max, self.width // 3), col_spacing)


def _example(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    match = _REMARK.fullmatch(line)
    if match is None:
        return [line]
    shown = match["indent"] + match["shown"]
    lines = continued(shown, width) if match["shown"].startswith("whydied ") else wrapped(shown, width, _SET_IN)
    return [*lines, *(wrapped(f"{match['indent']}{' ' * _SET_IN}{match['remark']}", width) if match["remark"] else [])]


class HelpContext(click.Context):
    formatter_class = HelpLayout

    def make_formatter(self) -> click.HelpFormatter:
        return HelpLayout(width=min(columns_of(sys.stdout) or 80, _WIDEST) - 2)


def lay_out(command: click.Command) -> None:
    """A command, and those below it, with such help."""
    command.context_class = HelpContext
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        lay_out(below)
