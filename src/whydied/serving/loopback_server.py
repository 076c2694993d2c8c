"""Answers a browser on the loopback address. Runs in the parent, in a thread for each request.

Invariant: it only reads. No request changes a run, starts anything, or names a file: a run is looked up by its id among
those that there are. A failure of ours is one sentence for the browser, and the server lives on.
"""

from __future__ import annotations

import html
import secrets
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, Protocol
from urllib.parse import unquote, urlsplit

from whydied.errors import UsageError, WhydiedError
from whydied.serving.access import Door

LOOPBACK = "127.0.0.1"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_HTML, _JSON, _TEXT = "text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"


class Library(Protocol):
    """What there is to read. A run that is not there is None."""

    def index(self) -> str: ...

    def page(self, run_id: str) -> str | None: ...

    def report(self, run_id: str) -> bytes | None: ...


class Answer(NamedTuple):
    status: int
    kind: str
    body: bytes
    more: tuple[tuple[str, str], ...] = ()


def serve(library: Library, port: int, ready: Callable[[str], None]) -> None:
    """Serve until interrupted. `ready` gets the address, which holds the token."""
    try:
        server = _Server((LOOPBACK, port), _Handler)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"cannot listen on port {port}: {reason}", "choose another one: --port 0 takes any") from error
    server.library = library
    server.door = Door(server.server_address[1], secrets.token_urlsafe(24))
    with server:
        ready(server.door.address)
        server.serve_forever(poll_interval=0.2)


def answer(library: Library, door: Door, target: str, headers: dict[str, str]) -> Answer:
    """What a request gets."""
    ruling = door.ruling(target, headers)
    path = urlsplit(target).path
    if ruling == "not here":
        return Answer(421, _TEXT, b"This server answers for 127.0.0.1 and localhost alone.\n")
    if ruling == "refused":
        return Answer(403, _TEXT, b"Open the address that `whydied serve` printed: it holds the token.\n")
    if ruling == "enter":
        cookie = f"{door.cookie}={door.token}; HttpOnly; SameSite=Strict; Path=/"
        return Answer(303, _TEXT, b"", (("Location", _plain(path)), ("Set-Cookie", cookie)))
    try:
        return _found(library, path) or Answer(404, _TEXT, b"There is no such run.\n")
    except WhydiedError as error:
        return Answer(500, _TEXT, f"{error}\n".encode())
    except Exception as error:
        return Answer(500, _HTML, f"<p>whydied failed to show this: {html.escape(repr(error))}</p>".encode())


def _plain(path: str) -> str:
    """A path of this server: one that begins with two strokes would be another host's."""
    return f"/{path.lstrip('/')}"


def _found(library: Library, path: str) -> Answer | None:
    if path == "/":
        return Answer(200, _HTML, library.index().encode("utf-8"))
    name = unquote(path.removeprefix("/runs/"))
    if not path.startswith("/runs/") or not name:
        return None
    if name.endswith(".json"):
        report = library.report(name.removesuffix(".json"))
        return Answer(200, _JSON, report) if report is not None else None
    page = library.page(name)
    return Answer(200, _HTML, page.encode("utf-8")) if page is not None else None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    library: Library
    door: Door


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version = "whydied"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        self._send(body=True)

    def do_HEAD(self) -> None:
        self._send(body=False)

    def _send(self, *, body: bool) -> None:
        found = answer(self.server.library, self.server.door, self.path, dict(self.headers.items()))
        self.send_response(found.status)
        for name, value in [*_HEADERS.items(), ("Content-Type", found.kind), *found.more]:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(found.body)))
        self.end_headers()
        if body:
            self.wfile.write(found.body)

    def log_message(self, *_: object) -> None:
        """Nothing: a request line holds the token."""
