"""What a process with private files changes, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from whydied.linux import private_files

PROGRAM = """
import os, sys
from pathlib import Path
from whydied.linux.private_files import keep_private
from whydied.linux import sealing

place, other, scratch = map(Path, sys.argv[1:])
try:
    keep_private([str(place), str(place / "below")], str(scratch))
except OSError as error:
    print(error)
    sys.exit(77)
os.chdir(place)
sealing.seal(files=True)
(place / "kept").write_text("other")
Path("new").mkdir()
(place / "gone").unlink()
os.rename("below/moved", "new/moved")
print(sorted(os.listdir(place)), (place / "kept").read_text(), os.listdir("new"))
for deed in (lambda: (other / "kept").write_text("other"), lambda: os.system("true") and 1 / 0):
    try:
        deed()
        print("done")
    except (OSError, ZeroDivisionError) as error:
        print(type(error).__name__)
"""


def test_nothing_of_it_stays(tmp_path: Path) -> None:
    place, other, scratch = (tmp_path / name for name in ("place", "other", "scratch"))
    for folder in (place, place / "below", other, scratch):
        folder.mkdir()
    for file in (place / "kept", place / "gone", place / "below" / "moved", other / "kept"):
        file.write_text("whole")
    argv = [sys.executable, "-c", PROGRAM, str(place), str(other), str(scratch)]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    if ran.returncode == 77:
        pytest.skip(f"no mounts of its own for this user: {ran.stdout.strip()}")
    assert ran.stdout.splitlines() == [
        "['below', 'kept', 'new'] other ['moved']",
        "OSError",
        "ZeroDivisionError",
    ], ran.stderr
    assert {one.name: one.read_text() for one in place.rglob("*") if one.is_file()} == dict.fromkeys(
        ("kept", "gone", "moved"), "whole"
    )
    assert (other / "kept").read_text() == "whole"


def test_only_the_outermost_places_count(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "ab").mkdir()
    wanted = [str(inner), str(tmp_path / "a"), str(tmp_path / "ab"), "/", str(tmp_path / "missing")]
    assert list(private_files._outermost(wanted)) == [str(tmp_path / "a"), str(tmp_path / "ab")]
