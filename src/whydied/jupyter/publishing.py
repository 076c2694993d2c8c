"""Speaks on the iopub socket that a dead kernel left: its clients show our words in the cell. Runs in the supervisor.

Clients keep trying to connect to a kernel's ports. Whoever binds the iopub port and signs with the connection file's
key is heard by all of them. XPUB tells when they have come back.

Invariant: nothing here waits longer than it was told to, closing included.
"""

from __future__ import annotations

import json
import signal
import time
from typing import Any

from whydied.run import signals

_BIND_TRIES_S = 0.5
_EVERYBODY_S = 0.35
"""A client tries again after 100 to 200 ms; the first to come back is rarely the only one."""
_LINGER_MS = 800
_ORDERS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Connection:
    """What a connection file tells of the iopub socket that a kernel left. No key is in the text form, so that none
    gets into a message or a traceback of ours."""

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


class Publisher:
    """The iopub socket of a kernel that is dead. Raises zmq.ZMQError where somebody else has its port."""

    def __init__(self, connection: Connection) -> None:
        import zmq
        from jupyter_client.session import Session

        self._zmq: Any = zmq
        self._session = Session(key=connection.key, signature_scheme=connection.scheme)
        self._context = zmq.Context()
        self._socket: Any = self._context.socket(zmq.XPUB)
        self._socket.linger = _LINGER_MS
        self._socket.setsockopt(zmq.XPUB_VERBOSE, 1)
        if connection.curve_secret and connection.curve_public:
            self._socket.curve_secretkey = connection.curve_secret
            self._socket.curve_publickey = connection.curve_public
            self._socket.curve_server = True
        try:
            self._bind(connection.address)
        except BaseException:
            self.close()
            raise

    def wait_for_clients(self, longest_s: float) -> bool:
        """Whether a client came back within the time. Stops when we are told to stop."""
        give_up = time.monotonic() + longest_s
        heard = False
        while (rest := give_up - time.monotonic()) > 0 and not told_to_stop():
            if self._socket.poll(min(rest, 0.05) * 1000) and self._socket.recv()[:1] == b"\x01" and not heard:
                heard = True
                give_up = time.monotonic() + _EVERYBODY_S
        return heard

    def send(self, kind: str, content: dict[str, Any], parent: dict[str, Any] | None) -> None:
        self._session.send(self._socket, kind, content, parent=parent, ident=kind.encode())

    def close(self) -> None:
        self._socket.close()
        self._context.term()

    def _bind(self, address: str) -> None:
        """A child that the kernel forked holds the port until it is gone, which may take a moment."""
        give_up = time.monotonic() + _BIND_TRIES_S
        while True:
            try:
                self._socket.bind(address)
                return
            except self._zmq.ZMQError as error:
                if error.errno != self._zmq.EADDRINUSE or time.monotonic() > give_up:
                    raise
            time.sleep(0.02)


def told_to_stop() -> bool:
    """Whether a signal waits that asks us to end; it is taken."""
    while (arrived := signals.wait(0)) is not None:
        if arrived.signal in _ORDERS:
            return True
    return False
