"""A program runs as it would without whydied: the same output byte for byte, and the same exit status."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.layers import varied

from corpus import Case, load
from trial import Trial, run, run_plain

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"


def _comparable(case: Case) -> bool:
    """Programs that end by themselves, the same way each time; TensorFlow's log lines carry times and addresses."""
    expected = case.expected
    ends_alone = not (
        expected.timeout or expected.memory_limit or expected.signal_to == "supervisor" or expected.absent
    )
    hangs = "--stop-on-hang" in expected.options
    return ends_alone and not hangs and "tensorflow" not in expected.needs


def _without_chance(data: bytes, scratch: Path) -> bytes:
    """Output without what differs from run to run: the directory, process numbers, addresses, durations."""
    data = data.replace(bytes(scratch), b"SCRATCH")
    data = re.sub(rb"^ready \d+", b"ready PID", data, flags=re.MULTILINE)
    data = re.sub(rb"0x[0-9a-f]+|\btmp\w{8}\b|<Process\S* .*>|in \d+\.\d+s", b"X", data)
    return re.sub(rb"(?<=Process-)\d+|(?<=pid=)\d+", b"N", data)


CASES = [case for case in load(PROGRAMS) if _comparable(case)]


@pytest.mark.parametrize(
    "case", varied(CASES, *(case for case in CASES if case.expected.live)), ids=lambda case: case.name
)
def test_output_and_status_are_those_of_the_plain_run(case: Case, tmp_path: Path) -> None:
    if lacking := case.lacking():
        pytest.skip(f"needs {lacking}")
    sides: list[tuple[Trial, Path]] = []
    for name, attempt in (("plain", run_plain), ("recorded", run)):
        scratch = tmp_path / name
        scratch.mkdir()
        sides.append((attempt(case, scratch), scratch))
    (plain, plain_at), (recorded, recorded_at) = sides
    assert recorded.status == plain.status
    assert _without_chance(recorded.stdout, recorded_at) == _without_chance(plain.stdout, plain_at)
    assert _without_chance(recorded.stderr, recorded_at) == _without_chance(plain.stderr, plain_at)
