"""The writer of a stream: bounds, lanes, and what a kill leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from whydied.read.reader import read_streams
from whydied.records import EpochBegan, StepBegan, WarningIssued
from whydied.stream import FIRST_BYTES, LARGEST_RECORD_BYTES, SEGMENT_BYTES, Stream


def steps(directory: Path) -> list[int]:
    (found,) = read_streams(directory)
    return [entry.record.count for entry in found.entries if isinstance(entry.record, StepBegan)]


def test_records_come_back_in_order_over_both_lanes(tmp_path: Path) -> None:
    stream = Stream(tmp_path, "s")
    written = [StepBegan(unit="train", count=0), EpochBegan(call=1, epoch=0), StepBegan(unit="train", count=1)]
    for record in written:
        stream.write(record)
    (found,) = read_streams(tmp_path)
    assert [entry.record for entry in found.entries] == written
    assert [entry.number for entry in found.entries] == [0, 1, 2]
    assert (found.pid, found.missing, found.unknown, found.torn) == (os.getpid(), 0, 0, [])


def test_rotation_keeps_the_beginning_the_end_and_the_important(tmp_path: Path) -> None:
    stream = Stream(tmp_path, "s", segment_bytes=1024, keep_first=2, keep_last=3)
    for count in range(2000):
        if count == 1000:
            stream.write(EpochBegan(call=1, epoch=7))
        stream.write(StepBegan(unit="train", count=count))
    files = sorted(path.name for path in tmp_path.iterdir())
    assert len([name for name in files if ".log." in name]) == 5
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 6 * 1024
    kept = steps(tmp_path)
    assert (kept[0], kept[-1]) == (0, 1999)
    assert 1000 not in kept
    (found,) = read_streams(tmp_path)
    assert any(isinstance(entry.record, EpochBegan) for entry in found.entries)
    assert found.missing == 2001 - len(found.entries)


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = set(os.listdir("/proc/self/fd"))
    stream = Stream(tmp_path, "s")
    stream.write(StepBegan(unit="train", count=0))
    assert set(os.listdir("/proc/self/fd")) <= before


def test_a_record_larger_than_a_segment_gets_one_of_its_own(tmp_path: Path) -> None:
    stream = Stream(tmp_path, "s", segment_bytes=512)
    stream.write(StepBegan(unit="train", count=0))
    stream.write(WarningIssued(category="W", message="x" * 5000, file="f", line=1))
    stream.write(StepBegan(unit="train", count=1))
    assert steps(tmp_path) == [0, 1]


def test_a_record_above_the_bound_is_refused_and_harms_nothing(tmp_path: Path) -> None:
    stream = Stream(tmp_path, "s")
    with pytest.raises(ValueError, match="WarningIssued"):
        stream.write(WarningIssued(category="W", message="x" * LARGEST_RECORD_BYTES, file="f", line=1))
    stream.write(StepBegan(unit="train", count=0))
    assert steps(tmp_path) == [0]


def test_threads_share_a_stream(tmp_path: Path) -> None:
    stream = Stream(tmp_path, "s", segment_bytes=4096, keep_first=100)
    threads = [
        threading.Thread(target=lambda: [stream.write(StepBegan(unit="train", count=n)) for n in range(500)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(steps(tmp_path)) == sorted(list(range(500)) * 4)


def test_what_was_written_survives_sigkill(tmp_path: Path) -> None:
    code = """
import os, pathlib, signal, sys
from whydied.records import StepBegan
from whydied.stream import Stream
stream = Stream(pathlib.Path(sys.argv[1]), "s")
for count in range(100):
    stream.write(StepBegan(unit="train", count=count))
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert steps(tmp_path) == list(range(100))


def test_a_full_disk_is_an_error_and_not_a_bus_error(tmp_path: Path) -> None:
    """The file-size limit stands in for a full disk: space is reserved before it is mapped, so the writer is told."""
    code = """
import pathlib, resource, signal, sys
from whydied.records import StepBegan
from whydied.stream import Stream
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
stream = Stream(pathlib.Path(sys.argv[1]), "s")
try:
    stream.write(StepBegan(unit="train", count=0))
except OSError:
    print("refused", list(pathlib.Path(sys.argv[1]).iterdir()))
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=True, timeout=60)
    assert done.stdout == b"refused []\n"


def test_a_stream_of_few_records_takes_little_of_the_disk(tmp_path: Path) -> None:
    stream = Stream(tmp_path, "s")
    stream.write(StepBegan(unit="train", count=0))
    stream.write(EpochBegan(call=1, epoch=0))
    assert [path.stat().st_size for path in tmp_path.iterdir()] == [FIRST_BYTES, FIRST_BYTES]
    for count in range(1, 1000):
        stream.write(StepBegan(unit="train", count=count))
    assert sorted(path.stat().st_size for path in tmp_path.glob("*.log.*")) == [FIRST_BYTES, SEGMENT_BYTES]
    assert steps(tmp_path) == list(range(1000))
