"""What a dying program leaves in pipes of its own is kept; what a killed supervisor leaves is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests import session
from whydied.run.observe.last_words import LastWords

LAYS_A_PIPE = """
import os, sys, time
ours, theirs = os.pipe()
os.dup2(theirs, 2)
os.write(2, b"first ")
assert sys.stdin.readline() == "go\\n"
print(os.read(ours, 100).decode(), flush=True)
os.write(2, b"last")
print("ready", flush=True)
time.sleep(60)
"""


def test_the_last_words_are_kept_and_no_others(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", LAYS_A_PIPE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert program.stdin is not None
    assert program.stdout is not None
    with program:
        words = LastWords(program.pid)
        target = f"/proc/{program.pid}/fd/2"
        session.wait_until(lambda: os.readlink(target).startswith("pipe:"), "the program's own pipe")
        words.look()
        program.stdin.write(b"go\n")
        program.stdin.flush()
        assert program.stdout.readline() == b"first \n", "while it lives, the words are the program's own"
        assert program.stdout.readline() == b"ready\n"
        program.kill()
    assert words.take() == b"last"
    assert words.take() == b""


GUARDS = """
import subprocess, sys, time
from whydied.run.warden import Warden
warden = Warden()
group = subprocess.Popen(["sleep", "60"], start_new_session=True).pid
warden.guard(group)
print(group, warden.pid, flush=True)
if sys.stdin.readline() == "dismiss\\n":
    warden.dismiss()
    print("dismissed", flush=True)
time.sleep(60)
"""


def test_a_warden_ends_a_group_unless_it_was_dismissed() -> None:
    for order, ends in ((b"\n", True), (b"dismiss\n", False)):
        program = subprocess.Popen([sys.executable, "-c", GUARDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert program.stdin is not None
        assert program.stdout is not None
        with program:
            group, warden = map(int, program.stdout.readline().split())
            try:
                program.stdin.write(order)
                program.stdin.flush()
                if not ends:
                    assert program.stdout.readline() == b"dismissed\n"
                program.kill()
                session.wait_until(lambda pid=warden: session.state_of(pid) in ("", "Z"), "the warden's end")
                if ends:
                    session.wait_until(lambda pid=group: session.state_of(pid) in ("", "Z"), "the group's end")
                else:
                    assert session.state_of(group) not in ("", "Z")
            finally:
                if not ends:
                    os.kill(group, signal.SIGKILL)
