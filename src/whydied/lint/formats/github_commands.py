"""Findings as workflow commands, which GitHub shows beside the lines of a change. Pure.

Invariant: a command is one line, and nothing in a message or a property can begin another: the runner ends a command at
a line break and a property at a colon or a comma, and takes `%XX` for the few characters that it cannot have as they
are.
"""

from __future__ import annotations

from whydied.lint.checking import Checked


def github_text(checked: Checked) -> str:
    lines = []
    for one in checked.findings:
        where = one.location
        # A line of a cell is not a line of the notebook's file.
        place = {"line": where.line, "endLine": where.end_line, "col": where.column} if where.cell is None else {}
        cell = f"cell {where.cell}, line {where.line}: " if where.cell is not None else ""
        title = f"whydied {one.code} {one.name}"
        told = f"{cell}{one.message}. {one.advice}"
        lines.append(workflow_command("warning", {"title": title, "file": where.file, **place}, told))
    for error in checked.errors:
        place = {"line": error.line} if error.line is not None and error.cell is None else {}
        cell = f"cell {error.cell}: " if error.cell is not None else ""
        told = f"{cell}{error.message}"
        lines.append(workflow_command("error", {"title": "whydied", "file": error.file, **place}, told))
    return "".join(f"{line}\n" for line in lines)


def workflow_command(kind: str, properties: dict[str, str | int], message: str) -> str:
    """`::warning title=…,file=…,line=…::message`."""
    told = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{kind}{' ' if told else ''}{told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
