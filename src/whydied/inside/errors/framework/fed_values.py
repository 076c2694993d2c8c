"""What a v1 session was fed when an op of its graph failed; runs in the user's process, after an exception.

Invariant: what is fed is only looked at.
"""

from __future__ import annotations

from typing import Any

import msgspec

from whydied.inside.errors.framework.looked_values import looked_at
from whydied.inside.errors.framework.op_operands import node_frame
from whydied.inside.errors.stack_steps import Step, is_of
from whydied.inside.guest.value_facts import describe
from whydied.records import Party, ValueSource

LARGEST_FEEDS = 8


def feeds_of(steps: list[Step]) -> list[Party]:
    """The shapes of what was fed, by the names of the placeholders, each with the line of the placeholder."""
    for step in reversed(steps):
        given = step.get("feed_dict") if step.frame.f_code.co_name == "run" and is_of(step, "session.py") else None
        if type(given) is dict:
            found = [_fed(key, value) for key, value in list(given.items())[:LARGEST_FEEDS]]
            return [party for party in found if party is not None]
    return []


def _fed(key: Any, value: Any) -> Party | None:
    op = getattr(key, "op", None) if hasattr(type(key), "op") else None
    if op is None or describe(value).shape is None:
        return None
    frame = node_frame(op)
    source = [ValueSource(kind="placeholder", name=op.name, frame=frame)] if frame is not None else []
    return msgspec.structs.replace(looked_at("feed", value, None, []), text=op.name, sources=source)
