"""What a library's function gave is taken for something else.

## What it detects
A `TypeError` or `AttributeError` on a line of the program's own about a value that is the result of a library's call:
the `History` of `fit` indexed like a list of scores, the one number of `train_on_batch` subscripted, the list that
`predict` gives for several outputs asked for its shape.

## Why it happens
The function gives another kind of value than the line expects, always or with these arguments.

## Evidence
The call that made the value, found in the source from the failing line; the value's type; what the documentation of the
installed version says of the result; attributes of the value that hold something.

## How it is proved
Type and maker were looked at while the program was alive. That the line and not the call is to be changed, or the other
way round, is not known: likely.

## Fix
What the documentation says, or one of the attributes that hold what was meant.

## Known problems
A value that went through a container or a function of the program's own is not followed.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.calls.tried_forms import tried_of
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import ResultSeen

ROLE = "explanation"
_ERRORS = ("TypeError", "AttributeError")
_LONGEST_CALL = 40


def check(case: Case) -> Finding | None:
    link, place = root_link(case), place_of(case)
    if link is None or place is None or link.type not in _ERRORS or case.uncaught is None:
        return None
    index = case.uncaught.chain.index(link)
    seen = next((one for one in reversed(case.records.all(ResultSeen)) if one.link == index), None)
    if seen is None or not _is_about(seen, link.message):
        return None
    kind = seen.type.rpartition(".")[2]
    call = _short(seen.call)
    said_of = f": it returns {_begun(seen.says)}" if seen.says else ""
    return Finding(
        message=f"{prefix(place)}`{seen.name}` is what `{call}` on {line_words(seen.made)} gave, "
        f"{_article(kind)} {kind}{said_of}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="value", name=seen.name),
        evidence=[
            said(link),
            Evidence(fact=f"`{seen.name}` was made by", value=seen.call, source="ResultSeen"),
            *(
                [Evidence(fact=f"documentation of {seen.function}", value=seen.says, source="ResultSeen")]
                * bool(seen.says)
            ),
        ],
        advice=_advice(seen) if (tried := tried_of(case, link)) is None or not tried.taken else [],
    )


def _is_about(seen: ResultSeen, message: str) -> bool:
    """Whether the exception speaks of a value of this type."""
    kind = seen.type.rpartition(".")[2]
    return f"'{kind}'" in message or f"'{seen.type}'" in message or f".{kind}'" in message


def _short(call: str) -> str:
    head, bracket, _ = call.partition("(")
    return call if len(call) <= _LONGEST_CALL else f"{head[-_LONGEST_CALL:]}{bracket}…)"


def _begun(text: str) -> str:
    """The first sentence of a documentation inside of one of ours."""
    words = text.partition(". ")[0].rstrip(".")
    return words[:1].lower() + words[1:] if words[:2] in ("A ", "An") or words[:4] == "The " else words


def _article(kind: str) -> str:
    return "an" if kind[:1].lower() in "aeio" else "a"


def _advice(seen: ResultSeen) -> list[str]:
    items = [
        f"`{seen.name}{part.name}` ({part.type.rpartition('.')[2]})" for part in seen.parts if part.name[:1] == "["
    ]
    if items:
        return [f"Take one of its items: {', '.join(items)}."]
    if not seen.parts:
        return [f"Use it as what it is, or have another call make `{seen.name}`."]
    part = seen.parts[0]
    keys = ", ".join(f"`{key}`" for key in part.keys)
    inside = f" with {keys}" if keys else f" of {part.length}"
    return [f"`{seen.name}.{part.name}` is a {part.type}{inside}: it may be what is wanted here."]
