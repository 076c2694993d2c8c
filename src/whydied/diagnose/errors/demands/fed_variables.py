"""A variable that was fed in the very run that writes it. Pure.

A fed tensor is a plain value. An op that writes a variable of TensorFlow 1 takes a reference to it, which feeding takes
away: the run fails, whatever the value is. Feeding a variable that the run only reads is allowed.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.errors.advice import Advice, Way, changes_of, source_at
from whydied.diagnose.errors.session_error import made_at
from whydied.records import Fed, GraphNode, SessionFacts
from whydied.source.edits.edit import Edit
from whydied.source.edits.shapes.feed_entries import fed_less


class FedVariable(NamedTuple):
    words: str
    name: str
    advice: Advice
    node: GraphNode | None


def fed_variable(case: Case, facts: SessionFacts) -> FedVariable | None:
    written = [one for one in facts.feeds if one.writer is not None]
    if not written:
        return None
    names = [_name(one) for one in written]
    first = written[0]
    assert first.writer is not None
    made = made_at(case, first.writer)
    what = f"`{first.writer.text}`" if first.writer.text else f"its op `{first.writer.name}`"
    where = f" ({line_words(made)})" if made is not None else ""
    every = " and ".join(f"`{name}`" for name in names)
    one = len(names) == 1
    words = (
        f"{every} {'is a variable' if one else 'are variables'}, fed in the run in which {what}{where} writes "
        f"{'it' if one else 'them'}; what is fed is a plain value, which cannot be written"
    )
    value = first.value.text or "value"
    setting = f"`{names[0]}.load({value}, {facts.session or 'session'})` before the run sets it"
    way = Way(f"leave {every} out of the feed", _left_out(case, facts, written))
    sentence = f"Leave {every} out of the feed: the variable has its value in the session. If it is to start from "
    return FedVariable(
        words, names[0], Advice([f"{sentence}`{value}`, {setting}."], changes_of("feed", [way])), first.node
    )


def _name(fed: Fed) -> str:
    return fed.text or (fed.node.name if fed.node is not None else "a key")


def _left_out(case: Case, facts: SessionFacts, entries: list[Fed]) -> list[Edit] | None:
    edits: list[Edit] = []
    for fed in entries:
        frame = fed.written or facts.place
        source = source_at(case.sources, frame)
        edit = fed_less(source, frame.file, frame.line, fed.text) if source and frame and fed.text else None
        if edit is None:
            return None
        edits.append(edit)
    return edits if len(edits) == 1 else None
