"""A notebook as one text: its code cells one below the other, with what is not Python taken out. Pure.

Invariant: a line of a cell stays a line, with its indent, so that places in the joined text are places in the cells.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from whydied.lint.unit import CellText
from whydied.source.text import Source, parsed

_PYTHON_CELLS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%whydied", "%%memit", "%%tensorflow_version")
_MAGIC = re.compile(r"^(\s*)(?:[%!].*|\?.*|[\w.]+\?{1,2}\s*)$")
_ASSIGNED = re.compile(r"^(\s*[\w, \[\]]+?=\s*)[%!].*$")
_RUNS_CODE = re.compile(r"^\s*(?:%run|%load|%pylab|%store|%macro|%R|%%capture \w|%load_ext)", re.MULTILINE)


class NotPython(NamedTuple):
    """A file or a cell that cannot be read as code."""

    line: int
    cell: int | None
    message: str


class Joined(NamedTuple):
    source: Source
    cells: tuple[CellText, ...]
    errors: tuple[NotPython, ...]
    defines_unseen: bool
    """Whether a magic can make names that the cells do not show."""


def joined(data: bytes) -> Joined:
    """Raises ValueError for what is not a notebook."""
    content = json.loads(data.decode("utf-8-sig"))
    if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
        raise ValueError("it has no cells")
    if _language(content) not in ("python", ""):
        return Joined(Source(""), (), (), True)
    cells: list[CellText] = []
    lines: list[str] = []
    errors: list[NotPython] = []
    unseen = False
    code = [one for one in content["cells"] if isinstance(one, dict) and one.get("cell_type") == "code"]
    for number, cell in enumerate(code, 1):
        text = cell.get("source", "")
        text = text if isinstance(text, str) else "".join(str(line) for line in text)
        label = cell.get("execution_count")
        unseen = unseen or bool(_RUNS_CODE.search(text))
        python, error = _python(text, number)
        errors += [error] if error is not None else []
        cells.append(CellText(number, text, len(lines) + 1, label if isinstance(label, int) else None))
        lines += python
    return Joined(Source("\n".join(lines) + "\n"), tuple(cells), tuple(errors), unseen)


def _language(content: dict[str, Any]) -> str:
    metadata = content.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    return str(kernel.get("language", "")).lower() if isinstance(kernel, dict) else ""


def _python(text: str, number: int) -> tuple[list[str], NotPython | None]:
    lines = text.replace("\r\n", "\n").split("\n")
    # Colab lets comments stand above the magic of a cell.
    at, first = next(
        ((at, line.strip()) for at, line in enumerate(lines) if line.strip() and line.strip()[0] != "#"), (0, "")
    )
    if first.startswith("%%"):
        if not first.startswith(_PYTHON_CELLS):
            return [""] * len(lines), None
        lines = [*[""] * (at + 1), *lines[at + 1 :]]
    plain = _dedented(_without_magics(lines))
    try:
        parsed("\n".join(plain) + "\n")
    except SyntaxError as error:
        return [""] * len(lines), NotPython(error.lineno or 1, number, error.msg or "invalid syntax")
    except (ValueError, RecursionError, MemoryError):
        return [""] * len(lines), NotPython(1, number, "it cannot be parsed")
    return plain, None


def _without_magics(lines: list[str]) -> list[str]:
    plain: list[str] = []
    continued = False
    for line in lines:
        found = _MAGIC.match(line)
        if continued:
            plain.append("")
        elif found:
            plain.append(f"{found[1]}pass")
        else:
            assigned = _ASSIGNED.match(line)
            plain.append(f"{assigned[1]}None" if assigned else line)
        continued = (continued or bool(found)) and line.rstrip().endswith("\\")
    return plain


def _dedented(lines: list[str]) -> list[str]:
    """As IPython runs a cell that is indented as a whole."""
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    indent = first[: len(first) - len(first.lstrip())]
    if not indent or not all(line.startswith(indent) for line in lines if line.strip()):
        return lines
    return [line.removeprefix(indent) for line in lines]
