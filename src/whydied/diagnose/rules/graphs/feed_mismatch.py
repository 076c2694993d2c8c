"""What a session was fed does not fit its placeholders.

## What it detects
A value of another shape than its placeholder, a placeholder that was not fed, a key of the feed that is not a tensor of
this graph, a tensor in the place of a value, and text for numbers.

## Why it happens
An axis too few or too many (one image instead of a batch), another column count than the network was made for, a
placeholder that only some ops need (`keep_prob`, `is_training`) and that was forgotten, a placeholder of another graph.

## Evidence
The exception with both shapes; the line of the feed and the line that made the placeholder.

## How it is proved
The exception is direct evidence: certain.

## Fix
Feed what the placeholder asks for, or make the placeholder as wide as the data.

## References
TensorFlow documentation: tf.compat.v1.Session.run.
"""

from __future__ import annotations

import math

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, named_line, quoted
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.source.training.session_calls import as_key, fed_for, fed_value
from whydied.source.training.session_calls import placeholder as placeholder_named
from whydied.texts import session_errors

_SHAPE = session_errors.FEED_SHAPE.pattern
_MISSING = session_errors.NOT_FED.pattern
_KEY = session_errors.FEED_KEY.pattern
_TENSOR = session_errors.FEED_IS_TENSOR.pattern
_TEXT = session_errors.FEED_IS_TEXT.pattern

ROLE = "explanation"
YIELDS_TO = ("fetch-mismatch",)


def check(case: Case) -> Finding | None:
    for pattern, answer in ((_SHAPE, _shape), (_MISSING, _missing), (_KEY, _key), (_TENSOR, _tensor), (_TEXT, _text)):
        said = quoted(case, pattern)
        if said is not None:
            return answer(case, said)
    return None


def _shape(case: Case, said: Quotation) -> Finding:
    name, made = placeholder_named(case.sources, said.match["name"])
    placeholder = _as_here(case, said, name)
    fed = _fed(case, said, placeholder)
    came, wanted = f"({said.match['value']})", f"({said.match['shape'].strip()})"
    axes = _axes(came), _axes(wanted)
    if len(axes[0]) != len(axes[1]):
        how = f"{_counted(len(axes[0]))} where {len(axes[1])} are expected"
    else:
        differ = [at for at, (one, other) in enumerate(zip(*axes, strict=True)) if other not in ("None", "?", one)]
        how = (
            (f"axis {differ[0]} is {axes[0][differ[0]]}, expected {axes[1][differ[0]]}")
            if differ
            else "its shape is wrong"
        )
    what = f"`{fed}`" if fed else "the value fed"
    return _finding(
        said,
        f"{what} of shape {came} is fed to `{placeholder}`: {how}; expected {wanted}",
        Culprit(kind="feed", name=fed or placeholder, shape=_extents(axes[0])),
        _shape_advice(axes, fed or "value", placeholder, made),
        made,
    )


def _shape_advice(axes: tuple[list[str], list[str]], fed: str, placeholder: str, made: Location | None) -> str:
    came, wanted = axes
    line = f" ({line_words(made)})" if made is not None else ""
    if len(came) + 1 == len(wanted) and _fits(came, wanted[1:]):
        return f"The batch axis is missing: feed `{fed}[None]`, or a batch of rows."
    if len(came) == len(wanted) + 1 and came[-1] == "1":
        return f"The last axis of size 1 is not expected: feed `{fed}[..., 0]`."
    if len(wanted) == len(came) + 1 and wanted[-1] == "1":
        return f"An axis of size 1 is missing at the end: feed `{fed}[..., None]`."
    if len(wanted) == 2 and len(came) > 2 and _product(came[1:]) == _product(wanted[1:]) is not None:
        return f"The rows are not flat: feed `{fed}.reshape(len({fed}), {wanted[1]})`."
    if came == wanted[::-1] or (len(came) == len(wanted) == 2 and _fits(came[::-1], wanted)):
        return f"The axes are swapped: feed `{fed}.T`."
    return f"Feed data of the shape that `{placeholder}`{line} expects, or make the placeholder as wide as the data."


def _missing(case: Case, said: Quotation) -> Finding:
    name, made = placeholder_named(case.sources, said.match["name"])
    placeholder = _as_here(case, said, name)
    made = made or named_line(case, session_errors.WHERE_IT_WAS_MADE.pattern.split(said.link.message)[0])
    form = f" and shape [{said.match['shape']}]" if said.match["shape"] else ""
    return _finding(
        said,
        f"placeholder `{placeholder}` was not fed, but the run needs it; expected a value of dtype "
        f"{said.match['dtype']}{form}",
        Culprit(kind="placeholder", name=placeholder, dtype=said.match["dtype"]),
        f"Add `{placeholder}: …` to the `feed_dict` of this line.",
        made,
    )


def _key(case: Case, said: Quotation) -> Finding:
    why = said.match["why"].strip()
    foreign = session_errors.NOT_OF_THIS_GRAPH.pattern.search(why) is not None
    node = session_errors.NAMED_IN_KEY.pattern.search(why)
    name = (node["name"] or node["text"]) if node else None
    placeholder, made = placeholder_named(case.sources, name) if name else (None, None)
    words = "belongs to a different graph than the session" if foreign else "is not a tensor in the graph"
    what = f"key `{placeholder}`" if placeholder else "a key"
    return _finding(
        said,
        f"{what} of the feed {words}; expected a placeholder in the graph that the session runs",
        Culprit(kind="feed", name=placeholder),
        "Create the session and the placeholder in the same graph."
        if foreign
        else "Use the placeholder itself as the key, or its name with an output (`x:0`).",
        made,
    )


def _tensor(case: Case, said: Quotation) -> Finding:
    name, made = placeholder_named(case.sources, said.match["name"])
    placeholder = _as_here(case, said, name)
    fed = _fed(case, said, placeholder)
    return _finding(
        said,
        f"{f'`{fed}`' if fed else 'what is fed'} for `{placeholder}` is a tensor; expected a value: an array, a list "
        "or a number",
        Culprit(kind="feed", name=fed or placeholder),
        "Feed an array (`np.zeros(…)`), or the result of `session.run` of that tensor.",
        made,
    )


def _text(case: Case, said: Quotation) -> Finding | None:
    """Text where a session wants numbers; elsewhere the same words have other reasons."""
    text = said.place.source if said.place and said.place.source else ""
    if "client/session.py" not in "".join(frame.file for frame in said.link.frames) or ".run(" not in text:
        return None
    fed = fed_value(case.sources, said.place) if said.place else None
    return _finding(
        said,
        f"the value fed contains the text {said.match['value']}; expected numbers ({said.match['dtype']})",
        Culprit(kind="feed", name=fed, value=said.match["value"]),
        "Convert the text to numbers before feeding it.",
        None,
    )


def _finding(said: Quotation, words: str, culprit: Culprit, advice: str, made: Location | None) -> Finding:
    evidence = evidence_of(said.link, said.raised)
    if made is not None:
        place = f"{made.file}:{made.line}"
        evidence.append(Evidence(fact="placeholder created at", value=place, source="the source"))
    return Finding(
        message=f"{prefix(said.place)}{words}",
        certainty="certain",
        location=said.place,
        culprit=culprit,
        evidence=evidence,
        advice=[advice],
    )


def _as_here(case: Case, said: Quotation, name: str) -> str:
    """A placeholder as the failing line writes it."""
    return as_key(case.sources, said.place, name) if said.place is not None else name


def _fed(case: Case, said: Quotation, name: str) -> str | None:
    return fed_for(case.sources, said.place, name) if said.place is not None else None


def _axes(text: str) -> list[str]:
    return [word.strip() for word in text.strip("()").split(",") if word.strip()]


def _product(axes: list[str]) -> int | None:
    return math.prod(map(int, axes)) if all(axis.isdigit() for axis in axes) else None


def _counted(axes: int) -> str:
    return "it has 1 axis" if axes == 1 else f"it has {axes} axes"


def _extents(axes: list[str]) -> list[int | None]:
    return [int(axis) if axis.isdigit() else None for axis in axes]


def _fits(came: list[str], wanted: list[str]) -> bool:
    pairs = list(zip(came, wanted, strict=False))
    return len(came) == len(wanted) and all(other in ("None", "?", one) for one, other in pairs)
