"""Runs one case of the corpus under `whydied run`, as a user would, and keeps what came of it.

Runs in the harness. Whatever happens, nothing that a trial started or mounted is left behind when it returns.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

import foreground
from corpus import Case

LONGEST_S = 120.0
ABSENT = Path(__file__).resolve().parent / "absent"
"""Modules that say that a package is not installed. Keras imports these where it finds them, a second of each start,
and few programs use them."""
_POLL_S = 0.02
_LOOK_S = 0.5

foreground.heed_signals()


class Trial(NamedTuple):
    """What a run gave. `report` is the JSON file, if there is one; `problem` is the harness's own."""

    status: int | None
    report: bytes | None
    stdout: bytes
    stderr: bytes
    wall_s: float
    problem: str | None = None


def run(
    case: Case, scratch: Path, *, longest_s: float = LONGEST_S, group: Path | None = None, trials: bool = True
) -> Trial:
    """Run a case in a fresh directory below `scratch`, which must exist. With a control group, whydied itself is inside
    of it, and the group's limit is the case's. Without `trials` the advice is not tried before the report."""
    work = scratch / "work"
    work.mkdir()
    report = scratch / "report.json"
    options = ["--quiet", "--runs", str(scratch / "runs"), "--json", str(report)]
    limit = None if group else case.expected.memory_limit
    for name, value in (("--memory-limit", limit), ("--timeout", case.expected.timeout)):
        options += [name, value] if value else []
    options += [*case.expected.options, *([] if trials else ["--no-trials"])]
    argv = [*_joining(group), sys.executable, "-m", "whydied", "run", *options, *target(case)]
    with small_disk(case.expected.small_disk, scratch) as disk:
        return _attend(case, argv, scratch, report, disk, longest_s)


def run_plain(case: Case, scratch: Path, *, longest_s: float = LONGEST_S, group: Path | None = None) -> Trial:
    """The same without whydied, for what must not differ. A death by signal N has the status 128 + N."""
    (scratch / "work").mkdir()
    words = target(case)
    argv = [*_joining(group), *(words[1:] if words[0] == "--" else [sys.executable, *words])]
    with small_disk(case.expected.small_disk, scratch) as disk:
        trial = _attend(case, argv, scratch, scratch / "no-report", disk, longest_s)
    died = trial.status is not None and trial.status < 0
    return trial._replace(status=128 - trial.status) if died and trial.status else trial


def _joining(group: Path | None) -> list[str]:
    """What puts a command into a control group."""
    return ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(group)] if group else []


def target(case: Case) -> list[str]:
    """The words after `whydied run [options]` that name the program."""
    if case.expected.command:
        words = {"program": str(case.program), "python": sys.executable}
        return ["--", *(word.format(**words) for word in case.expected.command), *case.expected.argv]
    if case.expected.module:
        return ["-m", case.expected.module, *case.expected.argv]
    return [case.program.name if case.expected.relative else str(case.program), *case.expected.argv]


def environment(case: Case, disk: Path | None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WHYDIED_")}
    paths = [path for path in kept.pop("PYTHONPATH", "").split(os.pathsep) if path and path != str(ABSENT)]
    if not _uses_absent(case):
        paths.append(str(ABSENT))
    if paths:
        kept["PYTHONPATH"] = os.pathsep.join(paths)
    # Byte code beside the programs would make the corpus dirty.
    kept |= {"PYTHON": sys.executable, "PYTHONDONTWRITEBYTECODE": "1"}
    # TensorFlow decides by the processor whether it uses oneDNN, whose kernels and allocator fail in other ways.
    kept.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
    return kept | ({"SMALL_DISK": str(disk)} if disk else {})


def _uses_absent(case: Case) -> bool:
    """Whether a program asks for one of the packages that are kept from the others, in words or in its source."""
    packages = [module.stem for module in ABSENT.glob("*.py")]
    home = case.program.parent if case.program.name in ("main.py", "__main__.py") else case.program
    files = [one for one in home.rglob("*") if one.suffix in (".py", ".ipynb")] if home.is_dir() else [home]
    text = "".join(one.read_text(errors="replace") for one in files if one.is_file())
    return any(package in text or package in case.expected.needs for package in packages)


def _attend(case: Case, argv: list[str], scratch: Path, report: Path, disk: Path | None, longest_s: float) -> Trial:
    # What a killed program leaves among the temporary files goes with it. The name is short: sockets lie there too.
    with tempfile.TemporaryDirectory(prefix="wd-", ignore_cleanup_errors=True) as temporary:
        return _watched(case, argv, scratch, report, environment(case, disk) | {"TMPDIR": temporary}, longest_s)


def _watched(
    case: Case, argv: list[str], scratch: Path, report: Path, environ: dict[str, str], longest_s: float
) -> Trial:
    in_place = case.expected.module or case.expected.relative
    out, err = scratch / "stdout", scratch / "stderr"
    began = time.monotonic()
    # Files, not pipes: a descendant that outlives the program must not keep the harness waiting.
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(
            argv,
            cwd=case.directory if in_place else scratch / "work",
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=environ,
            start_new_session=True,
        )
    seen: dict[int, psutil.Process] = {}
    try:
        problem = _wait(case, process, out, began + longest_s, seen)
    finally:
        end_tree(process, seen)
    wall_s = time.monotonic() - began
    data = report.read_bytes() if report.exists() else None
    return Trial(process.returncode, data, out.read_bytes(), err.read_bytes(), wall_s, problem)


def _wait(
    case: Case, process: subprocess.Popen[bytes], out: Path, deadline: float, seen: dict[int, psutil.Process]
) -> str | None:
    to_send, next_look = case.expected.signal, 0.0
    while process.poll() is None:
        if time.monotonic() > deadline:
            return f"did not end in time (the harness waits {LONGEST_S:.0f} s)"
        if (now := time.monotonic()) >= next_look:
            _remember(process.pid, seen)
            next_look = now + _LOOK_S
        if to_send and (pid := _announced(out, case.expected.signal_after)):
            target_pid = process.pid if case.expected.signal_to == "supervisor" else pid
            # The sampler inside looks every 50 ms: a program is not killed in its very first moment.
            time.sleep(case.expected.signal_delay)
            with contextlib.suppress(ProcessLookupError):
                os.kill(target_pid, signal.Signals[to_send])
            to_send = None
        time.sleep(_POLL_S)
    return f"ended before it printed {case.expected.signal_after!r}" if to_send else None


def _announced(out: Path, word: str) -> int | None:
    match = re.search(rf"^{re.escape(word)} (\d+)\s", out.read_text("utf-8", "replace"), re.MULTILINE)
    return int(match[1]) if match else None


def _remember(pid: int, seen: dict[int, psutil.Process]) -> None:
    with contextlib.suppress(psutil.Error):
        seen.update((child.pid, child) for child in psutil.Process(pid).children(recursive=True))


def end_tree(process: subprocess.Popen[bytes], seen: dict[int, psutil.Process]) -> None:
    """End what a trial started and is still there: the tree seen so far, and the rest of its session."""
    _remember(process.pid, seen)
    if process.poll() is None:
        process.kill()
    for child in psutil.process_iter():
        with contextlib.suppress(OSError):
            if os.getsid(child.pid) == process.pid:
                seen.setdefault(child.pid, child)
    # psutil compares start times, so a pid that was given to somebody else in the meantime is safe.
    for child in seen.values():
        with contextlib.suppress(psutil.Error):
            child.kill()
    process.wait()


@contextlib.contextmanager
def small_disk(size: str | None, scratch: Path) -> Iterator[Path | None]:
    """A tmpfs of a size, mounted below `scratch` for the time of the block."""
    if size is None:
        yield None
        return
    place = scratch / "small-disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
