"""The program chose to end with a status other than 0, or a notebook's kernel in the middle of a cell.

## What it detects
`sys.exit(3)`, `sys.exit("message")`, `raise SystemExit`, `os._exit(4)`, or native code that called `exit`.
In a notebook also `os._exit(0)`: the kernel is gone, whatever the status.
Python that does not find the module, package or directory that it was to run.

## Why it happens
The program, or a library such as an argument parser, decided that it cannot go on.

## Evidence
The wait status and the call with its line, recorded before it took effect; the exception whose handler made the
call, where there was one; the last lines of the error output.

## How it is proved
With the recorded call certain; without it the line is where the main thread was last seen: likely.

## Fix
Read the message and the condition that leads to the line.

## Known problems
`raise SystemExit` is not a call: its line is the only such statement in the user's files, where there is just
one, else the last line that the sampler saw.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, line_words, prefix, root_of
from whydied.diagnose.crash.ending_evidence import last_words, wait_status
from whydied.diagnose.errors.exception_words import describe, plain_message
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.records import ExceptionRaised, RaisedException
from whydied.source.statements import only_exit_raised

ROLE = "death"
YIELDS_TO = ("uncaught-exception",)


def check(case: Case) -> Finding | None:
    code = case.exit_code
    if not code and not case.left_cell:
        return None
    asked = case.exit_call
    place, seen = case.last_seen()
    certainty: Certainty = "likely" if place else "possible"
    how = "exited"
    handled = asked.handling if asked is not None else []
    if asked is not None:
        place = case.locate_user(asked.frames) or place
        certainty, how = "certain", f"called {asked.how}"
        seen = [Evidence(fact="called", value=f"{asked.how}({asked.status or ''})", source="ExitRequested")]
    elif only := only_exit_raised(case.sources):
        place, certainty = only, "likely"
    if handled and handled[0].module == "runpy":
        return _not_found(case, handled[0])
    inside = case.principal is not None
    return Finding(
        message=f"{prefix(place)}{case.program} {how} with status {code}{_while(case, handled)}",
        certainty=certainty if inside else "possible",
        location=place,
        culprit=Culprit(kind="call", name=asked.how, value=asked.status) if asked else None,
        evidence=[wait_status(case), *seen, *_evidence(case, handled), *last_words(case)],
        advice=_advice(handled) if asked else [],
    )


def _not_found(case: Case, link: RaisedException) -> Finding:
    """Python itself gave up before the first line of the program."""
    return Finding(
        message=f"{case.program} did not start: {plain_message(link.message)}",
        certainty="certain",
        culprit=Culprit(kind="module", name=case.program),
        evidence=[wait_status(case), *last_words(case)],
        advice=[
            "Check the name, and that the command runs in the directory and the environment that have the module; a "
            "directory or a package needs a `__main__.py`."
        ],
    )


def as_if_uncaught(case: Case) -> Case | None:
    asked = case.exit_call
    if asked is None or not asked.handling:
        return None
    return case.with_exception(ExceptionRaised(where="handled", chain=asked.handling))


def _while(case: Case, handled: list[RaisedException]) -> str:
    """` while it handled KeyError: 'rate' (raised on line 12)`."""
    if not handled:
        return ""
    place = case.locate_exception(handled[:1])
    return f" while handling {describe(handled[0])}{f' ({line_words(place)})' if place else ''}"


def _evidence(case: Case, handled: list[RaisedException]) -> list[Evidence]:
    found = []
    for link in handled[: root_of(handled) + 1] if handled else ():
        place = case.locate_exception([link])
        at = f"{place.file}:{place.line}: " if place else ""
        value = f"{at}{link.type}: {plain_message(link.message)}"
        found.append(Evidence(fact="exception being handled", value=value, source="ExitRequested"))
    return found


def _advice(handled: list[RaisedException]) -> list[str]:
    if handled:
        return ["The program caught this exception and exited: look at what led to the exception."]
    return ["The program chose to exit here: look at the condition that leads to this line."]
