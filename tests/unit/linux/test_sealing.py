"""What a sealed process can still do, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from whydied.linux import sealing

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine not in ("x86_64", "aarch64"), reason="no filter of system calls here"
)

PROGRAM = """
import os, socket, subprocess, sys, threading
from pathlib import Path
from whydied.linux import sealing

kept, folder = Path(sys.argv[1]), Path(sys.argv[1]).parent
sealing.seal()
deeds = {
    "write": lambda: kept.write_text("other"),
    "append": lambda: open(kept, "a"),
    "make": lambda: (folder / "new").touch(),
    "folder": lambda: (folder / "sub").mkdir(),
    "remove": kept.unlink,
    "rename": lambda: kept.rename(folder / "moved"),
    "link": lambda: os.symlink(kept, folder / "link"),
    "shorten": lambda: os.truncate(kept, 0),
    "mode": lambda: kept.chmod(0),
    "process": lambda: subprocess.run(["true"]),
    "fork": os.fork,
    "signal": lambda: os.kill(os.getppid(), 0),
    "connect": lambda: socket.create_connection(("127.0.0.1", 9)),
}
for name, deed in deeds.items():
    try:
        deed()
        print("done", name)
    except PermissionError:
        pass
seen = []
thread = threading.Thread(target=lambda: seen.append(kept.read_text()))
thread.start()
thread.join()
print("read", seen)
"""


def test_a_sealed_process_computes_and_reads_and_no_more(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("whole")
    ran = subprocess.run([sys.executable, "-c", PROGRAM, str(kept)], capture_output=True, text=True, timeout=60)
    assert ran.stdout.split("\n")[:-1] == ["read ['whole']"], ran.stdout + ran.stderr
    assert kept.read_text() == "whole"
    assert [one.name for one in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_is_whole_instructions(machine: str) -> None:
    code = sealing.program(machine)
    assert len(code) % 8 == 0
    assert len(code) // 8 < 256
