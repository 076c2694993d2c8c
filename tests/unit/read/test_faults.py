"""faulthandler's texts, made by the real one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from whydied.read.faults import parse, read_faults

CRASH = """
import ctypes, faulthandler, sys, threading, time
faulthandler.enable(open(sys.argv[1], "w"))
def inner():
    ctypes.string_at(0)
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
time.sleep(0.1)
inner()
"""


def test_a_crash_has_its_reason_and_the_current_thread(tmp_path: Path) -> None:
    script = tmp_path / "crash.py"
    script.write_text(CRASH)
    subprocess.run([sys.executable, str(script), str(tmp_path / "77.txt")], check=False, timeout=60)
    (tmp_path / "78.inside-failed.txt").write_text("no msgspec here\n")
    (tmp_path / "notes.txt").write_text("not ours")
    (fault,), refused = read_faults(tmp_path)
    assert (fault.pid, fault.reason) == (77, "Segmentation fault")
    assert len(fault.threads) == 2
    assert fault.current is not None
    mine = [frame for frame in fault.current.frames if frame.user]
    assert [(frame.function, frame.line) for frame in mine] == [("inner", 5), ("<module>", 8)]
    assert refused == {78: "no msgspec here"}


def test_a_dump_on_request_has_no_reason_and_each_is_told_apart(tmp_path: Path) -> None:
    code = "import faulthandler, sys\nfor _ in range(2):\n    faulthandler.dump_traceback(sys.stdout)\n"
    text = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    dumps = parse(1, text)
    assert [dump.reason for dump in dumps] == ["", ""]
    assert all(len(dump.threads) == 1 for dump in dumps)


def test_damaged_texts_never_raise() -> None:
    text = (
        'Fatal Python error: Bus error\n\nCurrent thread 0x00 (most recent call first):\n  File "a.py", line ??? in f'
    )
    for end in range(len(text) + 1):
        parse(1, text[:end])
