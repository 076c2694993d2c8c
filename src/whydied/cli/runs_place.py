"""Where the runs are, for all commands that read them. Runs in the parent; loads nothing that only Linux has."""

from __future__ import annotations

from pathlib import Path

import click

from whydied import config, places

runs_option = click.option(
    "--runs",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The directory that holds the runs, if not the default.",
)


def runs_places(chosen: Path | None) -> list[Path]:
    """Where runs are looked for: the place that the user named, else the usual one and the one that stands
    in for it."""
    if chosen is not None:
        return [chosen]
    usual = config.of_working_directory().runs or places.default_runs()
    return [usual, places.fallback_runs()] if usual != places.fallback_runs() else [usual]
