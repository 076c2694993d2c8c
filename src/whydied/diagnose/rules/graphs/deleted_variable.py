"""A variable was used after it was gone.

## What it detects
A function or an op that reads a variable which does not exist any more, outside of a v1 session.

## Why it happens
A `tf.function` or a concrete function does not keep the variables alive that it uses: the last reference to one was
local to a function that has returned, or was deleted. Or the state was cleared while a model was still in use.

## Evidence
The exception.

## How it is proved
The exception is direct evidence: certain.

## Fix
Keep the variable alive as long as the function is used: in a `tf.Module`, a layer, an attribute or a global name.

## Known problems
Which line let the variable go is not known. In a v1 session the same words mean uninitialised-variable.

## References
TensorFlow documentation: guide/function, "Creating tf.Variables".
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import quoted
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import SessionOpened, SessionRan
from whydied.texts import session_errors
from whydied.texts.entry import any_of

_DELETED = any_of(
    session_errors.VARIABLE_DELETED, session_errors.FUNCTION_OUTLIVES_VARIABLE, session_errors.RESOURCE_GONE
)

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    said = quoted(case, _DELETED)
    in_session = case.principal is not None and bool(
        len(case.principal.all(SessionRan)) + len(case.principal.all(SessionOpened))
    )
    if said is None or in_session:
        return None
    named = said.match["name"] or said.match["resource"]
    name = None if not named or named.startswith(("_Anonymous", "Variable")) else named
    what = f"variable `{name}`" if name else "a variable of the function called here"
    return Finding(
        message=f"{prefix(said.place)}{what} no longer exists; expected it to live as long as it is used",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind="variable", name=name),
        evidence=evidence_of(said.link, said.raised),
        advice=["Keep a reference to the variable: in a tf.Module, a layer, an attribute, a global name."],
    )
