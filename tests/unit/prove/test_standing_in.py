"""Edited files in the place of the user's, for one process and what it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from whydied.prove import standing_in


@pytest.mark.skipif(not standing_in.is_possible(), reason="no mount namespace can be had here")
def test_only_that_process_and_its_children_see_them(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import subprocess, sys\nprint(1)\nif sys.argv[1:]: subprocess.run([sys.executable, __file__])\n")
    before = script.read_bytes(), script.stat().st_mtime_ns
    shown = standing_in.written(str(tmp_path / "shown"), {str(script): before[0].replace(b"(1)", b"(2)")})
    argv = [sys.executable, "-u", str(script), "again"]
    inside = subprocess.run(argv, preexec_fn=standing_in.showing(shown), capture_output=True, text=True)
    outside = subprocess.run(argv, capture_output=True, text=True)
    assert (inside.stdout, outside.stdout) == ("2\n2\n", "1\n1\n")
    assert (script.read_bytes(), script.stat().st_mtime_ns) == before


def test_no_compiled_file_is_taken_for_another_version(tmp_path: Path) -> None:
    """Python compares seconds and size; both edits are as long as the original."""
    module = tmp_path / "settings.py"
    module.write_text("BATCH = 64\n")
    times = {int(module.stat().st_mtime)}
    for number, text in enumerate((b"BATCH = 32\n", b"BATCH = 16\n")):
        shown = standing_in.written(str(tmp_path / str(number)), {str(module): text})[str(module)]
        times.add(int(os.stat(shown).st_mtime))
        assert os.stat(shown).st_size == module.stat().st_size
    assert len(times) == 3
