"""The recorded way from a value of the failing statement to the statement that made it. Pure."""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.data.failing_data import Failing
from whydied.diagnose.finding import Evidence, Location
from whydied.records import MakerStep, ValueMade
from whydied.source.origins.trails import expression

_MOST_SHOWN = 4


def makers_of(found: Failing) -> list[ValueMade]:
    """The values that the exception is about, each with its way."""
    raised = found.case.uncaught
    index = raised.chain.index(found.link) if raised is not None else 0
    return [one for one in found.case.records.all(ValueMade) if one.link == index]


def made_elsewhere(case: Case, index: int) -> list[Evidence]:
    """The statements that made what an exception of the chain is about, where they are not the failing one."""
    raised = case.uncaught
    frames = [one for one in raised.chain[index].frames if one.user] if raised is not None else []
    found = []
    for made in case.records.all(ValueMade):
        end = made.steps[-1] if made.steps and made.link == index and not made.others else None
        if end is None or end.frame is None or not frames:
            continue
        if (end.frame.file, end.frame.line) != (frames[-1].file, frames[-1].line):
            value = f"{end.text}, {line_words(end.frame)}"
            found.append(Evidence(fact=f"`{made.text}` was made by", value=value, source="ValueMade"))
    return found[:2]


def is_of_function_without_return(case: Case) -> bool:
    """Whether a value of the failing statement is None because a function of the program's returns nothing: what is
    wrong with its shape or type follows from that."""
    made = case.records.all(ValueMade)
    return any(one.type == "NoneType" and one.steps and one.steps[-1].kind == "no-return" for one in made)


def maker_place(found: Failing, made: ValueMade) -> Location:
    """The statement that made the value."""
    frame = made.steps[-1].frame if made.steps else None
    return found.located(frame.file, frame.line) if frame is not None and frame.file in found.sources else found.place


def expression_of(found: Failing, step: MakerStep) -> ast.expr | None:
    """The expression of a step in its source."""
    if step.frame is None:
        return None
    return expression(found.sources, step.frame.file, step.frame.line, step.text)


def number_in(made: ValueMade) -> str | None:
    """The number that a text says, as it would be written without its quotes."""
    text = (made.value or "")[1:-1].strip() if made.type == "str" else ""
    try:
        float(text)
    except ValueError:
        return None
    return text if text[-1:].isdigit() or text.endswith(".") else None


def is_like(wanted: str, near: str) -> bool:
    """Whether two keys have a word in common: a key that is merely another is no guess to try."""
    words = [set(re.split(r"\W|_", one.lower())) - {""} for one in (wanted, near)]
    return bool(words[0] & words[1]) or words[0] == words[1]


def way_evidence(found: Failing, made: ValueMade) -> list[Evidence]:
    """The value on the failing line, and the places that it came through where there is more than its maker."""
    facts = []
    if made.inside:
        return [Evidence(fact=made.inside, value=made.value or made.type, source="ValueMade")]
    if found.operand(made.text) is None:
        value = made.value or ("None" if made.type == "NoneType" else made.type)
        facts = [Evidence(fact=f"`{made.text}` on {line_words(found.place)}", value=value, source="ValueMade")]
    passed = [one for one in made.steps if one.name and one.frame is not None and one.kind not in ("gap", "no-return")]
    if len(passed) > 1:
        words = [f"`{one.name}`: `{one.text}`, {line_words(one.frame)}" for one in passed if one.frame is not None]
        facts.append(Evidence(fact="it came by", value="; ".join(words[:_MOST_SHOWN]), source="ValueMade"))
    return facts
