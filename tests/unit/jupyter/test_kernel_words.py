"""The supervisor's command line, the connection file, and what is said of a death."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests import handmade
from whydied.jupyter import death_message, kernel
from whydied.jupyter.publishing import Connection
from whydied.jupyter.unseen_reports import Place
from whydied.places import RunDirectory, unseen_report
from whydied.run.supervise import RunOutcome

IPYKERNEL = (sys.executable, "-m", "ipykernel_launcher")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-f", "c.json"], ((*IPYKERNEL, "-f", "c.json"), "c.json", None, ())),
        (["--f=c.json", "--debug"], ((*IPYKERNEL, "--f=c.json", "--debug"), "c.json", None, ())),
        (["--memory-guard", "-f", "c"], ((*IPYKERNEL, "-f", "c"), "c", None, ("memory-guard",))),
        (["--memory-limit=1G", "-f", "c", "--", "R", "-f", "d"], (("R", "-f", "d"), "c", "1G", ())),
        (["-f", "c", "--", "python3", "-m", "k"], ((sys.executable, "-m", "k"), "c", None, ())),
        (["-f", "c", "--", "/opt/python3", "-m", "k"], (("/opt/python3", "-m", "k"), "c", None, ())),
        ([], (IPYKERNEL, None, None, ())),
    ],
)
def test_the_words_of_a_spec(arguments: list[str], expected: tuple[object, ...]) -> None:
    assert tuple(kernel.parse(arguments)) == expected


def test_who_is_an_orphan() -> None:
    parents = [7]
    assert kernel.orphan_watch(None, lambda: parents[-1]) is None
    assert kernel.orphan_watch("1", lambda: parents[-1]) is None
    direct, wrapped = (kernel.orphan_watch(who, lambda: parents[-1]) for who in ("7", "5"))
    assert direct is not None
    assert wrapped is not None
    assert (direct(), wrapped()) == (False, False)
    parents.append(8)
    assert (direct(), wrapped()) == (True, False)
    parents.append(1)
    assert (direct(), wrapped()) == (True, True)
    assert kernel.orphan_watch("5", lambda: parents[-1]) is None


def test_a_connection_tells_no_key(tmp_path: Path) -> None:
    file = tmp_path / "kernel.json"
    told = {"transport": "tcp", "ip": "127.0.0.1", "iopub_port": 5, "key": "k-e-y", "curve_secretkey": "c-s-k"}
    file.write_text(json.dumps(told))
    found = Connection.read(str(file))
    assert found is not None
    assert found.address == "tcp://127.0.0.1:5"
    assert found.secrets == (b"k-e-y", b"c-s-k")
    assert "k-e-y" not in repr(found)
    file.write_text(json.dumps({**told, "transport": "ipc", "ip": "/run/socket"}))
    other = Connection.read(str(file))
    assert other is not None
    assert other.address == "ipc:///run/socket-5"


@pytest.mark.parametrize("text", ["", "[]", "null", '{"ip": 1}', '{"ip": "x", "iopub_port": "y"}'])
def test_no_connection(text: str, tmp_path: Path) -> None:
    (tmp_path / "kernel.json").write_text(text)
    assert Connection.read(str(tmp_path / "kernel.json")) is None
    assert Connection.read(str(tmp_path / "missing")) is None


def test_deaths_that_follow_each_other() -> None:
    assert death_message.remark(2, ran_cells=True) == ""
    assert "number 3 within a minute" in death_message.remark(3, ran_cells=True)
    assert death_message.remark(1, ran_cells=False) == "The kernel died during startup, before it ran a cell."


def test_what_is_said(tmp_path: Path) -> None:
    outcome = RunOutcome(RunDirectory(tmp_path / "run"), 139, signal=11)
    short = death_message.said(None, outcome, "<b>")
    assert "was ended by SIGSEGV" in short.text
    assert "whydied show run" in short.text
    assert "<b>" not in short.html.replace("<div><b>", "")
    assert "failed (KeyError())" in death_message.said(None, outcome, "", "KeyError()").text
    whole = death_message.said(handmade.report(), outcome, "note")
    assert whole.text.startswith("note\n")
    assert death_message.for_next_kernel(whole).text.startswith("An earlier kernel of this notebook died at ")


def test_what_a_kernel_leaves_to_the_next(tmp_path: Path) -> None:
    first, second = RunDirectory(tmp_path / "first"), RunDirectory(tmp_path / "second")
    for run in (first, second):
        run.make()
    place, other = Place.of("a.ipynb", ["python"]), Place.of("b.ipynb", ["python"])
    place.keep(first, death_message.Said("<p>", "text"))
    other.hand_on(second)
    assert not unseen_report(second).exists()
    Place.of("a.ipynb", ["R"]).hand_on(second)
    assert json.loads(unseen_report(second).read_text())["text"] == "text"
    place.forget(first)
    unseen_report(second).unlink()
    place.hand_on(second)
    assert not unseen_report(second).exists()
    assert [place.died(first, "c.json") for _ in range(3)] == [1, 2, 3]
    assert place.died(first, "d.json") == 1
