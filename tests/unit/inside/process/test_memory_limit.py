"""The room that is left, from trees of files: control groups of both versions, and none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from whydied.inside.process import process_memory
from whydied.inside.process.process_memory import ENV_LIMIT, MemoryLimit

MB = 1 << 20
MEMINFO = "MemTotal:       16384000 kB\nMemFree:         1000000 kB\nMemAvailable:    8192000 kB\n"


def _tree(root: Path, files: dict[str, str]) -> str:
    for name, text in {"proc/meminfo": MEMINFO, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return f"{root}/"


def _v1(limit: str, group: str = "job") -> dict[str, str]:
    top = "sys/fs/cgroup/memory"
    return {
        "proc/self/cgroup": f"5:cpu:/\n4:memory:/{group}\n",
        "proc/self/mountinfo": f"30 20 0:27 / /{top} rw - cgroup cgroup rw,memory\n",
        f"{top}/memory.limit_in_bytes": "9223372036854771712\n",
        f"{top}/job/memory.limit_in_bytes": f"{limit}\n",
        f"{top}/job/memory.usage_in_bytes": f"{600 * MB}\n",
        f"{top}/job/memory.stat": f"cache 5\ntotal_inactive_file {60 * MB}\ntotal_active_file {40 * MB}\n",
    }


def _v2(limit: str) -> dict[str, str]:
    top = "sys/fs/cgroup"
    return {
        "proc/self/cgroup": "0::/slice/job\n",
        "proc/self/mountinfo": f"30 20 0:27 / /{top} rw - cgroup2 cgroup2 rw\n",
        f"{top}/slice/memory.max": f"{limit}\n",
        f"{top}/slice/memory.current": f"{600 * MB}\n",
        f"{top}/slice/memory.stat": f"anon 1\ninactive_file {60 * MB}\nactive_file {40 * MB}\n",
        f"{top}/slice/job/memory.max": "max\n",
    }


@pytest.mark.parametrize("files", [_v1(str(1000 * MB)), _v2(str(1000 * MB))], ids=["v1", "v2"])
def test_cache_in_a_group_is_room(tmp_path: Path, files: dict[str, str]) -> None:
    assert MemoryLimit(_tree(tmp_path, files)).room_bytes(100 * MB) == 500 * MB


@pytest.mark.parametrize("files", [_v1("9223372036854771712"), _v2("max"), {}], ids=["v1", "v2", "none"])
def test_without_a_limit_the_machine_decides(tmp_path: Path, files: dict[str, str]) -> None:
    assert MemoryLimit(_tree(tmp_path, files)).room_bytes(100 * MB) == 8192000 * 1024


def test_the_limit_that_the_supervisor_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENV_LIMIT, str(300 * MB))
    limit = MemoryLimit(_tree(tmp_path, {}))
    assert limit.room_bytes(100 * MB) == 200 * MB
    assert limit.room_bytes(400 * MB) == 0


def test_a_mount_that_shows_a_part(tmp_path: Path) -> None:
    files = _v1(str(1000 * MB), group="docker/abc/job")
    files["proc/self/mountinfo"] = files["proc/self/mountinfo"].replace(" / /", " /docker/abc /")
    assert MemoryLimit(_tree(tmp_path, files)).room_bytes(0) == 500 * MB


def test_nothing_tells(tmp_path: Path) -> None:
    assert MemoryLimit(f"{tmp_path}/").room_bytes(1) is None


def test_this_machine() -> None:
    room = MemoryLimit().room_bytes(1 * MB)
    assert room is not None
    assert 0 < room < 1 << 50
    assert (process_memory.rss_bytes() or 0) > 1 * MB


def test_a_file_that_does_not_answer_stops_no_other_thread(tmp_path: Path) -> None:
    """As a directory on a network that is down: whoever reads it waits, the program goes on."""
    _tree(tmp_path, {})
    (tmp_path / "proc/meminfo").unlink()
    os.mkfifo(tmp_path / "proc/meminfo")
    program = """
import sys, threading
from whydied.inside.process.process_memory import MemoryLimit
found = []
thread = threading.Thread(target=lambda: found.append(MemoryLimit(sys.argv[1]).room_bytes(0)))
thread.start()
with open(sys.argv[1] + "proc/meminfo", "w") as stream:
    stream.write("MemAvailable:    1 kB\\n")
thread.join()
print(found)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, f"{tmp_path}/"], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.stdout, done.stderr) == ("[1024]\n", "")
