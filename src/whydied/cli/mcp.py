"""`whydied mcp`: runs and reports for coding assistants, over standard input and output. Runs in a process of its own
that an assistant starts."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import click

from whydied.cli import catalogue, runs_place
from whydied.errors import RunNotFound, UsageError
from whydied.places import RunDirectory

_OLDEST = 2


@click.command(short_help="Serve runs and reports to a coding assistant.")
@click.option(
    "--allow",
    "allowed",
    metavar="TOOLS",
    multiple=True,
    help="Allow more than reading: prove, fix, or both (prove,fix).",
)
@runs_place.runs_option
def command(allowed: tuple[str, ...], runs: Path | None) -> None:
    """Serve the recorded runs to a coding assistant, over the Model Context Protocol on standard input and output.

    The assistant starts this command; by hand it waits for messages. Its tools are runs, report, evidence, source and
    fix, and with --allow prove also prove. Without --allow nothing is run and nothing is written into your files.

    \b
    Examples:
      whydied mcp                        what an assistant is told to start
      whydied mcp --allow prove          it may also try fixes, in a sandbox
      whydied mcp --allow prove,fix      and write one into the program's files
      whydied mcp --runs /data/runs      the runs of another directory
    """
    leaves = _leaves(allowed)
    _require_sdk()
    from whydied.assistant.server import serve
    from whydied.assistant.toolbox import Toolbox

    def find(wanted: str | None) -> RunDirectory:
        """Only among the runs: a path that an assistant makes up leads nowhere."""
        there = catalogue.all_runs(runs)
        found = catalogue.find(wanted or None, runs)
        if found not in there:
            raise RunNotFound(f"{wanted!r} is not a run of this server", "the tool `runs` lists them")
        return found

    serve(Toolbox(find, ("--runs", str(runs)) if runs is not None else (), leaves))


def _leaves(allowed: tuple[str, ...]) -> frozenset[str]:
    from whydied.assistant.toolbox import LEAVES

    words = [word.strip() for part in allowed for word in part.split(",") if word.strip()]
    for word in words:
        if word not in LEAVES:
            raise UsageError(f"{word!r} cannot be allowed", f"--allow takes {' and '.join(LEAVES)}")
    return frozenset(words)


def _require_sdk() -> None:
    hint = 'pip install "whydied[mcp]"'
    try:
        installed = metadata.version("mcp")
    except metadata.PackageNotFoundError:
        raise UsageError("whydied mcp needs the package mcp, which is not installed here", hint) from None
    if int(installed.partition(".")[0]) < _OLDEST:
        raise UsageError(f"whydied mcp needs mcp {_OLDEST} or later; {installed} is installed here", hint)
