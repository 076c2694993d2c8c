"""Code of notebook cells under the names that people know them by. Pure.

IPython compiles a cell under a made-up file name. Here every record of a process that ran cells gets frames whose file
is `<notebook>/cell [3]` and whose lines count as in the notebook, so that all that follows speaks of cells as it does
of files. What the cells say comes from the record; there is no file to read.

Invariant: a run without cells is not touched. A name that the same text of two cells shares means the cell
that ran last before the record.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from whydied.read.faults import Fault, FaultFrame
from whydied.read.reader import StreamRead
from whydied.records import CellCode, CellStarted, ProcessBegan
from whydied.source.text import Source
from whydied.texts import python_output
from whydied.wire import Entry

_TEXTS = frozenset({"source", "code", "file", "name"})
"""Fields that are told as they are."""


class CellSource(Source):
    """The text of a cell; its statements are those of the Python that IPython made of it."""

    def __init__(self, text: str, code: str, blank: int) -> None:
        super().__init__(text)
        self._python = code
        self._blank = blank

    def reread(self, text: str) -> CellSource:
        return CellSource(text, self._python, self._blank)

    def _code(self) -> str:
        first = next((line for line in self.lines if line.strip()), "")
        if first.lstrip().startswith("%%"):
            at = self.lines.index(first) + 1
            return "\n" * at + "\n".join(self.lines[at:])
        return "\n" * self._blank + self._python if self._python else super()._code()


class Names:
    """What the code names of one process mean, as of the records that were read so far."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._known: dict[str, tuple[str, int]] = {}
        self._current: tuple[str, int] = ("", 0)
        self.sources: dict[str, CellSource] = {}

    def learn(self, record: object) -> None:
        if isinstance(record, CellStarted):
            file = f"{record.notebook or f'kernel-{self._pid}'}/cell [{record.number}]"
            self._current = (file, record.number)
            self.sources[file] = CellSource(record.source, record.code, record.blank)
            if record.name:
                self._known[record.name] = (file, record.blank)
        elif isinstance(record, CellCode) and record.name and record.number == self._current[1]:
            self._known[record.name] = (self._current[0], record.skipped)

    def place(self, file: str) -> tuple[str, int] | None:
        """The cell that a code name belongs to, and how many of its lines come before that code."""
        return self._known.get(file)

    def quoted(self, found: re.Match[str]) -> str:
        """A line that a text names, such as the message of an exception."""
        if found["base"]:
            # What a SyntaxError says of its own place: the last part of the file's name.
            place = next((cell for name, cell in self._known.items() if name.endswith(f"/{found['base']}")), None)
            last = place[0].rpartition("/")[2] if place else ""
            return found[0] if place is None else f"({last}, line {int(found['number']) + place[1]})"
        place = self.place(found["file"])
        return found[0] if place is None else f'File "{place[0]}", line {int(found["line"]) + place[1]}'


class Cells:
    """The cells of a run: records, crash dumps and sources in terms of them."""

    def __init__(self, streams: list[StreamRead]) -> None:
        self.sources: dict[str, Source] = {}
        self._last: dict[int, Names] = {}
        self.streams = [self._forked(stream) for stream in [self._renamed(stream) for stream in streams]]

    def _renamed(self, stream: StreamRead) -> StreamRead:
        if not any(isinstance(entry.record, CellStarted) for entry in stream.entries):
            return stream
        names = Names(stream.pid)
        entries: list[Entry] = []
        for entry in stream.entries:
            names.learn(entry.record)
            entries.append(entry._replace(record=_moved(entry.record, names)))
        self._last[stream.pid] = names
        self.sources.update(names.sources)
        return stream._replace(entries=entries)

    def _forked(self, stream: StreamRead) -> StreamRead:
        """A process that a kernel forked runs code of the cells that its parent had run by then."""
        began = next((one.record for one in stream.entries if isinstance(one.record, ProcessBegan)), None)
        names = self._last.get(began.ppid) if began is not None and began.start == "fork" else None
        if names is None or stream.pid in self._last:
            return stream
        self._last[stream.pid] = names
        return stream._replace(entries=[one._replace(record=_moved(one.record, names)) for one in stream.entries])

    def faults(self, faults: list[Fault]) -> list[Fault]:
        return [self._fault(fault) for fault in faults]

    def values(self, value: Any) -> Any:
        """What was recorded beside the streams, by whichever process."""
        for names in self._last.values():
            value = _moved(value, names)
        return value

    def _fault(self, fault: Fault) -> Fault:
        names = self._last.get(fault.pid)
        if names is None:
            return fault
        threads = [
            thread._replace(frames=[_fault_frame(frame, names) for frame in thread.frames]) for thread in fault.threads
        ]
        return fault._replace(threads=threads)


def _fault_frame(frame: FaultFrame, names: Names) -> FaultFrame:
    found = names.place(frame.file)
    return frame if found is None else frame._replace(file=found[0], line=frame.line + found[1])


def _moved(value: Any, names: Names) -> Any:
    """A value with the places in it moved to their cells; the same object where there are none."""
    if isinstance(value, str):
        return python_output.PLACE.pattern.sub(names.quoted, value) if ", line " in value else value
    if isinstance(value, msgspec.Struct):
        return _moved_struct(value, names)
    if isinstance(value, list):
        moved = [_moved(item, names) for item in value]
        return moved if any(new is not old for new, old in zip(moved, value, strict=True)) else value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        moved = [_moved(item, names) for item in value]
        return type(value)(*moved) if any(new is not old for new, old in zip(moved, value, strict=True)) else value
    if isinstance(value, dict):
        changed = {key: _moved(item, names) for key, item in value.items()}
        return changed if any(changed[key] is not value[key] for key in value) else value
    return value


def _moved_struct(value: msgspec.Struct, names: Names) -> msgspec.Struct:
    changes: dict[str, Any] = {}
    for field in value.__struct_fields__:
        old = getattr(value, field)
        if isinstance(old, msgspec.Struct | list | dict | tuple | str) and field not in _TEXTS:
            new = _moved(old, names)
            if new is not old:
                changes[field] = new
    file, line = getattr(value, "file", None), getattr(value, "line", None)
    found = names.place(file) if isinstance(file, str) else None
    if found is not None:
        changes["file"] = found[0]
        if isinstance(line, int):
            changes["line"] = line + found[1]
        if isinstance(last := getattr(value, "end_line", None), int):
            changes["end_line"] = last + found[1]
        if getattr(value, "user", None) is False:
            changes["user"] = True
    return msgspec.structs.replace(value, **changes) if changes else value
