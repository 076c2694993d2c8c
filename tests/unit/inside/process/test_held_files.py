"""Files that stay open: what the recorder reads again and again takes no descriptor that a program counts on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests import child
from whydied.inside.process import process_memory
from whydied.inside.process.held_files import HeldFile
from whydied.inside.process.process_memory import MemoryLimit
from whydied.records import LineSampled, SourceKept

NOTES_OPENINGS = """
    import os, sys, threading, time
    from whydied.inside.guest import standstill

    openings = []

    def note(event, arguments):
        if event == "open" and threading.get_ident() != threading.main_thread().ident:
            openings.append(standstill._looking.locked())

    sys.addaudithook(note)
"""


def _refuse(*_: Any) -> int:
    raise AssertionError("opened")


def test_nothing_is_opened_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    process_memory.begin()
    limit = MemoryLimit(keeps_open=True)
    monkeypatch.setattr(os, "open", _refuse)
    assert (process_memory.rss_bytes() or 0) > 1 << 20
    assert (process_memory.data_bytes() or 0) > 1 << 20
    assert (limit.room_bytes(0) or 0) > 1 << 20


def test_a_number_that_the_program_took_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ours").write_text("ours")
    (tmp_path / "theirs").write_text("theirs")
    held = HeldFile(str(tmp_path / "ours"))
    number = held.descriptor
    assert number > 2
    assert (held.read(), held.is_lost()) == (b"ours", False)
    os.close(number)
    assert (held.read(), held.is_lost()) == (None, True)
    theirs = os.open(tmp_path / "theirs", os.O_RDONLY)
    os.dup2(theirs, number)
    assert (held.read(), held.is_lost()) == (None, True)
    held.close()
    assert os.pread(number, 10, 0) == b"theirs"
    held.open()
    assert held.read() == b"ours"
    held.close()
    os.close(theirs)
    os.close(number)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    held = HeldFile(str(tmp_path / "none"))
    assert (held.read(), held.is_lost()) == (None, False)
    held.close()


def test_whatever_is_opened_the_main_thread_stands_still(tmp_path: Path) -> None:
    program = (
        NOTES_OPENINGS
        + """
    import helper

    # Until the sampler has kept the source that was just imported.
    kept = os.path.join(os.environ["RUN"], "sources")
    while not openings or not os.path.isdir(kept) or len(os.listdir(kept)) < 2:
        time.sleep(0.01)
    sys.exit(0 if all(openings) else 3)
"""
    )
    (tmp_path / "helper.py").write_text("VALUE = 1\n")
    recorded = child.inside(
        child.write(tmp_path, program), cwd=tmp_path, run=tmp_path / "run", env={"RUN": str(tmp_path / "run")}
    )
    assert recorded.ended.status == 0
    assert recorded.all(SourceKept)


def test_a_program_that_closes_all_descriptors_is_measured_on(tmp_path: Path) -> None:
    program = """
    import os, sys, time
    from whydied.inside.process import process_memory

    os.closerange(3, 4096)
    held = process_memory._statm
    while process_memory._statm is held:
        time.sleep(0.01)
    sys.exit(0 if process_memory.rss_bytes() and process_memory._statm.descriptor > 2 else 3)
"""
    recorded = child.inside(child.write(tmp_path, program), cwd=tmp_path, run=tmp_path / "run")
    assert recorded.ended.status == 0
    assert recorded.all(LineSampled)
