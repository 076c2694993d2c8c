"""What `whydied check` found, on one page and as JSON. Runs in the parent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from whydied import words
from whydied.report import headline, plain
from whydied.report.summary import SCHEMA, finite
from whydied.words.contract_terms import sentence

if TYPE_CHECKING:
    from whydied.cli.checking.examined import Examined
    from whydied.records import ContractBroken, DataSeen

_MARGIN = 13
_MOST_LINES = 8
_MOST_DATA = 6


def as_json(found: Examined) -> str:
    """Schema 1."""
    from whydied.lint.formats.json_object import finding_object
    from whydied.report import estimate_page

    told: dict[str, Any] = {
        "schema": SCHEMA,
        "ok": found.is_well,
        "program": found.program,
        "failure": msgspec.to_builtins(found.failure) if found.failure is not None else None,
        "code": [finding_object(one) for one in found.code.findings],
        "data": [{"name": one.name, "message": _sentence(one)} for one in found.broken],
        "memory": estimate_page.as_object(found.memory),
        "environment": [one._asdict() for one in found.environment],
    }
    return msgspec.json.encode(finite(told)).decode()


def show(found: Examined, stream: TextIO) -> None:
    """A block for each thing that was checked, what is wrong marked."""
    from rich.text import Text

    from whydied.report.terminal.console import console_on, write
    from whydied.report.terminal.sentences import wrapped

    console = console_on(stream)
    encoding = console.encoding or "ascii"
    lines: list[Text] = []
    for label, is_well, rows in _blocks(found):
        mark = "ok" if is_well else "!!"
        for number, row in enumerate(rows):
            head = f"{mark} {label}".ljust(_MARGIN) if number == 0 else " " * _MARGIN
            for at, part in enumerate(wrapped(plain.spelled(row, encoding), console.width - _MARGIN)):
                shown = head if at == 0 else " " * _MARGIN
                lines.append(Text.assemble((shown, "green" if is_well else "bold red"), part))
    lines.append(Text(f"\n{_summary(found)}", style="bold"))
    write(lines, console)


def _blocks(found: Examined) -> Iterator[tuple[str, bool, list[str]]]:
    if found.failure is not None or found.exit_status:
        yield "start", False, _failed(found)
    code = found.code
    yield "code", not (code.findings or code.errors), _code(found)
    if found.data or found.broken:
        yield "data", not found.broken, _data(found)
    if found.memory.calls:
        yield "memory", not found.needs_too_much, _memory(found)
    elif found.failure is None:
        yield "memory", True, [f"not predicted: {found.memory.reason}"]
    broken = [one for one in found.environment if one.status == "broken"]
    rows = [f"{one.name}: {one.found}" + (f" ({one.impact})" if one.impact else "") for one in found.environment]
    yield "system", not broken, _cut(rows) or ["no problem with this machine and its packages"]


def _failed(found: Examined) -> list[str]:
    if found.failure is None:
        return [f"the program ended with status {found.exit_status} before its first step"]
    place = f" ({found.failure.location.spelled})" if found.failure.location is not None else ""
    told = f"it fails before its first step{place}: {headline.finding_sentence(found.failure)}"
    return [told, *(f"fix: {one}" for one in found.failure.advice[:2])]


def _code(found: Examined) -> list[str]:
    from whydied.lint.formats.text_lines import error_line, finding_lines

    code = found.code
    if not code.findings and not code.errors:
        return [f"nothing found in {words.count(code.files, 'file')}"]
    rows = [line.strip() for one in code.findings for line in finding_lines(one)]
    return _cut([*rows, *(error_line(one) for one in code.errors)])


def _data(found: Examined) -> list[str]:
    if found.broken:
        return _cut(list(dict.fromkeys(_sentence(one) for one in found.broken)))
    return [_described(one) for one in found.data[:_MOST_DATA]]


def _described(one: DataSeen) -> str:
    shape = ", ".join("rows" if extent is None else str(extent) for extent in one.shape)
    rows = f", {one.rows:,} rows" if one.rows is not None else ""
    asked = "; ".join(term.words for term in one.terms)
    return f"{one.name} of {one.kind}: ({shape}) {one.dtype}{rows}" + (f"; has {asked}" if asked else "")


def _sentence(one: ContractBroken) -> str:
    frame = one.frames[-1] if one.frames else None
    return sentence(one, f"{os.path.basename(frame.file)}:{frame.line}" if frame is not None else "")


def _memory(found: Examined) -> list[str]:
    rows = [call.sentence for call in found.memory.calls]
    # The first of them saves most.
    saving = [call.remedies[0] for call in found.memory.calls if call.remedies and found.needs_too_much]
    return rows + [f"{one.title} would save {words.size(one.saves_bytes)}" for one in saving]


def _cut(rows: list[str]) -> list[str]:
    kept = rows[:_MOST_LINES]
    return [*kept, f"{len(rows) - _MOST_LINES} more"] if len(rows) > _MOST_LINES else kept


def _summary(found: Examined) -> str:
    if found.is_well:
        return "Nothing is wrong by what can be seen before the training."
    return "Something is wrong: see the lines marked !!."
