"""`%load_ext whydied` in a kernel that nobody supervises: a watcher beside it, as `whydied.start()` has; and answers
that are worked out outside the kernel. Runs in the user's process, and only to get going.

Invariant: under a supervisor of ours nothing is started. The watcher is not a child of the kernel and outlives it;
it cannot ask for the kernel's exit status as a parent could, so its report says what else tells: the counters of the
control group, the kernel's log, and the recording (see `whydied.run.watch`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from whydied import places
from whydied.run.command import import_path, plain_environment
from whydied.run.start import watched

LONGEST_S = 60.0
_ENTRY = (
    "import json, sys; sys.path.extend(json.loads(sys.argv[1])); "
    "from whydied.jupyter.magic_answers import main; main(sys.argv[2:])"
)


def attach() -> Path | None:
    """Record this kernel. Returns the run's directory, None where nothing can be written."""
    if recorded() is not None:
        return recorded()
    notebook = os.environ.get("JPY_SESSION_NAME", "")
    name = os.path.basename(notebook) or "the kernel"
    return watched(lambda: [name], name=Path(name).stem if notebook else "kernel", quiet=True)


def recorded() -> Path | None:
    """The directory that this kernel is recorded into."""
    run = os.environ.get(places.ENV_RUN)
    return Path(run) if run and os.path.isdir(run) else None


def answer_of(*words: str) -> dict[str, str]:
    """What another process of ours says, as `text` and `html`: the analysis loads much, and nothing of it belongs into
    the kernel."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _ENTRY, json.dumps(import_path()), *words],
            capture_output=True,
            env=plain_environment(),
            stdin=subprocess.DEVNULL,
            timeout=LONGEST_S,
        )
    except subprocess.TimeoutExpired:
        return {"text": f"whydied: no answer within {LONGEST_S:.0f} s"}
    try:
        found = json.loads(done.stdout)
    except ValueError:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        return {"text": f"whydied: failed: {last[0] if last else f'exit status {done.returncode}'}"}
    return {key: value for key, value in found.items() if isinstance(value, str)}
