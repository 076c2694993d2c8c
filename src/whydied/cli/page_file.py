"""Where a page goes: a file, the standard output, the browser. Runs in the parent."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from whydied.errors import NoRoom, UsageError
from whydied.places import replace_whole

BESIDE = ""
"""What `--html` says without a file."""
_STDOUT = "-"
_Command = TypeVar("_Command", bound=Callable[..., object])


def html_to(where: str) -> Callable[[_Command], _Command]:
    return click.option(
        "--html",
        "html",
        is_flag=False,
        flag_value=BESIDE,
        metavar="[FILE]",
        help=f"Write it as a page with charts, {where}.",
    )


html_option = html_to("beside the recording or to FILE ('-': stdout)")
open_option = click.option("--open", "opened", is_flag=True, help="Open the page in the browser; with --html.")


def deliver(text: str, wanted: str, beside: Path, *, opened: bool) -> None:
    """Write a page to the file that was asked for, or to `beside`, and say where it is; readable by its owner alone,
    because it quotes the program."""
    if wanted == _STDOUT:
        if opened:
            raise UsageError("--open needs a file, and '-' is none", "name one after --html")
        click.echo(text, nl=False)
        return
    file = (Path(wanted) if wanted else beside).absolute()
    if file.is_dir():
        raise UsageError(f"{file} is a directory", "name a file in it: --html report.html")
    try:
        replace_whole(file, text.encode("utf-8"), 0o600)
    except OSError as error:
        raise NoRoom(
            f"cannot write {file}: {error.strerror or error}", "name a file in a writable directory"
        ) from error
    click.echo(f"The page is {file}")
    if opened and not webbrowser.open(file.as_uri()):
        click.echo("whydied: no browser was found; open the file by hand.", err=True)
