"""A variable, table or iterator of a graph was used before it was initialised.

## What it detects
A v1 session that reads a variable, a lookup table or an iterator which has no value in that session yet.

## Why it happens
The initialiser was never run; it was run in another session; or it was made before the variable, and so does not know
it: `global_variables_initializer()` covers the variables that exist when it is called.

## Evidence
The exception, which names the variable; the lines of the source that make the variable and the initialiser.

## How it is proved
The exception is direct evidence: certain.

## Fix
Make and run `tf.compat.v1.global_variables_initializer()` after the last variable was made, in the session that uses
it; `tables_initializer()` for tables, `iterator.initializer` for iterators.

## Known problems
A variable that was deleted gives the same words: outside of a session see deleted-variable.

## References
TensorFlow documentation: tf.compat.v1.global_variables_initializer.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, named_line, quoted
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import SessionOpened, SessionRan
from whydied.source.assignments import target
from whydied.source.training.session_calls import initialisers, may_initialise, variable
from whydied.texts import session_errors
from whydied.texts.entry import any_of

_VARIABLE = any_of(session_errors.UNINITIALISED_REFERENCE, session_errors.VARIABLE_NOT_FOUND)
_ITERATOR = session_errors.ITERATOR_UNINITIALISED.pattern
_TABLE = session_errors.TABLE_UNINITIALISED.pattern

ROLE = "explanation"
YIELDS_TO = ("eager-in-session",)


def check(case: Case) -> Finding | None:
    if case.principal is None or not (len(case.principal.all(SessionRan)) + len(case.principal.all(SessionOpened))):
        return None
    if (said := quoted(case, _VARIABLE)) is not None:
        return _variable(case, said)
    if (said := quoted(case, _ITERATOR)) is not None:
        return _other(case, said, "an iterator", "`session.run(iterator.initializer)`")
    if (said := quoted(case, _TABLE)) is not None:
        return _other(case, said, "a lookup table", "`session.run(tf.compat.v1.tables_initializer())`")
    return None


def _variable(case: Case, said: Quotation) -> Finding:
    node = next(group for group in said.match.groups() if group)
    name, made = variable(case.sources, node) or (node, None)
    early = _made_early(case, made)
    never = early is None and not may_initialise(case.sources)
    place = early or said.place
    if early is not None and made is not None:
        words = f"is created on line {made.line}, after the initialiser on line {early.line}, which does not cover it"
    elif never:
        words = "has no value in this session: no initialiser is created anywhere in the program"
    else:
        words = "has no value in this session: its initialiser was not run"
    evidence = evidence_of(said.link, said.raised)
    if made is not None:
        evidence.append(
            Evidence(fact="variable created at", value=f"{made.file}:{made.line}", source="ExceptionRaised")
        )
    return Finding(
        message=f"{prefix(place)}variable `{name}` {words}; expected a value before it is read",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="variable", name=name),
        evidence=evidence,
        advice=[
            f"Create the initialiser after line {made.line}, or move the variable above line {early.line}."
            if early is not None and made is not None
            else "Run `session.run(tf.compat.v1.global_variables_initializer())` in this session, after the last "
            "variable was created and before this line; or restore a checkpoint."
        ],
    )


def _other(case: Case, said: Quotation, what: str, call: str) -> Finding:
    made = named_line(case, session_errors.WHERE_IT_WAS_MADE.pattern.split(said.link.message)[0])
    name = target(case.sources, made) if made else None
    called = f" (`{name}` reads from it)" if name else ""
    return Finding(
        message=f"{prefix(said.place)}{what}{called} was used before it was initialised in this session",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind=what.rpartition(" ")[2], name=name),
        evidence=evidence_of(said.link, said.raised),
        advice=[f"Run {call} in this session before this line."],
    )


def _made_early(case: Case, made: Location | None) -> Location | None:
    """The only initialiser of the file, where its line comes before that of the variable in the same function."""
    if made is None:
        return None
    found = [place for place in initialisers(case.sources) if place.file == made.file]
    if len(found) == 1 and found[0].line < made.line and found[0].function == made.function:
        return found[0]
    return None
