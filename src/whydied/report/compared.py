"""Two runs compared, as a value: what `whydied diff --json` gives, and what every way of showing it says. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from whydied.compare.difference import Difference
from whydied.report import headline
from whydied.report.summary import SCHEMA, Report, finite


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """What `whydied diff --json` gives. `accounts` is the number of the difference that accounts for the end of the
    second run, from 0."""

    schema: int = SCHEMA
    good: Report
    bad: Report
    differences: list[Difference] = []
    accounts: int | None = None
    remark: str = ""


def as_json(compared: Compared) -> bytes:
    told = {
        "schema": compared.schema,
        "good": _side(compared.good),
        "bad": _side(compared.bad),
        "differences": [_told(one) for one in compared.differences],
        "accounts": compared.accounts,
        "remark": compared.remark or None,
    }
    return msgspec.json.format(msgspec.json.encode(finite(told)), indent=2) + b"\n"


def _side(report: Report) -> dict[str, object]:
    whole: dict[str, object] = msgspec.to_builtins(report)
    return {name: whole[name] for name in ("run", "outcome", "death", "cause", "memory")}


def _told(one: Difference) -> dict[str, object]:
    found: dict[str, object] = msgspec.to_builtins(one)
    return {name: found[name] for name in found if name not in ("hunk", "weight")}


def verdict(compared: Compared) -> Iterator[str]:
    """What accounts for the end of the second run, as sure as it is."""
    if compared.accounts is not None:
        one = compared.differences[compared.accounts]
        change = f"{one.what}: {one.good} → {one.bad}"
        rivals = [other for other in compared.differences if other.because and other.hunk is not None]
        if one.verdict == "proved":
            yield f"This change made it fail: {change}. Without it {one.tried}."
        elif len(rivals) > 1:
            yield f"One of {len(rivals)} changed places may account for it; whydied diff --prove runs it without each."
        else:
            tries = " whydied diff --prove tries it." if one.hunk is not None else ""
            yield f"Most likely: {change} ({one.because}).{tries}"
    elif compared.bad.cause is not None:
        yield "None of the differences can be linked to the failure by what was recorded."
    if compared.remark:
        yield f"{compared.remark[:1].upper()}{compared.remark[1:]}."


def words_of(report: Report) -> str:
    """A run in a sentence, with its id and name."""
    name = f" ({report.run.name})" if report.run.name else ""
    return f"{report.run.id}{name}: {headline.happened(report)}"
