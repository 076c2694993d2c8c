from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.stored import stored_run
from whydied import wire
from whydied.read.reader import read_streams
from whydied.read.tail import Tail
from whydied.records import KernelLogged, OutputWritten, Record
from whydied.stream import LARGEST_RECORD_BYTES, Stream


def lines(tail: Tail) -> list[str]:
    return [heard.record.line for heard in tail.fresh() if isinstance(heard.record, KernelLogged)]


def test_each_record_is_given_once(tmp_path: Path) -> None:
    stream, tail = Stream(tmp_path, "supervisor"), Tail(tmp_path)
    assert tail.fresh() == []
    for number in range(5):
        stream.write(KernelLogged(line=f"{number}"))
        assert lines(tail) == [f"{number}"]
        assert tail.fresh() == []
    assert {heard.pid for heard in Tail(tmp_path).fresh()} == {os.getpid()}


def test_streams_and_lanes_come_in_the_order_of_time(tmp_path: Path) -> None:
    one, two = Stream(tmp_path, "supervisor"), Stream(tmp_path, "process-1-0")
    for number in range(10):
        (one, two)[number % 2].write(KernelLogged(line=f"{number}"))
        one.write(OutputWritten(channel="stderr", data=b"x"))
    found = Tail(tmp_path).fresh()
    assert [heard.record.line for heard in found if isinstance(heard.record, KernelLogged)] == [
        f"{number}" for number in range(10)
    ]
    assert [heard.at_ns for heard in found] == sorted(heard.at_ns for heard in found)


def test_it_goes_on_over_rotation_and_passes_over_what_was_dropped(tmp_path: Path) -> None:
    stream, tail = Stream(tmp_path, "s", segment_bytes=2048, keep_first=1, keep_last=3), Tail(tmp_path)
    chance = random.Random(7)
    written: list[str] = []
    seen: list[str] = []
    for number in range(600):
        written.append(f"{number} {'x' * chance.randrange(60)}")
        stream.write(KernelLogged(line=written[-1]))
        if number < 300 and chance.random() < 0.3:
            seen += lines(tail)
    assert seen == written[: len(seen)]
    assert len(seen) > 250
    # From here on nobody looked while segments were removed.
    late = lines(tail)
    assert late == written[-len(late) :]
    assert 0 < len(late) < len(written) - len(seen)


def test_a_record_that_is_being_copied_is_read_when_it_is_whole(tmp_path: Path) -> None:
    frames = [wire.frame(at, at, KernelLogged(line=f"{at}")) for at in range(3)]
    data = wire.header(0, 7, 0) + b"".join(frames)
    path = tmp_path / "supervisor.key.000000.rec"
    tail, seen = Tail(tmp_path), []
    for end in range(len(data) + 1):
        path.write_bytes(data[:end].ljust(len(data) + 64, b"\0"))
        seen += lines(tail)
    assert seen == ["0", "1", "2"]


def test_a_torn_record_does_not_keep_the_next_segment_away(tmp_path: Path) -> None:
    torn = bytearray(wire.frame(1, 1, KernelLogged(line="torn")))
    torn[-1] ^= 1
    first = wire.header(0, 7, 0) + wire.frame(0, 0, KernelLogged(line="first")) + bytes(torn)
    (tmp_path / "s.key.000000.rec").write_bytes(first.ljust(4096, b"\0"))
    tail = Tail(tmp_path)
    assert lines(tail) == ["first"]
    assert lines(tail) == []
    last = wire.header(1, 7, 0) + wire.frame(2, 2, KernelLogged(line="last"))
    (tmp_path / "s.key.000001.rec").write_bytes(last.ljust(4096, b"\0"))
    assert lines(tail) == ["last"]


@pytest.mark.parametrize("data", [b"", b"x" * 40, b"NOTOURS\0" * 20, b"\0" * 200])
def test_what_is_no_recording_is_passed_over(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "s.key.000000.rec").write_bytes(data)
    (tmp_path / "notes.txt").write_text("not a segment")
    assert Tail(tmp_path).fresh() == []
    assert Tail(tmp_path / "nowhere").fresh() == []


def test_it_gives_what_a_whole_reading_gives(tmp_path: Path) -> None:
    run = stored_run(tmp_path, "numerics/accumulates_for_ever")
    tailed: dict[str, list[Record]] = {}
    for heard in Tail(run.streams).fresh():
        tailed.setdefault(heard.stream, []).append(heard.record)
    for stream in read_streams(run.streams):
        assert tailed[stream.name] == [entry.record for entry in stream.entries], stream.name


def test_a_long_recording_is_not_read_again(tmp_path: Path) -> None:
    """A look costs what is new, in bytes, and not what there is."""
    stream = Stream(tmp_path, "supervisor")
    while len(list(tmp_path.iterdir())) < 14:
        stream.write(OutputWritten(channel="stderr", data=b"x" * 4000))
    tail = Tail(tmp_path)
    tail.fresh()
    whole = tail.bytes_read
    assert whole > 2 << 20
    for _ in range(10):
        stream.write(OutputWritten(channel="stderr", data=b"y"))
        before = tail.bytes_read
        assert len(tail.fresh()) == 1
        assert tail.bytes_read - before < 2 * LARGEST_RECORD_BYTES
        before = tail.bytes_read
        assert tail.fresh() == []
        assert tail.bytes_read - before < 64
