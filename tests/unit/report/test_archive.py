from __future__ import annotations

import socket
import tarfile
from pathlib import Path

import pytest

from tests import handmade
from whydied.diagnose.finding import Evidence
from whydied.errors import NoRoom, UsageError
from whydied.places import RunDirectory
from whydied.read.recording import load
from whydied.records import DataLooked, ExceptionRaised, Frame, RaisedException, TextFileSeen, TextsHeld
from whydied.report.keeping.anonymous import Anonymiser
from whydied.report.keeping.archive import export
from whydied.report.summary import from_json
from whydied.source_copy import Head, decode, encode

SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123"


@pytest.fixture
def anonymiser() -> Anonymiser:
    return Anonymiser(homes=["/data/home/alice"], users=["alice", "root"], hosts=["gpu-box", "localhost"])


@pytest.mark.parametrize(
    ("recorded", "shared"),
    [
        ("/data/home/alice/train.py", "<home>/train.py"),
        ("/data/home/alicette/train.py", "/data/home/<user>/train.py"),
        ("/home/bob/train.py", "/home/<user>/train.py"),
        ("/Users/carol/x", "/Users/<user>/x"),
        ("/scratch/alice/x", "/scratch/<user>/x"),
        ("malice aforethought", "malice aforethought"),
        ("job of alice on gpu-box:8080", "job of <user> on <host>:8080"),
        ("the root cause on localhost", "the root cause on localhost"),
        (f"token={SECRET}", "token=<redacted>"),
    ],
)
def test_texts(anonymiser: Anonymiser, recorded: str, shared: str) -> None:
    assert anonymiser.text(recorded) == shared


def test_samples_of_data_are_nobody_elses(anonymiser: Anonymiser) -> None:
    texts = [TextsHeld(column="age", count=1, rows=9, example="47 years, divorced")]
    looked = anonymiser.value(DataLooked(text="people", type="DataFrame", texts=texts, classes=["ill", "well"]))
    assert (looked.text, looked.classes, looked.texts[0].example) == ("people", [], "")
    assert anonymiser.value(TextFileSeen(path="/x/people.csv", first_line="Ann;47")).first_line == ""


def test_the_vocabulary_stays_whatever_the_user_is_called() -> None:
    anonymiser = Anonymiser(homes=[], users=["died", "main"], hosts=["host-oom-kill"])
    report = anonymiser.value(handmade.report(notes=["main of died"]))
    assert report.outcome == "died"
    assert report.death is not None
    assert report.death.name == "host-oom-kill"
    assert report.notes == ["<user> of <user>"]
    raised = ExceptionRaised(where="main", chain=[])
    assert anonymiser.value(raised) == raised


def test_arguments_that_look_like_keys(anonymiser: Anonymiser) -> None:
    report = anonymiser.value(handmade.report(argv=["train.py", "--api-key", "hunter2", "/home/bob/x"]))
    assert report.run.argv == ["train.py", "--api-key", "<redacted>", "/home/<user>/x"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDirectory:
    monkeypatch.setenv("HOME", "/data/home/alice")
    monkeypatch.setenv("USER", "alice")
    frame = Frame(file="/data/home/alice/train.py", line=3, function="main", user=True, source=f"key = '{SECRET}'")
    raised = ExceptionRaised(
        where="main", chain=[RaisedException(type="OSError", module="", message="", frames=[frame])]
    )
    run = handmade.recorded_run(
        tmp_path / "runs",
        output=b"password=hunter2 for alice\n",
        more=[raised],
        cwd="/data/home/alice",
        labels={"who": "alice"},
    )
    (run.faults / "77.txt").write_text('  File "/data/home/alice/train.py", line 3 in main\n')
    (run.path / "captured.npz").write_bytes(b"private data of alice")
    code = f"key = '{SECRET}'\nopen('/data/home/alice/data.csv')\n# caf\xe9 of alice\n".encode("latin-1")
    run.sources.mkdir()
    head = Head(file="/data/home/alice/train.py", modified_ns=1, bytes=0)
    (run.sources / "0123456789abcdef.py").write_bytes(encode(head, code))
    return run


def unpacked(archive: Path, where: Path) -> RunDirectory:
    with tarfile.open(archive) as tar:
        members = tar.getnames()
        tar.extractall(where, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(where)
    return RunDirectory(where / members[0])


def whole_text(directory: RunDirectory) -> bytes:
    return b"".join(path.read_bytes() for path in directory.path.rglob("*") if path.is_file())


def test_the_copy_reads_and_names_nobody(run: RunDirectory, tmp_path: Path) -> None:
    evidence = [Evidence(fact="the file of alice", value="/data/home/alice/data.csv", source="x")]
    death = handmade.finding(evidence=evidence, message=f"{SECRET} on {socket.gethostname()}")
    report = handmade.report(death=death, cause=death, findings=[death])
    exported = export(run, report, tmp_path / "copy.tar.gz")
    copy = unpacked(exported.path, tmp_path / "unpacked")

    text = whole_text(copy)
    for private in (b"alice", SECRET.encode(), b"hunter2", b"private data"):
        assert private not in text
    recording = load(copy)
    assert recording.started is not None
    assert recording.started.cwd == "<home>"
    assert recording.started.labels == {"who": "<user>"}
    assert recording.started.run_id == copy.id
    assert recording.ended is not None
    assert recording.output == ""
    assert recording.faults == [] or recording.faults[0].pid == 77
    assert from_json(copy.report.read_bytes()).outcome == "died"
    assert b"What was left out" in (copy.path / "README.txt").read_bytes()
    assert any("what the program printed" in line for line in exported.omitted)
    assert sorted(path.name for path in copy.path.iterdir()) == [
        "README.txt",
        "faults",
        "report.json",
        "sources",
        "streams",
    ]
    found = decode((copy.sources / "0123456789abcdef.py").read_bytes())
    assert found is not None
    assert found[0].file == "<home>/train.py"
    lines = [f"key = '{'*' * len(SECRET)}'", "open('<home>/data.csv')", "# caf\xe9 of <user>", ""]
    assert found[1].decode("latin-1").split("\n") == lines


def test_the_output_is_added_on_request_and_redacted(run: RunDirectory, tmp_path: Path) -> None:
    exported = export(run, handmade.report(), tmp_path / "copy.tar.gz", with_output=True)
    copy = unpacked(exported.path, tmp_path / "unpacked")
    assert load(copy).output == "password=<redacted> for <user>\n"


def test_a_damaged_recording_is_copied_as_far_as_it_reads(run: RunDirectory, tmp_path: Path) -> None:
    for path in run.streams.iterdir():
        path.write_bytes(path.read_bytes()[:300])
    export(run, handmade.report(), tmp_path / "copy.tar.gz")


def test_no_file_is_ever_replaced(run: RunDirectory, tmp_path: Path) -> None:
    target = tmp_path / "copy.tar.gz"
    target.write_text("mine")
    with pytest.raises(UsageError, match="is not replaced"):
        export(run, handmade.report(), target)
    assert target.read_text() == "mine"
    with pytest.raises(NoRoom):
        export(run, handmade.report(), tmp_path / "no" / "such" / "copy.tar.gz")
