"""What the process that runs tests sends to the one that shows them: lines of JSON in a file. Pure.

Invariant: a tuple comes back as a tuple, on which pytest insists; what JSON cannot hold comes back as its repr.
"""

from __future__ import annotations

import json
from typing import Any

MESSAGES, DONE = "messages.jsonl", "done.json"
_TUPLE = "\0tuple"


def encoded(kind: str, **fields: Any) -> str:
    return json.dumps({"kind": kind, **{name: _packed(value) for name, value in fields.items()}})


def decoded(line: bytes) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(line, object_hook=_unpacked)
    return message


def _packed(value: Any) -> Any:
    if isinstance(value, tuple):
        return {_TUPLE: [_packed(item) for item in value]}
    if isinstance(value, list):
        return [_packed(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _packed(item) for key, item in value.items()}
    return value if value is None or isinstance(value, str | int | float | bool) else repr(value)


def _unpacked(value: dict[str, Any]) -> Any:
    return tuple(value[_TUPLE]) if value.keys() == {_TUPLE} else value
