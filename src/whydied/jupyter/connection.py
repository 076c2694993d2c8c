"""A kernel's connection file: where its iopub socket is, and the keys. Runs in the supervisor.

Invariant: no key is in the text form of a value, so that none gets into a message or a traceback of ours.
"""

from __future__ import annotations

import json
from typing import Any


class Connection:
    """What is needed to speak on the iopub socket that a kernel left."""

    def __init__(self, words: dict[str, Any]) -> None:
        transport, ip, port = str(words.get("transport") or "tcp"), str(words["ip"]), int(words["iopub_port"])
        self.address = f"{transport}://{ip}{'-' if transport == 'ipc' else ':'}{port}"
        self.key = _bytes(words.get("key")) or b""
        self.scheme = str(words.get("signature_scheme") or "hmac-sha256")
        self.curve_public = _bytes(words.get("curve_publickey"))
        self.curve_secret = _bytes(words.get("curve_secretkey"))

    @classmethod
    def read(cls, path: str | None) -> Connection | None:
        """None where there is no such file (yet), or it is none."""
        if path is None:
            return None
        try:
            with open(path, encoding="utf-8") as file:
                words = json.load(file)
            return cls(words)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    @property
    def secrets(self) -> tuple[bytes, ...]:
        return tuple(secret for secret in (self.key, self.curve_secret) if secret)

    def __repr__(self) -> str:
        return f"Connection({self.address})"


def _bytes(value: object) -> bytes | None:
    if isinstance(value, bytes):
        return value
    return value.encode() if isinstance(value, str) and value else None
