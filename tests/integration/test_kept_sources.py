"""The recording holds the files that ran: whatever happens to them meanwhile and afterwards, that is what is quoted."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

from tests import child, session
from tests.integration.cell_kernel import Kernel, until
from tests.session import whydied_run

from whydied.places import RunDirectory, list_runs
from whydied.read.recording import Recording, load
from whydied.records import ExceptionRaised, InternalError, RecorderLimited, SourceKept

Call = Callable[..., subprocess.CompletedProcess[bytes]]

HELPER = """
def fail(n):
    values = [1, 2]
    return values[
        n
    ]
"""


def _only(runs: Path) -> RunDirectory:
    (run,) = list_runs(runs)
    return run


def _made_anew(run: RunDirectory) -> Recording:
    """As another whydied reads it, who has no report yet."""
    run.report.unlink(missing_ok=True)
    return load(run)


def test_a_report_of_a_deleted_program_quotes_it(whydied: Call, runs: Path, tmp_path: Path) -> None:
    child.write(tmp_path / "place", HELPER, "helper.py")
    train = child.write(tmp_path / "place", "import helper\napi_key = 'abcd1234'\nhelper.fail(3)", "train.py")
    whydied("run", "--quiet", train, cwd=tmp_path / "place")
    shutil.rmtree(tmp_path / "place")
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "helper.py").write_text("\n" * 3 + "def another(): pass\n")
    for _ in range(2):
        shown = whydied("show").stdout.decode()
        assert "> 3 |     return values[" in shown
        assert "  2 |     values = [1, 2]" in shown
        assert "another" not in shown
        _only(runs).report.unlink()
    texts = [path.read_text() for path in _only(runs).sources.iterdir()]
    assert any("api_key = '********'\nhelper.fail(3)" in text for text in texts)
    assert not any("abcd1234" in text for text in texts)


def test_what_is_edited_while_it_runs_is_quoted_as_it_was_loaded(runs: Path, tmp_path: Path) -> None:
    """Python itself reads the file again for the traceback, and finds another program."""
    child.write(tmp_path, HELPER, "helper.py")
    train = child.write(tmp_path, "import helper\nprint('go', flush=True)\ninput()\nhelper.fail(3)", "train.py")
    command = whydied_run(runs, train)
    process = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=-1)
    try:
        session.read_line(process)
        sources = _only(runs).sources
        session.wait_until(lambda: sources.is_dir() and len(list(sources.glob("*.py"))) == 2, "both copies")
        for name in ("train.py", "helper.py"):
            (tmp_path / name).write_text("# edited\n" * 20)
        process.communicate(b"\n", timeout=session.PATIENCE_S)
    finally:
        process.kill()
        process.communicate()
    report = json.loads(_only(runs).report.read_bytes())
    assert report["cause"]["location"]["line"] == 3
    assert report["cause"]["location"]["end_line"] == 5
    assert report["cause"]["location"]["source"].startswith("return values[")
    assert report["notes"] == []
    raised = next(one for one in session.records(runs, ExceptionRaised) if isinstance(one, ExceptionRaised))
    assert [frame.source.split("\n")[0].strip() for frame in raised.chain[0].frames] == [
        "helper.fail(3)",
        "return values[",
    ]


def test_a_program_that_is_killed_in_its_first_moment_is_kept_by_the_parent(runs: Path, tmp_path: Path) -> None:
    """And so is one that no recorder is inside of."""
    for number, flags in enumerate(([], ["--", "python3", "-I"])):
        program = child.write(tmp_path, "import ctypes\nctypes.string_at(0)", f"crash{number}.py")
        place = runs / str(number)
        subprocess.run(whydied_run(place, *flags, program), cwd=tmp_path, capture_output=True, check=False)
        program.write_text("# edited\n")
        program_sources = _made_anew(_only(place)).sources
        if program_sources:
            assert program_sources[str(program)].lines[1] == "ctypes.string_at(0)"
        else:
            # Another Python may leave no traceback at all.
            assert flags


def test_killed_at_any_time(runs: Path, tmp_path: Path) -> None:
    program = child.write(tmp_path, "import os, time\ntime.sleep(0.5)\nos.kill(os.getpid(), 9)")
    subprocess.run(whydied_run(runs, program), cwd=tmp_path, capture_output=True, check=False)
    program.unlink()
    assert _made_anew(_only(runs)).sources[str(program)].lines[2] == "os.kill(os.getpid(), 9)"


def test_processes_share_copies_and_name_their_own(tmp_path: Path) -> None:
    child.write(tmp_path, HELPER, "helper.py")
    path = child.write(
        tmp_path,
        """
        import multiprocessing, os, sys
        import helper
        if __name__ == "__main__":
            for kind in ("fork", "spawn", "spawn"):
                worker = multiprocessing.get_context(kind).Process(target=helper.fail, args=(3,))
                worker.start()
                worker.join()
            os.utime("helper.py", (1, 1))
            worker = multiprocessing.get_context("spawn").Process(target=helper.fail, args=(3,))
            worker.start()
            worker.join()
        """,
    )
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    names = sorted(os.listdir(tmp_path / "run" / "sources"))
    assert len(names) == 3
    kept = [(pid, one) for pid, one in recorded.entries() if isinstance(one, SourceKept)]
    of_helper: dict[int, str] = {pid: one.copy for pid, one in kept if one.file.endswith("helper.py")}
    # The fork may have its parent's; of the others the last one loaded a version of its own.
    assert len(of_helper) >= 4
    assert len(set(of_helper.values())) == 2
    assert recorded.all(InternalError) == []


def test_a_module_that_is_loaded_again_is_kept_again(tmp_path: Path) -> None:
    child.write(tmp_path, "VALUE = 1", "settings.py")
    path = child.write(
        tmp_path,
        """
        import importlib, time
        import settings
        time.sleep(0.3)
        open("settings.py", "w").write("import os\\n\\nVALUE = [\\n    1,\\n    os.environ['NOT SET'],\\n]\\n")
        time.sleep(1.3)
        importlib.reload(settings)
        """,
    )
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    kept = [one for one in recorded.all(SourceKept) if one.file.endswith("settings.py")]
    assert [one.edited for one in kept] == [False, False]
    last = (tmp_path / "run" / "sources" / kept[-1].copy).read_text()
    assert "NOT SET" in last
    frame = recorded.one(ExceptionRaised).chain[0].frames
    assert any(one.file.endswith("settings.py") and (one.line, one.end_line) == (3, 6) for one in frame)


def test_an_edit_before_we_looked_is_told(whydied: Call, runs: Path, tmp_path: Path) -> None:
    """Of a file that is run without being imported, nobody knows when it was read."""
    child.write(tmp_path, "raise ValueError(1)", "part.py")
    program = child.write(
        tmp_path,
        """
        import os
        code = compile(open("part.py").read(), os.path.abspath("part.py"), "exec")
        open("part.py", "w").write("raise ValueError(2)")
        exec(code)
        """,
    )
    whydied("run", "--quiet", program)
    report = json.loads(_only(runs).report.read_bytes())
    assert any("part.py was changed after the program began" in note for note in report["notes"])


def test_a_file_that_is_too_large_is_told_and_read_from_the_disk(whydied: Call, runs: Path, tmp_path: Path) -> None:
    program = child.write(tmp_path, "x = 1\n" + "# generated\n" * 30_000 + "raise ValueError(x)")
    whydied("run", "--quiet", program)
    report = json.loads(_only(runs).report.read_bytes())
    assert report["cause"]["location"]["source"] == "raise ValueError(x)"
    assert any("256 KiB" in note for note in report["notes"])
    assert [one for one in session.records(runs, RecorderLimited) if isinstance(one, RecorderLimited)]


def test_an_exported_run_brings_its_program(whydied: Call, runs: Path, tmp_path: Path) -> None:
    child.write(tmp_path / "place", HELPER, "helper.py")
    train = child.write(tmp_path / "place", "import helper\nkey = 'sk-abcdefgh12345678'\nhelper.fail(3)", "train.py")
    whydied("run", "--quiet", train)
    run = _only(runs)
    assert whydied("export", run.id, "-o", "copy.tar.gz").returncode == 0
    with tarfile.open(tmp_path / "copy.tar.gz") as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    shutil.rmtree(tmp_path / "place")
    copy = RunDirectory(tmp_path / "unpacked" / run.id)
    assert "sk-abcdefgh" not in "".join(path.read_text() for path in copy.sources.iterdir())
    copy.report.unlink()
    shown = whydied("show", copy.path).stdout.decode()
    assert "> 3 |     return values[" in shown
    assert whydied("export", run.id, "-o", "without.tar.gz", "--without-sources").returncode == 0
    with tarfile.open(tmp_path / "without.tar.gz") as archive:
        assert not [name for name in archive.getnames() if "/sources/" in name]


def test_a_script_that_a_notebook_runs_again_is_kept_again(tmp_path: Path) -> None:
    script = child.write(tmp_path, "import time\ntime.sleep(0.3)\nx = 1", "part.py")
    kernel = Kernel(tmp_path)
    try:
        kernel.cell("%run part.py")
        script.write_text("import time\n\n\ntime.sleep(0.3)\n1 / 0\n")
        kernel.cell("%run part.py")
        until(lambda: len(kernel.all(ExceptionRaised)) == 1, "the exception")
        kept = [one for one in kernel.all(SourceKept) if one.file == str(script)]
        lines = kernel.recording().sources[str(script)].lines
        errors = kernel.all(InternalError)
    finally:
        kernel.close()
    assert [one.edited for one in kept] == [False, False]
    assert lines[4] == "1 / 0"
    assert errors == []


def test_a_place_that_cannot_be_written_costs_the_copies_only(tmp_path: Path) -> None:
    path = child.write(tmp_path, "import os\nopen(os.environ['WHYDIED_RUN'] + '/sources', 'w').close()\n1 / 0")
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.one(ExceptionRaised).chain[0].type == "ZeroDivisionError"
    assert recorded.all(InternalError) == []


def test_after_the_death_of_the_supervisor(runs: Path, tmp_path: Path) -> None:
    """What the machine says of it is kept too, so that another report can be made elsewhere."""
    program = child.write(tmp_path, "import time\nprint('go', flush=True)\ntime.sleep(60)")
    with session.started(whydied_run(runs, program), tmp_path) as process:
        session.read_line(process)
        sources = _only(runs).sources
        session.wait_until(lambda: sources.is_dir() and list(sources.glob("*.py")), "the copy")
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    program.unlink()
    run = _only(runs)
    shown = subprocess.run(
        [*whydied_run(runs)[:3], "show", "--runs", runs, "--json"], capture_output=True, check=True
    ).stdout
    assert "time.sleep(60)" in json.dumps(json.loads(shown))
    assert run.aftermath.exists()
    first = json.loads(shown)
    run.report.unlink()
    again = subprocess.run(
        [*whydied_run(runs)[:3], "show", "--runs", runs, "--json"], capture_output=True, check=True
    ).stdout
    assert json.loads(again) == first
