"""`whydied contract`: what a run's data looked like, and tests made from it. Runs in the parent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whydied.cli import catalogue, runs_place
from whydied.report.patience import patience
from whydied.report.terminal.sentences import put_json, say

if TYPE_CHECKING:
    from whydied.report.contracts.data_contracts import DataContract


@click.command(
    short_help="Show what a run's data looked like, and write tests for them.",
    epilog="RUN is an id or part of one, a name given with 'run --name', or the path of a run's directory.",
)
@click.argument("wanted", metavar="[RUN]", required=False)
@click.option(
    "--pytest",
    "tests",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write tests to FILE, and the offending rows next to it. Existing files are never overwritten.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the contracts as JSON (schema 1) instead.")
@runs_place.runs_option
def command(wanted: str | None, tests: Path | None, as_json: bool, runs: Path | None) -> None:
    """Show the contracts of a run's data: shapes, types, ranges, classes, and the rows that broke them.

    For a good run these describe its data; for a run that went wrong, also what the model and the loss required, and
    the exact rows that broke it.

    \b
    Examples:
      whydied contract                              the newest run
      whydied contract ab12cd --pytest test_data.py  write tests, then run: pytest test_data.py
      whydied contract ab12cd --json | jq '.contracts[].shape'
    """
    from whydied.diagnose.case import Case
    from whydied.read.recording import load
    from whydied.report.contracts import contract_tests
    from whydied.report.contracts.data_contracts import as_plain, contracts_of

    directory = catalogue.find(wanted, runs)
    report = catalogue.known(directory).report
    with patience("reading the recording"):
        found = contracts_of(Case(load(directory)), went_wrong=report.cause is not None)
    if as_json:
        import json

        told = {"schema": 1, "run": directory.id, "contracts": [as_plain(one) for one in found]}
        put_json(json.dumps(told, indent=2, allow_nan=False))
    elif tests is None:
        say(
            "\n\n".join(_lines(one) for one in found)
            or "This run has no data to show: it made no call into Keras that was recorded."
        )
    if tests is not None:
        written = contract_tests.write(found, directory.id, tests)
        for path in written:
            say(f"Wrote {path}", err=as_json)
        if not as_json:
            say(f"Check load_data() in it, then run: pytest {tests}")


def _lines(contract: DataContract) -> str:
    """A contract in readable form."""
    place = contract.location
    at = f" at {place.file.rsplit('/', 1)[-1]}:{place.line}" if place else ""
    rows = f"{contract.rows_seen:,}" + (
        f" of {contract.rows:,}" if contract.rows not in (None, contract.rows_seen) else ""
    )
    shape = ", ".join(
        "rows" if not n else "_" if extent is None else str(extent) for n, extent in enumerate(contract.shape)
    )
    lines = [
        f"{contract.variable} ({contract.name} of {contract.kind}{at})",
        f"  shape     ({shape})",
        f"  dtype     {contract.dtype}",
        f"  checked   {rows} rows",
    ]
    if contract.low is not None or contract.high is not None:
        low = "…" if contract.low is None else f"{contract.low:g}"
        high = "…" if contract.high is None else f"{contract.high:g}"
        lines.append(f"  range     {low} to {high} ({contract.bounds})")
    if contract.seen_low is not None and contract.seen_high is not None:
        lines.append(f"  seen      {contract.seen_low:g} to {contract.seen_high:g}")
    if contract.finite:
        lines.append("  finite    yes")
    if contract.classes:
        lines.append(f"  values    {', '.join(f'{value:g}' for value in contract.classes[:20])}")
    lines += [f"  asked     {words}" for words in contract.required]
    lines += [
        f"  BROKEN    {one.count:,} rows ({', '.join(str(row) for row in one.rows[:8])}"
        f"{f' of batch {one.batch}' if one.batch is not None else ''}): {', '.join(one.values[:4])}; "
        f"expected {one.expected}"
        for one in contract.broken
    ]
    return "\n".join(lines)
