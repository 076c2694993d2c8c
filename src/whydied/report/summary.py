"""The report as a value: schema 1 of the JSON that other programs rely on. Every output is drawn from it."""

from __future__ import annotations

from typing import Any

import msgspec

from whydied.diagnose.finding import Finding, Fix
from whydied.diagnose.finding import Outcome as Outcome
from whydied.report.watched import WatchedTensor

SCHEMA = 1


class RunFacts(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    argv: list[str]
    exit_code: int | None = None
    signal: int | None = None
    signal_name: str | None = None
    wall_s: float | None = None
    versions: dict[str, str] = {}
    labels: dict[str, str] = {}
    name: str | None = None
    cwd: str = ""
    started: str = ""
    directory: str = ""


class LineBytes(msgspec.Struct, frozen=True, kw_only=True):
    """How much the process grew while a statement of the user's was running."""

    file: str
    line: int
    bytes: int
    source: str | None = None


class OpBytes(msgspec.Struct, frozen=True, kw_only=True):
    """Tensors of one op that are alive at the predicted peak of the step; `phase` is forward, backward or update."""

    op: str
    type: str
    shape: list[int]
    dtype: str
    bytes: int
    copies: int = 1
    phase: str = ""
    layer: str | None = None
    file: str | None = None
    line: int | None = None


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds` count from the start of the run."""

    seconds: float
    rss_bytes: int


class MemoryFacts(msgspec.Struct, frozen=True, kw_only=True):
    peak_rss_bytes: int | None = None
    limit_bytes: int | None = None
    limit_kind: str | None = None
    limit_ours: bool = False
    by_line: list[LineBytes] = []
    by_op: list[OpBytes] = []
    step: str | None = None
    timeline: list[Moment] = []


class Report(msgspec.Struct, frozen=True, kw_only=True):
    schema: int = SCHEMA
    run: RunFacts
    outcome: Outcome
    death: Finding | None = None
    cause: Finding | None = None
    findings: list[Finding] = []
    notes: list[str] = []
    fixes: list[Fix] = []
    memory: MemoryFacts = MemoryFacts()
    watched: list[WatchedTensor] = []
    undetermined: str | None = None
    internal_errors: list[str] = []


def as_json(report: Report) -> bytes:
    """Strict JSON: numbers that are not finite become the strings "NaN", "Infinity" and "-Infinity"."""
    return msgspec.json.format(msgspec.json.encode(finite(msgspec.to_builtins(report))), indent=2) + b"\n"


def from_json(data: bytes) -> Report:
    return msgspec.json.decode(data, type=Report)


def finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")
    return value
