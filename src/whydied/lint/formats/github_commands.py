"""Findings as workflow commands, which GitHub shows beside the lines of a change. Pure."""

from __future__ import annotations

from whydied.lint.checking import Checked


def github_text(checked: Checked) -> str:
    lines = []
    for one in checked.findings:
        where = one.location
        # A line of a cell is not a line of the notebook's file.
        place = "" if where.cell is not None else f",line={where.line},endLine={where.end_line},col={where.column}"
        cell = f"cell {where.cell}, line {where.line}: " if where.cell is not None else ""
        title = _property(f"whydied {one.code} {one.name}")
        told = _data(f"{cell}{one.message}. {one.advice}")
        lines.append(f"::warning title={title},file={_property(where.file)}{place}::{told}")
    for error in checked.errors:
        place = f",line={error.line}" if error.line is not None and error.cell is None else ""
        cell = f"cell {error.cell}: " if error.cell is not None else ""
        lines.append(f"::error title=whydied,file={_property(error.file)}{place}::{_data(f'{cell}{error.message}')}")
    return "".join(f"{line}\n" for line in lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
