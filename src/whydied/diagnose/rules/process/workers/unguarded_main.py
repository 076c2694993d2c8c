"""The script begins worker processes at its top level, and each worker runs the script again.

## What it detects
A worker process that failed because it was about to begin workers itself while it was still loading the main script.

## Why it happens
A process that is started by `spawn` (the default on Windows and macOS, or `set_start_method("spawn")`) or `forkserver`
begins with nothing and imports the main script to find the functions in it. What stands at the top level runs again in
each worker, also the line that begins workers. Python refuses that. A `Pool` then starts another worker for the one
that failed, for ever, while the program waits.

## Evidence
The worker's exception, which Python raises in its check that the main script is loaded, and the user's line that it was
on.

## How it is proved
Only that check raises in that function: certain.

## Fix
Put what begins workers, and all that follows from it, below `if __name__ == "__main__":`.

## References
https://docs.python.org/3/library/multiprocessing.html, "Safe importing of main module"
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.crash.children import failed_child
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import Frame, RaisedException
from whydied.source.edits.edit import Change
from whydied.source.edits.statement_edits import guarded_main

_CHECK = ("/multiprocessing/spawn.py", "_check_not_importing_main")
_GUARD = 'if __name__ == "__main__":'

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    own = case if case.is_child else failed_child(case) or case
    found = next(((link, frame) for link in _links(own) if (frame := _refused(link)) is not None), None)
    if found is None:
        return None
    link, frame = found
    place = case.locate(frame)
    return Finding(
        message=f"{prefix(place)}the script begins worker processes at its top level, and each worker, which runs the "
        "script again to load it, comes to this line too and fails",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="statement", name=_GUARD),
        evidence=[Evidence(fact="raised in the worker", value=link.type, source="ExceptionRaised")],
        advice=[f"Put this line, and all that follows it, below `{_GUARD}`."],
        changes=_changes(case, place),
    )


def _links(case: Case) -> list[RaisedException]:
    return list(case.uncaught.chain) if case.uncaught is not None else []


def _refused(link: RaisedException) -> Frame | None:
    """The user's line of the script that was being loaded, where Python's check refused it."""
    last = link.frames[-1] if link.frames else None
    if last is None or not last.file.endswith(_CHECK[0]) or last.function != _CHECK[1]:
        return None
    mine = [frame for frame in link.frames if frame.user and not frame.file.startswith("<")]
    return next((frame for frame in mine if frame.function == "<module>"), None)


def _changes(case: Case, place: Location) -> list[Change]:
    source = case.sources.get(place.file)
    edits = guarded_main(source, place.file, place.line, _GUARD) if source is not None else []
    return [Change(title=f"Put it below `{_GUARD}`", kind="statement", edits=edits)] if edits else []
