"""`whydied export`: a redacted copy of a run to share. Runs in the parent; nothing is sent anywhere."""

from __future__ import annotations

from pathlib import Path

import click

from whydied.cli import catalogue, runs_place
from whydied.errors import UsageError
from whydied.read import life


@click.command(short_help="Write a redacted copy of a run to share.")
@click.argument("wanted", metavar="RUN")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The archive to write (default: ID.tar.gz here). An existing file is never overwritten.",
)
@click.option("--with-output", is_flag=True, help="Include what the program printed, also redacted.")
@click.option("--without-sources", is_flag=True, help="Leave out the program's own files.")
@runs_place.runs_option
def command(wanted: str, output: Path | None, with_output: bool, without_sources: bool, runs: Path | None) -> None:
    """Write a redacted copy of a run as a .tar.gz archive, to share with whoever helps you.

    Names of the user and the host, home directories, and whatever looks like a key, a token or a password
    are replaced. The program's own files are in it as they ran, so that the report can be made again; what
    the program printed and captured data are left out. A README.txt inside says what the archive holds.

    \b
    Examples:
      whydied export ab12cd                        writes ID.tar.gz here
      whydied export ab12cd -o /tmp/for-bob.tar.gz
      whydied export ab12cd --with-output          with what the program printed
      whydied export ab12cd --without-sources      without its code, but for the lines that the report quotes

    \b
    To read one:
      tar xzf ID.tar.gz && whydied show ./ID --all
    """
    from whydied import words
    from whydied.report.keeping import archive
    from whydied.report.patience import patience
    from whydied.report.terminal.sentences import say

    directory = catalogue.find(wanted, runs)
    if life.life(directory) == "going":
        raise UsageError(f"run {directory.id} is still running", "export it when it has ended")
    report = catalogue.known(directory).report
    target = output or Path(f"{directory.id}.tar.gz")
    with patience("writing the archive"):
        exported = archive.export(directory, report, target, with_output=with_output, with_sources=not without_sources)
    say(f"Wrote {exported.path} ({words.size(exported.size_bytes)}). Left out:")
    for line in exported.omitted:
        say(f"  - {line}", hanging=2)
    say("Replaced: names of user and host, home directories, what looks like a key or a password.")
    say(f"Look through report.json{'' if without_sources else ' and sources/'} in it before you publish it.")
