"""The list of runs as a page. Runs in the parent; pure but for the files of this package."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol
from urllib.parse import quote

from whydied import words
from whydied.places import RunDirectory
from whydied.report import plain
from whydied.report.page.html_document import document

_TONES = {"finished": "good", "going": "calm", "stopped": "calm", "unfinished": "calm"}


class Row(Protocol):
    """A run at a glance."""

    @property
    def directory(self) -> RunDirectory: ...
    @property
    def name(self) -> str | None: ...
    @property
    def started_s(self) -> float: ...
    @property
    def state(self) -> str: ...
    @property
    def cause(self) -> str: ...
    @property
    def wall_s(self) -> float | None: ...
    @property
    def size_bytes(self) -> int: ...


def runs_page(rows: Sequence[Row], refresh_s: int | None = None) -> str:
    """The newest first, as they are given; `refresh_s` is how often a browser asks again."""
    return document(
        "runs.html", {"title": "whydied: runs", "rows": [_row(one) for one in rows], "refresh": refresh_s}, None
    )


def _row(one: Row) -> dict[str, Any]:
    doubtful = one.state == "finished" and one.cause
    return {
        "id": plain.line(one.directory.id),
        "address": f"/runs/{quote(one.directory.id, safe='')}",
        "name": plain.line(one.name or ""),
        "when": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one.started_s)),
        "state": one.state,
        "tone": "doubt" if doubtful else _TONES.get(one.state, "bad"),
        "cause": plain.line(one.cause),
        "took": words.duration(one.wall_s) if one.wall_s is not None else "",
        "size": words.size(one.size_bytes),
    }
