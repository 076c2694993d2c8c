"""A program in the sandbox takes too much, or does not end: disk, processes, memory and time are bounded."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import sandboxes
from tests.sandboxes import Place, both

from whydied.linux import cgroup
from whydied.prove import sandbox
from whydied.prove.sandbox.wanted import Name


@pytest.fixture
def place(tmp_path: Path, name: Name, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    place = sandboxes.place(tmp_path, name)
    monkeypatch.setenv("TREE", str(place.tree))
    yield place
    assert place.is_unchanged()


@both
def test_a_file_that_is_too_large_cannot_be_written(place: Place) -> None:
    ended = place.run("open(__import__('tempfile').mktemp(), 'wb').write(bytes(30 << 20))", scratch_bytes=20 << 20)
    assert ended.status == 1, ended
    assert "File too large" in ended.stderr


@both
def test_a_program_that_writes_too_much_is_ended(place: Place) -> None:
    ended = place.run(
        """
        import tempfile, time
        for _ in range(30):
            with tempfile.NamedTemporaryFile(delete=False) as file:
                file.write(bytes(1 << 20))
        time.sleep(60)
        """,
        scratch_bytes=20 << 20,
    )
    assert ended.status == 125, ended
    assert "; the sandbox allows 20.0 MiB" in ended.stderr


@both
def test_a_fork_bomb_is_bounded(place: Place) -> None:
    if os.geteuid() == 0 and not os.access((cgroup.group_for("pids") or cgroup.ControlGroup(0, "", "")).path, os.W_OK):
        pytest.skip("root needs a pids cgroup")
    ended = place.run(
        """
        import os, signal, time
        made = 0
        try:
            for made in range(500):
                if os.fork() == 0:
                    signal.pause()
        except OSError as error:
            print(made, error.errno)
        """,
        processes=60,
    )
    made, number = map(int, ended.stdout.split())
    assert made <= 60
    assert number == 11


@both
@pytest.mark.cgroup
@pytest.mark.skipif(os.geteuid() != 0, reason="a memory cgroup needs root")
def test_memory_is_bounded_whatever_the_program_does_with_its_cgroup(place: Place) -> None:
    """Root inside can raise the limit of the group that `whydied run` made, not the one around it."""
    ended = place.run(
        sandboxes.hostile("""
        with open("/proc/self/cgroup") as file:
            path = [line.strip().split(":", 2)[2] for line in file if ":memory:" in line][0]
        top = "/sys/fs/cgroup/memory" + path
        while top != "/sys/fs/cgroup":
            with tried, open(top + "/memory.limit_in_bytes", "w") as file: file.write("-1")
            with tried, open(top + "/cgroup.procs", "w") as file: file.write("0")
            top = os.path.dirname(top)
        kept = bytearray(os.urandom(1 << 20) * 400)
        """),
        memory_bytes=200 << 20,
    )
    assert ended.status == 137, ended


def _is_alive(mark: str) -> bool:
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark in Path(f"/proc/{name}/cmdline").read_text():
                return True
        except OSError:
            pass
    return False


_LINGERING = """
import os, subprocess, sys, time
mark = sys.argv[1]
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)", mark], start_new_session=True)
print("ready", flush=True)
time.sleep(float(sys.argv[2]))
"""


@both
def test_what_the_program_leaves_behind_ends_with_it(place: Place) -> None:
    ended = place.run(_LINGERING, "mark-of-a-daemon", "0")
    assert ended.stdout == "ready\n"
    assert not _is_alive("mark-of-a-daemon")


@both
@pytest.mark.parametrize("killed", ["guardian", "caller"])
def test_everything_ends_when_we_are_killed(place: Place, killed: str) -> None:
    mark = f"mark-of-{place.tree}"
    command = place.command(_LINGERING, mark, "100")
    if killed == "caller":
        command = [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])", *command]
    process = subprocess.Popen(command, cwd=place.tree, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    assert _is_alive(mark)
    process.kill()
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 20
    while _is_alive(mark) and time.monotonic() < deadline:
        if (place.mechanism.name, killed) == ("landlock", "guardian"):
            # Nobody is left who knows of the daemon.
            sandbox.clear(str(place.scratch))
        time.sleep(0.1)
    assert not _is_alive(mark)
    sandbox.clear(str(place.scratch))
    assert list(place.scratch.iterdir()) == []
