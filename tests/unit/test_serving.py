"""`whydied serve`, by requests to a real server on the loopback address."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import handmade
from whydied.cli.serve import Runs
from whydied.errors import UsageError
from whydied.report.finish import finish
from whydied.report.summary import as_json
from whydied.serving import loopback_server as serving
from whydied.serving.access import Door

DOOR = Door(4321, "secret-token")
HERE = {"Host": "127.0.0.1:4321"}


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str


class Client:
    """Asks the server; keeps no cookie by itself."""

    def __init__(self, address: str) -> None:
        self.address = address
        host, _, rest = address.removeprefix("http://").partition("/")
        self.host, self.entry = host, f"/{rest}"

    def get(self, target: str, method: str = "GET", **headers: str) -> Reply:
        connection = http.client.HTTPConnection(self.host, timeout=30)
        connection.request(method, target, headers=headers)
        answer = connection.getresponse()
        reply = Reply(answer.status, dict(answer.getheaders()), answer.read().decode())
        connection.close()
        return reply

    def cookie(self) -> str:
        return self.get(self.entry).headers["Set-Cookie"].partition(";")[0]


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    finish(handmade.recorded_run(tmp_path, supervisor_pid=handmade.a_dead_pid()))
    made: list[serving._Server] = []
    real = serving._Server.serve_forever

    def remembered(self: serving._Server, poll_interval: float = 0.5) -> None:
        made.append(self)
        real(self, poll_interval)

    monkeypatch.setattr(serving._Server, "serve_forever", remembered)
    ready, known = threading.Event(), list[str]()

    def tell(address: str) -> None:
        known.append(address)
        ready.set()

    thread = threading.Thread(target=serving.serve, args=(Runs(tmp_path), 0, tell), daemon=True)
    thread.start()
    assert ready.wait(30)
    yield Client(known[0])
    made[0].shutdown()
    thread.join(30)
    assert not thread.is_alive()


def test_the_list_the_page_and_the_json_of_a_run(client: Client, tmp_path: Path) -> None:
    kept = client.cookie()
    listed = client.get("/", Cookie=kept)
    assert listed.status == 200
    assert f'href="/runs/{handmade.RUN_ID}"' in listed.body
    page = client.get(f"/runs/{handmade.RUN_ID}", Cookie=kept)
    assert page.status == 200
    assert "<h1>" in page.body
    assert 'href="/"' in page.body
    read = client.get(f"/runs/{handmade.RUN_ID}.json", Cookie=kept)
    assert read.headers["Content-Type"] == "application/json"
    stored = finish(handmade.RunDirectory(tmp_path / handmade.RUN_ID))
    assert json.loads(read.body) == json.loads(as_json(stored))


def test_nothing_without_the_token(client: Client) -> None:
    for target in ("/", f"/runs/{handmade.RUN_ID}", f"/runs/{handmade.RUN_ID}.json", "/?token=wrong", "/?token="):
        refused = client.get(target)
        assert refused.status == 403, target
        assert handmade.RUN_ID not in refused.body
    assert client.get("/", Cookie="whydied-1=wrong").status == 403


def test_the_address_gives_a_cookie_and_leaves_no_token_in_the_address(client: Client) -> None:
    entered = client.get(client.entry)
    assert entered.status == 303
    assert entered.headers["Location"] == "/"
    assert {"HttpOnly", "SameSite=Strict"} <= set(entered.headers["Set-Cookie"].split("; "))


def test_nothing_is_answered_in_another_name(client: Client) -> None:
    """A page of another site can have its own name point at 127.0.0.1."""
    assert client.get("/", Host="rebound.example", Cookie=client.cookie()).status == 421


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_it_only_reads(method: str, client: Client) -> None:
    assert client.get("/", method, Cookie=client.cookie()).status == 501


@pytest.mark.parametrize(
    "target", ["/runs/", "/runs/..%2f..%2fetc%2fpasswd", "/runs/../../etc/passwd", "/runs/x.json", "/a"]
)
def test_what_is_no_run_is_not_there(target: str, client: Client) -> None:
    assert client.get(target, Cookie=client.cookie()).status == 404


def test_other_sites_may_not_frame_or_keep_what_is_read(client: Client) -> None:
    headers = client.get("/", Cookie=client.cookie()).headers
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"


class Broken:
    def index(self) -> str:
        raise KeyError("<b>")

    def page(self, run_id: str) -> str | None:
        raise UsageError("no such thing", None)

    def report(self, run_id: str) -> bytes | None:
        return None


def test_our_own_failure_is_a_sentence_and_is_escaped() -> None:
    headers = {**HERE, "Cookie": f"{DOOR.cookie}={DOOR.token}"}
    failed = serving.answer(Broken(), DOOR, "/", headers)
    assert failed.status == 500
    assert b"&lt;b&gt;" in failed.body
    assert serving.answer(Broken(), DOOR, "/runs/x", headers).body == b"no such thing\n"


def test_entering_never_leads_to_another_host() -> None:
    entered = serving.answer(Broken(), DOOR, f"//evil.example/?token={DOOR.token}", HERE)
    assert dict(entered.more)["Location"].startswith("/")
    assert not dict(entered.more)["Location"].startswith("//")


def test_a_port_that_is_taken_is_told() -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(UsageError, match="cannot listen on port"):
            serving.serve(Broken(), taken.getsockname()[1], lambda _: None)
