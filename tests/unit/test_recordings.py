"""Recordings of the corpus: what goes into the repository reads as it did, and says nothing of the machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import neutral
import outcomes
import recordings
from corpus import Case, Expectation
from tests import handmade
from trial import Trial
from whydied.places import RunDirectory
from whydied.read.recording import load
from whydied.records import (
    ExceptionRaised,
    Frame,
    Neighbour,
    NeighboursSampled,
    OutputWritten,
    RaisedException,
    Record,
)
from whydied.source_copy import Head, encode

PROGRAM = recordings.PROGRAMS / "plain" / "key_error.py"
PLACED = str(neutral.PLACE / "plain" / "key_error.py")


def _case(**expected: object) -> Case:
    made = Expectation(**{"outcome": "failed", **expected})  # type: ignore[arg-type]
    return Case("plain/key_error", PROGRAM.parent, PROGRAM, made, PROGRAM, frozenset([5]))


def _run(directory: Path, code: bytes | None = None) -> RunDirectory:
    frame = Frame(file=PLACED, line=5, function="<module>", user=True)
    inside = Frame(file=f"{sys.prefix}/lib/python3/site-packages/keras/a.py", line=1, function="f")
    chain = [RaisedException(type="KeyError", module="builtins", message="'x'", frames=[frame, inside])]
    neighbour = Neighbour(pid=1, name="python", rss_bytes=1, user="ann", command="python /srv/secret/train.py")
    more: list[Record] = [
        ExceptionRaised(where="main", chain=chain),
        NeighboursSampled(moment="end", largest=[neighbour]),
    ]
    run = handmade.recorded_run(directory, output=f"File {neutral.PROJECT}/x.py\n".encode(), more=more)
    if code is not None:
        run.sources.mkdir()
        (run.sources / "00ff.py").write_bytes(encode(Head(file=PLACED, modified_ns=1, bytes=0), code))
    return run


def _packed(run: RunDirectory) -> bytes:
    return recordings.pack(run, Trial(3, None, b"held 7\n", b"", 1.0))


@pytest.fixture
def packed(tmp_path: Path) -> bytes:
    return _packed(_run(tmp_path / "runs", PROGRAM.read_bytes()))


def test_what_is_kept_reads_as_it_did(packed: bytes, tmp_path: Path) -> None:
    stored = recordings.unpack(packed, tmp_path)
    assert (stored.seen.status, stored.seen.printed) == (3, "held 7\n")
    recording = load(stored.run)
    assert recording.ended is not None
    assert recording.ended.exit_code == 3
    assert recording.complete
    raised = recording.supervisor.all(ExceptionRaised)[0].chain[0]
    assert [frame.file for frame in raised.frames] == [PLACED, "/opt/venv/lib/python3/site-packages/keras/a.py"]


def test_nothing_of_the_machine_is_kept(packed: bytes, tmp_path: Path) -> None:
    recording = load(recordings.unpack(packed, tmp_path).run)
    assert recording.started is not None
    assert (recording.started.hostname, recording.started.boot_id) == (neutral.HOST, neutral.BOOT)
    (sampled,) = recording.supervisor.all(NeighboursSampled)
    assert (sampled.largest[0].user, sampled.largest[0].command) == (neutral.USER, "")
    (written,) = recording.terminal.all(OutputWritten)
    assert written.data == b"File /opt/whydied/x.py\n"
    assert recordings.leaks(packed) == []


def test_a_leak_is_found_also_where_a_path_was_cut() -> None:
    assert neutral.leaks(f"x {os.path.expanduser('~')}/.cache".encode())
    if str(neutral.PROJECT.parent).count("/") > 1:
        assert neutral.leaks(f"{neutral.PROJECT.parent}/who".encode())
    assert neutral.leaks(b"/opt/venv /tmp/whydied-corpus/x.py") == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (f"{sys.prefix}/bin/python", "/opt/venv/bin/python"),
        (f'File "{neutral.PROJECT}/src/a.py"', 'File "/opt/whydied/src/a.py"'),
        ("gradients/root/MatMul", "gradients/root/MatMul"),
        ("0f0f66ba1234567890abcdef66ba1234", "0f0f66ba1234567890abcdef66ba1234"),
        ("/docker/0f0f66ba1234567890abcdef66ba1234/x", "/docker/container/x"),
        (PLACED, PLACED),
    ],
)
def test_texts(given: str, kept: str) -> None:
    assert neutral.text(given) == kept
    assert neutral.value({"a": [(given, 1)]}) == {"a": [(kept, 1)]}


def test_an_outcome_is_compared_with_the_truth(packed: bytes) -> None:
    right = outcomes.outcome_of(_case(exit_status=3, bytes_within=0.5), packed)
    assert "line is" not in " ".join(right.verdict.problems)
    wrong = outcomes.outcome_of(_case(exit_status=4), packed)
    assert "exit status 3, expected 4" in wrong.verdict.problems
    assert right.line == wrong.line
    assert right.line.startswith("plain/key_error | failed | PRC")


def test_a_program_that_was_edited_since_is_told(packed: bytes, tmp_path: Path) -> None:
    stale = outcomes.STALE.format(name="plain/key_error")
    assert stale not in outcomes.outcome_of(_case(), packed).verdict.problems
    edited = _packed(_run(tmp_path / "edited", b"another = 1\n"))
    assert stale in outcomes.outcome_of(_case(), edited).verdict.problems
