"""Two native crashes, told word for word."""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests import child, session

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or sys.platform != "linux", reason="the handler is for Linux on x86_64"
)

MAPPED = """
import mmap
import os

with open("features.bin", "wb+") as file:
    file.write(bytes(4 * mmap.PAGESIZE))
    file.flush()
    features = mmap.mmap(file.fileno(), 0)
os.truncate("features.bin", mmap.PAGESIZE)


def column(number):
    start = number * mmap.PAGESIZE
    return features[start : start + 8]


print(len(column(0)), flush=True)
print(len(column(2)), flush=True)
"""

KERNEL = """
int mean_of(const int *values, int groups) {
    int sum = 0;
    for (int n = 0; n < 8; n++) sum += values[n];
    return sum / groups;
}
"""

DIVIDING = """
import ctypes

statistics = ctypes.CDLL("./libstatistics.so")
values = (ctypes.c_int * 8)(*range(8))


def summary(groups):
    return statistics.mean_of(values, groups)


print(summary(2), flush=True)
print(summary(0), flush=True)
"""


def told(tmp_path: Path, program: str) -> tuple[dict[str, object], list[str]]:
    """The death of a run as JSON, and the report as it is printed, without what differs from run to run."""
    path = child.write(tmp_path, program, "train.py")
    report = tmp_path / "report.json"
    words = [*session.whydied_run(tmp_path / "runs", "--json", report, path)]
    words.remove("--quiet")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    text = re.sub(r"process \d+", "process N", done.stderr.replace(str(tmp_path), "DIR"))
    found = json.loads(report.read_text())
    assert found["internal_errors"] == []
    return found["death"], [line.rstrip() for line in text.splitlines()]


def facts(death: dict[str, object]) -> dict[str, str]:
    evidence = death["evidence"]
    assert isinstance(evidence, list)
    return {one["fact"]: str(one["value"]) for one in evidence}


def test_a_mapped_file_that_became_shorter(tmp_path: Path) -> None:
    death, lines = told(tmp_path, MAPPED)
    file = tmp_path / "features.bin"
    assert death["message"] == (
        f"train.py:13: train.py read byte 8,192 of {file}, which it had mapped, but the file has only 4.00 KiB "
        "(SIGBUS): it was truncated while it was mapped"
    )
    assert (death["code"], death["name"], death["certainty"]) == ("PRC007", "bus-error", "certain")
    assert death["culprit"]["name"] == "features.bin"  # type: ignore[index]
    assert death["advice"] == [
        "Do not truncate or rewrite a file that is mapped: write a new one and rename it, then map that."
    ]
    seen = facts(death)
    assert seen["ended by"] == "SIGBUS"
    assert seen["the mapped file"] == f"{file}, byte 8,192"
    assert seen["its size afterwards"] == "4.00 KiB"
    assert seen["the Python stack at the crash"] == f"{tmp_path / 'train.py'}:13 in column"
    first = next(number for number, line in enumerate(lines) if line.startswith("train.py crashed"))
    assert re.fullmatch(r"train\.py crashed in native code: bus error \(SIGBUS\) after .*\.", lines[first])
    joined = " ".join(line.strip() for line in lines[first + 1 : first + 5])
    assert joined.startswith(
        "At line 13: train.py read byte 8,192 of DIR/features.bin, which it had mapped, but the file"
    )
    assert "            > 13 |     return features[start : start + 8]" in lines


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a compiler")
def test_a_division_by_zero_in_a_library(tmp_path: Path) -> None:
    (tmp_path / "statistics.c").write_text(KERNEL)
    made = tmp_path / "libstatistics.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", made, tmp_path / "statistics.c"], check=True, timeout=120)
    death, lines = told(tmp_path, DIVIDING)
    assert death["message"] == (
        "train.py:8: train.py divided an integer by zero in native code (SIGFPE): mean_of of libstatistics.so"
    )
    assert (death["code"], death["name"], death["certainty"]) == ("PRC014", "arithmetic-fault", "certain")
    assert death["culprit"]["name"] == "mean_of"  # type: ignore[index]
    assert death["advice"] == ["Check the integer arguments (sizes, strides, groups) on that line for zeros."]
    seen = facts(death)
    assert seen["ended by"] == "SIGFPE"
    assert seen["the Python stack at the crash"] == f"{tmp_path / 'train.py'}:8 in summary"
    assert seen["native frames"].startswith("mean_of of libstatistics.so <- ")
    first = next(number for number, line in enumerate(lines) if line.startswith("train.py crashed"))
    assert re.fullmatch(r"train\.py crashed in native code: arithmetic fault \(SIGFPE\) after .*\.", lines[first])
    assert "            > 8 |     return statistics.mean_of(values, groups)" in lines
