from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from tests.handmade import finding, healthy_report, location
from whydied.diagnose.finding import Link
from whydied.report.summary import Report, as_json, from_json
from whydied.report.terminal.console import render


def bad_step() -> Report:
    place, other = location(Path("/home/ann/train.py"), 12), location(Path("/home/ann/net.py"), 7)
    links = [
        Link(kind="data", words="row 3 of x: 0"),
        Link(kind="op", words="log(0) = -inf at [3, 1]", location=place),
        Link(kind="op", words="the output of layer head has 4 NaN of 4", location=other),
        Link(kind="loss", words="the loss is NaN"),
    ]
    cause = finding(code="NUM001", name="nonfinite-from-op", message="m", location=place, chain=links)
    return healthy_report(cause=cause, findings=[cause])


def shown(report: Report) -> str:
    stream = io.StringIO()
    render(report, console=Console(file=stream, width=100))
    return stream.getvalue()


def test_the_way_of_a_bad_value_is_a_numbered_list_with_places() -> None:
    lines = [line.rstrip() for line in shown(bad_step()).splitlines()]
    start = next(number for number, line in enumerate(lines) if line.startswith("How"))
    assert lines[start : start + 4] == [
        "How         1. row 3 of x: 0",
        "            2. log(0) = -inf at [3, 1]",
        "            3. the output of layer head has 4 NaN of 4 (net.py, line 7)",
        "            4. the loss is NaN",
    ]


def test_the_chain_survives_the_file() -> None:
    report = bad_step()
    assert from_json(as_json(report)) == report


def test_a_finding_without_a_chain_has_no_such_block() -> None:
    assert "How  " not in shown(healthy_report(cause=finding(), findings=[finding()]))
