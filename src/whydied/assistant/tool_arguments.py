"""What a tool takes: described for an assistant as a JSON schema, and read from what the assistant sent. Pure.

Invariant: whatever was sent, the answer is values of the declared kinds or one sentence that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from whydied.errors import UsageError

_KINDS: dict[str, tuple[type, str]] = {
    "string": (str, "a text"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
}


class Parameter(NamedTuple):
    name: str
    kind: str
    description: str
    default: Any = None
    least: int | None = None


def schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """All of them can be left out."""
    properties: dict[str, Any] = {}
    for one in parameters:
        told: dict[str, Any] = {"type": one.kind, "description": one.description}
        if one.default is not None:
            told["default"] = one.default
        if one.least is not None:
            told["minimum"] = one.least
        properties[one.name] = told
    return {"type": "object", "properties": properties, "additionalProperties": False}


def read(parameters: Sequence[Parameter], sent: Mapping[str, Any]) -> dict[str, Any]:
    """A value for each parameter; null is the same as nothing."""
    known = {one.name: one for one in parameters}
    for name in sent:
        if name not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes no arguments"
            raise UsageError(f"there is no argument {str(name)[:80]!r}", takes)
    return {name: _value(one, sent.get(name)) for name, one in known.items()}


def _value(parameter: Parameter, value: Any) -> Any:
    if value is None:
        return parameter.default
    kind, words = _KINDS[parameter.kind]
    # True is a number to Python and not to whoever wrote the schema.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise UsageError(f"{parameter.name} has to be {words}, not {str(value)[:80]!r}")
    if parameter.least is not None and isinstance(value, int) and value < parameter.least:
        raise UsageError(f"{parameter.name} has to be at least {parameter.least}, not {value}")
    return value
