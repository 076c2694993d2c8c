"""Writes down what the recorder is asked for, where each process of the run finds it; runs in the parent, and in a
program that calls `whydied.start()`. `whydied.inside.public.requested_watches` reads it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from whydied.config import Config
from whydied.places import RunDirectory
from whydied.records import Wishes


def requests_from(settings: Config, watch: Sequence[str] = (), every: int = 50, into: Path | None = None) -> Wishes:
    """From the configuration and the command line."""
    return Wishes(
        asserts=list(settings.asserts),
        watch=list(watch),
        watch_every=every,
        watch_directory=os.fspath(into.absolute()) if into is not None else "",
    )


def write(directory: RunDirectory, wishes: Wishes) -> None:
    """Nothing where nothing is wished for but the usual."""
    if wishes == Wishes():
        return
    with open(os.open(directory.wishes, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        stream.write(msgspec.json.encode(wishes))
