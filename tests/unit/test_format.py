"""The recording's format holds: old versions stay readable, and nothing that a file contains raises."""

from __future__ import annotations

import shutil
import struct
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.layers import varied
from whydied import records, wire
from whydied.places import RunDirectory
from whydied.read.reader import read_streams
from whydied.read.recording import load
from whydied.records import EpochBegan, MainFound, RunEnded
from whydied.report.finish import compose

DATA = Path(__file__).resolve().parent.parent / "data"
KEPT = ("version-1", "version-1-every-kind")
# No time is asserted: a busy machine must not fail a test.
patient = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])


class Kept(msgspec.Struct):
    """A record of a kept recording, as written in its records.json."""

    file: str
    number: int
    kind: str
    fields: dict[str, Any]


@pytest.mark.parametrize("name", KEPT)
def test_kept_recordings_stay_readable(name: str) -> None:
    kept = msgspec.json.decode((DATA / name / "records.json").read_bytes(), type=list[Kept])
    segments = {path.name: wire.read_segment(path.read_bytes()) for path in (DATA / name / "streams").glob("*.rec")}
    assert all(segment.torn is None and segment.unknown == 0 for segment in segments.values())
    read = {(file, entry.number): entry.record for file, segment in segments.items() for entry in segment.entries}
    assert read.keys() == {(record.file, record.number) for record in kept}
    for record in kept:
        found = read[record.file, record.number]
        assert type(found).__name__ == record.kind
        # Fields that a later version added stand at their defaults and are no difference.
        assert _with(msgspec.to_builtins(found), record.fields) == record.fields


def _with(found: Any, wanted: Any) -> Any:
    """What was found, without the fields that are not wanted."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        return {key: _with(found[key], value) for key, value in wanted.items() if key in found}
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        return [_with(one, other) for one, other in zip(found, wanted, strict=True)]
    return found


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_recording_gives_a_report(name: str, tmp_path: Path) -> None:
    run = _copy(name, tmp_path)
    report = compose(load(run))
    assert report.outcome
    assert report.cause or report.undetermined or report.outcome == "finished"


def test_the_comparison_with_kept_records_can_fail() -> None:
    assert _with({"line": 1, "added": 0}, {"line": 1}) == {"line": 1}
    assert _with({"line": 2}, {"line": 1}) != {"line": 1}
    assert _with({}, {"line": 1}) != {"line": 1}


def test_truncated_at_every_byte_reads_a_prefix() -> None:
    whole = _segment()
    entries = wire.read_segment(whole).entries
    assert len(entries) == 3
    for size in range(len(whole) + 1):
        cut = wire.read_segment(whole[:size])
        assert cut.entries == entries[: len(cut.entries)]


@pytest.mark.parametrize("step", varied([1, 13], 13))
@pytest.mark.parametrize("name", KEPT)
def test_a_recording_truncated_at_every_byte_never_raises(name: str, step: int, tmp_path: Path) -> None:
    """Each file in turn, cut at each of its bytes, or at some; the report of what is left is made too."""
    run = _copy(name, tmp_path)
    for path in sorted(run.streams.glob("*.rec")):
        data = path.read_bytes()
        before = b""
        for size in range(len(data), -1, -step):
            path.write_bytes(data[:size])
            read = wire.read_segment(data[:size])
            # Diagnosing again is only worth it where the cut took a record away.
            now = b"%d %d" % (len(read.entries), read.torn is None)
            if now != before:
                compose(load(run))
                before = now
        path.write_bytes(data)


def test_a_missing_segment_is_no_error(tmp_path: Path) -> None:
    run = _copy("version-1", tmp_path)
    for path in sorted(run.streams.glob("*.rec")):
        data = path.read_bytes()
        path.unlink()
        compose(load(run))
        path.write_bytes(data)


def test_foreign_files_are_passed_over(tmp_path: Path) -> None:
    run = _copy("version-1", tmp_path)
    count = len(read_streams(run.streams))
    (run.streams / "notes.txt").write_text("mine")
    (run.streams / "odd.key.000000.rec").write_bytes(b"not a recording at all" * 10)
    (run.streams / "directory.key.000000.rec").mkdir()
    streams = {stream.name: stream for stream in read_streams(run.streams)}
    assert len(streams) == count + 2
    assert streams["odd"].torn
    assert streams["directory"].torn
    compose(load(run))


@patient
@given(st.binary(max_size=2000))
def test_random_bytes_never_raise(data: bytes) -> None:
    wire.read_segment(data)


@patient
@given(st.binary(max_size=2000))
def test_random_bytes_after_a_header_never_raise(data: bytes) -> None:
    wire.read_segment(wire.header(0, 1, 2) + data)


@patient
@given(st.lists(st.binary(min_size=1, max_size=200), max_size=20))
def test_framed_rubbish_never_raises(bodies: list[bytes]) -> None:
    """The checksum holds and the content makes no sense: each such frame is counted and passed over."""
    read = wire.read_segment(wire.header(0, 1, 2) + b"".join(map(_framed, bodies)))
    assert read.torn is None
    assert len(read.entries) + read.unknown == len(bodies)


Plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@patient
@given(at_ns=Plain, number=Plain, kind=st.sampled_from(sorted(records.KINDS)) | Plain, fields=Plain)
def test_wrong_types_in_a_frame_never_raise(at_ns: Any, number: Any, kind: Any, fields: Any) -> None:
    body = msgspec.msgpack.encode((at_ns, number, kind, fields))
    wire.read_segment(wire.header(0, 1, 2) + _framed(body))


@patient
@given(st.data())
def test_flipped_bits_lose_records_and_never_invent_any(data: st.DataObject) -> None:
    whole = bytearray(_segment())
    honest = {(entry.number, entry.record) for entry in wire.read_segment(bytes(whole)).entries}
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(whole) - 1))
        whole[position] ^= 1 << data.draw(st.integers(0, 7))
    read = wire.read_segment(bytes(whole))
    assert {(entry.number, entry.record) for entry in read.entries} <= honest


@pytest.mark.parametrize("opening", [b"\x91", b"\x81\xa1a"], ids=["list", "map"])
def test_a_deeply_nested_frame_never_raises(opening: bytes) -> None:
    """A file from a stranger may nest as deep as it likes."""
    fields = b"\x82\xa4call\x01\xa9arguments\x81\xa1x" + opening * 20_000 + b"\xc0"
    body = b"\x94\x01\x02" + msgspec.msgpack.encode("CallBegan") + fields
    read = wire.read_segment(wire.header(0, 1, 2) + _framed(body) + wire.frame(3, 4, RunEnded()))
    assert [type(entry.record) for entry in read.entries] == [RunEnded]


def test_an_unknown_version_is_named() -> None:
    newer = bytearray(_segment())
    struct.pack_into("<H", newer, 8, wire.VERSION + 1)
    read = wire.read_segment(bytes(newer))
    assert read.entries == []
    assert read.torn is not None
    assert str(wire.VERSION + 1) in read.torn


def test_an_unknown_kind_is_counted() -> None:
    body = msgspec.msgpack.encode((1, 0, "MadeByALaterVersion", {"field": 1}))
    read = wire.read_segment(wire.header(0, 1, 2) + _framed(body) + wire.frame(2, 1, RunEnded()))
    assert read.unknown == 1
    assert len(read.entries) == 1


def _segment() -> bytes:
    facts = (MainFound(file="train.py"), EpochBegan(call=1, epoch=2), RunEnded())
    frames = b"".join(wire.frame(10 + number, number, fact) for number, fact in enumerate(facts))
    return wire.header(0, 1, 2) + frames + bytes(40)


def _framed(body: bytes) -> bytes:
    return wire.FRAME.pack(len(body), zlib.crc32(body)) + body


def _copy(name: str, tmp_path: Path) -> RunDirectory:
    run = RunDirectory(tmp_path / name)
    shutil.copytree(DATA / name, run.path)
    return run


def test_text_that_is_not_utf8_is_escaped_and_nothing_else_changes() -> None:
    output = records.OutputWritten(channel="\udcff", data=b"\xff\x00")
    image = records.ProgramStarted(pid=3, argv=["caf\udce9.py", "plain"])
    data = wire.header(0, 1, 2) + wire.frame(7, 3, output) + wire.frame(8, 4, image)
    assert wire.read_segment(data).entries == [
        wire.Entry(7, 3, records.OutputWritten(channel="\\udcff", data=b"\xff\x00")),
        wire.Entry(8, 4, records.ProgramStarted(pid=3, argv=["caf\\udce9.py", "plain"])),
    ]
