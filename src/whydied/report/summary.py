"""The report as a value: schema 1 of the JSON that other programs rely on. Every output is drawn from it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from whydied.diagnose.finding import Finding, Fix

Outcome = Literal["finished", "failed", "died", "hung", "stopped"]
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


class MemoryFacts(msgspec.Struct, frozen=True, kw_only=True):
    peak_rss_bytes: int | None = None
    limit_bytes: int | None = None
    limit_kind: str | None = None
    limit_ours: bool = False


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
    undetermined: str | None = None
    internal_errors: list[str] = []


def as_json(report: Report) -> bytes:
    """Strict JSON: numbers that are not finite become the strings "NaN", "Infinity" and "-Infinity"."""
    return msgspec.json.format(msgspec.json.encode(_finite(msgspec.to_builtins(report))), indent=2) + b"\n"


def from_json(data: bytes) -> Report:
    return msgspec.json.decode(data, type=Report)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")
    return value
