"""How a run begins: its first record, what, where, when and on which machine, and what its recorder is asked for, where
each process finds it (`whydied.inside.public.requested_watches` reads it). Runs in the parent, in the watcher, and in a
program that calls `whydied.start()`."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

import whydied
from whydied import redact
from whydied.config import Config
from whydied.linux import proc
from whydied.places import RunDirectory, working_directory
from whydied.records import RunStarted, Wishes
from whydied.run.observe import limits

MOST_WORDS = 50
LONGEST_WORD = 1000


def run_started(
    directory: RunDirectory,
    argv: Sequence[str],
    *,
    supervisor: str = "run",
    name: str | None = None,
    labels: dict[str, str] | None = None,
    timeout_s: float | None = None,
    runs_fallback: str | None = None,
    cwd: str | None = None,
) -> RunStarted:
    return RunStarted(
        run_id=directory.id,
        argv=recorded_arguments(argv),
        cwd=recordable(cwd or working_directory()),
        wall_time_s=time.time(),
        boot_id=(proc.read_text("/proc/sys/kernel/random/boot_id") or "").strip(),
        supervisor_pid=os.getpid(),
        whydied_version=whydied.__version__,
        supervisor=supervisor,
        name=None if name is None else recordable(name),
        labels={recordable(key): recordable(value) for key, value in (labels or {}).items()},
        hostname=os.uname().nodename,
        cpus=os.cpu_count() or 0,
        memory_total_bytes=limits.memory_total_bytes(),
        timeout_s=timeout_s,
        runs_fallback=runs_fallback,
    )


def recorded_arguments(argv: Sequence[str]) -> list[str]:
    """Arguments as they are recorded: without what looks like a secret, and bounded."""
    return [recordable(word[:LONGEST_WORD]) for word in redact.arguments(argv[:MOST_WORDS])]


def recordable(text: str) -> str:
    """Text as UTF-8 can hold it. Arguments and paths may have bytes that Python keeps as surrogates."""
    return text.encode("utf-8", "backslashreplace").decode()


def requests_from(
    settings: Config, watch: Sequence[str] = (), every: int = 50, into: Path | None = None, backup: str = ""
) -> Wishes:
    """From the configuration and the command line."""
    return Wishes(
        asserts=list(settings.asserts),
        watch=list(watch),
        watch_every=every,
        watch_directory=os.fspath(into.absolute()) if into is not None else "",
        backup=backup,
    )


def write_requests(directory: RunDirectory, wishes: Wishes) -> None:
    """Nothing where nothing is wished for but the usual."""
    if wishes == Wishes():
        return
    with open(os.open(directory.wishes, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        stream.write(msgspec.json.encode(wishes))
