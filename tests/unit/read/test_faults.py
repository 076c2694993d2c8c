"""faulthandler's texts, made by the real one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from whydied.read.faults import parse, printed_faults, read_faults

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


NATIVE_THREAD = """
import ctypes, faulthandler, sys, threading, time
faulthandler.enable(open(sys.argv[1], "w"))
libc = ctypes.CDLL(None)
def wait():
    time.sleep(60)
threading.Thread(target=wait, daemon=True).start()
libc.pthread_create(ctypes.byref(ctypes.c_ulong()), None, libc.abort, None)
def main():
    time.sleep(60)
main()
"""


def test_a_thread_of_native_code_alone_is_none_of_those_listed(tmp_path: Path) -> None:
    script = tmp_path / "crash.py"
    script.write_text(NATIVE_THREAD)
    subprocess.run([sys.executable, str(script), str(tmp_path / "77.txt")], check=False, timeout=60)
    (fault,), _ = read_faults(tmp_path)
    assert fault.reason == "Aborted"
    assert fault.threads
    assert fault.current is None
    assert fault.main is not None
    assert fault.main.frames[-1].function == "<module>"


def test_of_more_threads_than_are_listed_none_is_the_main_one() -> None:
    text = 'Fatal Python error: Aborted\n\nThread 0x01 (most recent call first):\n  File "a.py", line 1 in f\n...\n'
    (fault,) = parse(1, text)
    assert fault.main is None
    (deep,) = parse(1, text.replace("\n...\n", "\n  ...\n"))
    assert deep.main is not None


def test_an_interpreter_that_gives_up_prints_its_dump() -> None:
    code = "import faulthandler, sys\ndef go():\n    faulthandler._fatal_error_c_thread()\ngo()\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    (fault,) = printed_faults(7, f"Epoch 1\nFatal Python error: Aborted\n{done.stderr}", "/home/ann")
    assert fault.reason.endswith("in new thread")
    assert fault.current is None
    assert fault.main is not None
    assert [frame.function for frame in fault.main.frames] == ["go", "<module>"]
    assert printed_faults(7, "no such words\n") == []


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
