"""`whydied prove`: show the cause by removing it, and find the fix by trying it. Runs in the parent."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from whydied import config
from whydied.cli import catalogue, runs_place
from whydied.report.terminal.sentences import put_json


@click.command(
    short_help="Try on the program what would remove its failure.",
    epilog="RUN is an id or part of one, a name given with 'run --name', or the path of a run's directory.",
)
@click.argument("wanted", metavar="[RUN]", required=False)
@click.option("--tries", metavar="N", type=click.IntRange(1), default=10, help="Try at most N changes (default 10).")
@click.option("--time", "budget", metavar="TIME", default="15m", help="Stop after this time (default 15m).")
@click.option("--no-guesses", is_flag=True, help="Try only what the report advises, and its rivals.")
@click.option("--allow-network", is_flag=True, help="Let the program use the network.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON (schema 1) afterwards.")
@runs_place.runs_option
def command(
    wanted: str | None,
    tries: int,
    budget: str,
    no_guesses: bool,
    allow_network: bool,
    as_json: bool,
    runs: Path | None,
) -> int:
    """Run the program of a run again in a sandbox, once as it is and once with each change that could remove its
    failure, the gentlest first. A change is proved where the program then gets past the failure.

    Your files are not changed: what the program writes goes to a scratch copy, under the same memory limit.
    Ctrl-C stops, and keeps what is known until then.

    \b
    Examples:
      whydied prove                        the newest run
      whydied prove --tries 3 --time 5m    only the three gentlest changes
      whydied prove nightly --allow-network
      whydied run --prove train.py         right after the death
      whydied fix                          the proved change as a patch

    The exit status is 0 if a change was proved, 1 if none was, 2 if nothing could be tried.
    """
    from whydied.prove.prover import Plan
    from whydied.report import summary
    from whydied.report.proving import ProofWish, proven
    from whydied.report.terminal.proof_display import display_on

    directory = catalogue.find(wanted, runs)
    wish = ProofWish(
        plan=Plan(most=tries, budget_s=config.parse_seconds(budget)),
        allow_network=allow_network,
        guess=not no_guesses,
    )
    with display_on(sys.stderr) as display:
        found = proven(directory, wish, display, config.of_working_directory().silence)
        display.concludes(found.report, found.proof)
    if as_json:
        put_json(summary.as_json(found.report))
    return 0 if any(fix.verdict == "proved" for fix in found.report.fixes) else 1
