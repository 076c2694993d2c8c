"""A Jupyter kernel that dies says why in the cell that was running; one that nobody saw die, in the next kernel's."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from tests import kernels, session
from tests.kernels import Kernel

from whydied.linux import cgroup
from whydied.places import list_runs
from whydied.records import LimitApplied
from whydied.report.finish import stored_report

SEGFAULTS = """
import ctypes
def read(address):
    return ctypes.string_at(address)
note = "<script>alert(1)</script>"
read(0)
"""
FORKS_AND_ABORTS = """
import os, time
if os.fork() == 0:
    time.sleep(300)
os.write(2, b"native: the last words\\n")
os.abort()
"""
GROWS = """
import time
kept = []
for _ in range(400):
    kept.append(bytearray(2_000_000))
    time.sleep(0.005)
"""


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def test_the_cell_says_why(runs: Path, workplace: Path) -> None:
    for name in ("json.py", "signal.py", "typing.py"):
        (workplace / name).write_text("raise ImportError('of the notebook, not of whydied')")
    with kernels.kernel(runs, workplace, env={"JPY_SESSION_NAME": str(workplace / "analysis.ipynb")}) as kernel:
        kernel.run("quiet = 1")
        text, page = _shown(kernel, SEGFAULTS, -signal.SIGSEGV)
        assert "segmentation fault (SIGSEGV)" in text
        assert "cell [2], line 4, in read" in text
        assert "> 4 |     return ctypes.string_at(address)" in text
        assert "whydied show " in text
        assert "segmentation fault" in page
        assert "<script" not in page

        kernel.restart()
        assert "display_data" not in kernel.run("'fresh'").kinds
        text, _ = _shown(kernel, "import os\nos._exit(3)", 3)
        assert "exit status 3" in text
        assert "> 2 | os._exit(3)" in text

        kernel.restart()
        text, _ = _shown(kernel, "import os\n\nos._exit(0)", 0)
        assert "called os._exit" in text

        kernel.restart()
        text, _ = _shown(kernel, FORKS_AND_ABORTS, -signal.SIGABRT)
        assert "SIGABRT" in text
        # Orders are no deaths: nobody is told of them.
        kernel.restart()
        request = kernel.client.execute("import time\ntime.sleep(60)")
        os.kill(kernel.supervisor_pid, signal.SIGTERM)
        assert "display_data" not in kernel.wait(request).kinds
        assert kernel.wait_for_death() == -signal.SIGTERM
    reports = [stored_report(run) for run in list_runs(runs)]
    codes = [report.death.name if report and report.death else None for report in reports]
    assert codes == ["segmentation-fault", "exited-early", "exited-early", "native-abort", None]
    assert not [error for report in reports if report for error in report.internal_errors]
    output = b"".join(record.data for record in session.records_of(list_runs(runs)[3]) if hasattr(record, "data"))
    assert b"native: the last words" in output


def _shown(kernel: Kernel, code: str, status: int) -> tuple[str, str]:
    """The report as text and as HTML, in the cell that killed the kernel, before the client sees the death."""
    cell = kernel.run(code)
    assert cell.kinds[-1] == "status"
    (data,) = cell.shown
    assert kernel.wait_for_death() == status
    return data["text/plain"], data["text/html"]


@pytest.mark.cgroup
def test_a_kernel_out_of_memory(runs: Path, workplace: Path) -> None:
    own = cgroup.own_group()
    if own is None:
        pytest.skip("no memory control group can be made here")
    with kernels.kernel(runs, workplace, "--memory-limit=260M") as kernel:
        text, _ = _shown(kernel, GROWS, -signal.SIGKILL)
    assert "out of memory" in text
    assert "cell [1], line " in text


@pytest.mark.cgroup
def test_a_kernel_that_was_killed_with_its_supervisor_is_told_by_the_next(runs: Path, workplace: Path) -> None:
    own = cgroup.own_group()
    if own is None:
        pytest.skip("no memory control group can be made here")
    with kernels.kernel(runs, workplace, "--memory-limit=260M") as kernel:
        pid = int(kernel.run("import os\nprint(os.getpid())").printed)
        os.kill(kernel.supervisor_pid, signal.SIGSTOP)
        kernel.client.execute(GROWS)
        session.wait_until(lambda: session.state_of(pid) in ("", "Z"), "the kernel's end")
        os.kill(kernel.supervisor_pid, signal.SIGKILL)
        kernel.wait_for_death()
        first = list_runs(runs)[0]
        kernel.restart()
        shown: list[dict[str, str]] = []
        session.wait_until(lambda: shown.extend(kernel.run("pass").shown) or shown, "the report")
        made = [record for record in session.records_of(first, LimitApplied) if isinstance(record, LimitApplied)]
        assert not os.path.exists(made[-1].path or "/"), "its control group, which nobody was left to remove"
        # A kernel that Jupyter kills on purpose is gone in the same way, and that is nobody's business.
        kernel.restart()
        assert kernel.run("1").shown == []
    left = {run.id for run in list_runs(runs)}
    session.wait_until(lambda: not any(f"whydied-{name}" in os.listdir(own.path) for name in left), "no control group")
    (data,) = shown
    assert "An earlier kernel of this notebook died" in data["text/plain"]
    assert "out of memory" in data["text/plain"]


def test_what_nobody_saw_is_shown_by_the_next_kernel_once(runs: Path, workplace: Path) -> None:
    env = {"JPY_SESSION_NAME": str(workplace / "analysis.ipynb")}
    with kernels.kernel(runs, workplace, env=env, transport="ipc") as kernel:
        pid = kernel.run("import os, time\nprint(os.getpid())").printed
        kernel.client.execute("def wait():\n    time.sleep(60)\nwait()")
        kernel.client.stop_channels()
        os.kill(int(pid), signal.SIGSEGV)
        assert kernel.wait_for_death() == -signal.SIGSEGV
        kernel.restart()
        first, second = kernel.run("print('first')"), kernel.run("print('second')")
        assert first.printed == "first\n"
        (data,) = first.shown
        assert "An earlier kernel of this notebook died" in data["text/plain"]
        assert "SIGSEGV" in data["text/html"]
        assert second.shown == []
    assert not [file for file in (runs / ".kernels").iterdir() if "report" in file.name]


def test_a_kernel_that_dies_at_its_start_is_told_as_such(
    runs: Path, workplace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    dies = ["--", "python3", "-c", "import sys; sys.exit('no module of mine')"]
    for _ in range(3):
        with kernels.kernel(runs, workplace, behind=dies) as kernel:
            assert kernel.wait_for_death() == 1
    told = capfd.readouterr().err
    assert told.count("The kernel died during startup, before it ran a cell.") == 3
    assert told.count("death number 3 within a minute") == 1
    assert "no module of mine" in told


def test_a_kernel_that_cannot_be_recorded_runs_all_the_same(tmp_path: Path, workplace: Path) -> None:
    (tmp_path / "file").write_text("")
    (workplace / "pyproject.toml").write_text('[tool.whydied]\nruns = "../file/runs"\n')
    with kernels.kernel(Path(""), workplace, env={"WHYDIED_RUNS": ""}) as kernel:
        pid = int(kernel.run("import os\nprint(os.getpid())").printed)
        assert pid == kernel.supervisor_pid, "the kernel itself, in the place of its supervisor"


def test_a_kernel_behind_a_script_says_why_too(runs: Path, workplace: Path) -> None:
    """The process that was started is a shell, which passes the status of the kernel on."""
    script = workplace / "wrapper.sh"
    script.write_text(f'export SEEN=1\n"{sys.executable}" -m ipykernel_launcher -f "$1"\n')
    with kernels.kernel(runs, workplace, behind=["--", "sh", str(script), "{connection_file}"]) as kernel:
        kernel.client.wait_for_ready(timeout=kernels.PATIENCE_S)
        text, _ = _shown(kernel, SEGFAULTS, 128 + signal.SIGSEGV)
    assert "cell [1], line 4, in read" in text


def test_another_program_than_ipykernel_is_told_by_its_end(runs: Path, workplace: Path) -> None:
    """A kernel of another language has no recorder inside."""
    dies = ["--", "sh", "-c", "kill -SEGV $$"]
    with kernels.kernel(runs, workplace, behind=dies) as kernel:
        assert kernel.wait_for_death() == -signal.SIGSEGV
    (run,) = list_runs(runs)
    report = stored_report(run)
    assert report is not None
    assert report.death is not None
    assert report.death.name == "segmentation-fault"
    assert sys.executable


EXECUTES = """
import json, os, sys
import nbclient, nbformat
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in json.loads(sys.argv[1])])
client = nbclient.NotebookClient(notebook, kernel_name="python3", timeout=90)
try:
    client.execute()
except nbclient.exceptions.DeadKernelError:
    print(json.dumps([cell.outputs for cell in notebook.cells]), flush=True)
    # nbclient waits for the dead at its exit.
    os._exit(0)
"""


@pytest.fixture
def every_kernel(runs: Path, workplace: Path) -> Iterator[dict[str, str]]:
    """The variables of a place where every kernel is a supervised one."""
    # The user's kernels come first, so that those of this environment are not touched.
    env = {**os.environ, **kernels.places_of(runs, workplace), "JUPYTER_PREFER_ENV_PATH": "0"}
    ordinary = workplace / "data" / "kernels" / "python3"
    shutil.copytree(KernelSpecManager().get_kernel_spec("python3").resource_dir, ordinary)
    assert str(ordinary).encode() in _call(workplace, env, "-m", "whydied", "kernel", "install", "--all")
    yield env
    assert b"restored python3" in _call(workplace, env, "-m", "whydied", "kernel", "uninstall", "python3")


def _call(workplace: Path, env: dict[str, str], *words: str, fails: bool = False) -> bytes:
    argv = [sys.executable, *words]
    done = subprocess.run(argv, cwd=workplace, env=env, stdout=subprocess.PIPE, timeout=180, check=False)
    assert bool(done.returncode) == fails
    return done.stdout


def test_a_notebook_that_is_executed_keeps_the_report(workplace: Path, every_kernel: dict[str, str]) -> None:
    """By nbclient, as nbconvert does: the cell has the report, the client its ordinary error. The notebook asks for the
    ordinary kernel."""
    pytest.importorskip("nbclient")
    said = _call(workplace, every_kernel, "-c", EXECUTES, json.dumps(["x = 1", SEGFAULTS, "x"]))
    _has_report(*json.loads(said))


def test_papermill_keeps_the_report_too(workplace: Path, every_kernel: dict[str, str]) -> None:
    pytest.importorskip("papermill")
    import nbformat

    cells = [nbformat.v4.new_code_cell(text) for text in ("x = 1", SEGFAULTS, "x")]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, workplace / "in.ipynb")
    _call(workplace, every_kernel, "-m", "papermill", "--no-progress-bar", "in.ipynb", "out.ipynb", fails=True)
    _has_report(*(cell.outputs for cell in nbformat.read(workplace / "out.ipynb", 4).cells))


def _has_report(first: list[Any], second: list[Any], third: list[Any]) -> None:
    (page,) = [output for output in second if output["output_type"] == "display_data"]
    assert "segmentation fault" in page["data"]["text/plain"]
    assert "cell [2], line 4" in page["data"]["text/html"]
    assert (first, third) == ([], [])


def test_a_kernel_with_encrypted_channels(runs: Path, workplace: Path) -> None:
    if not hasattr(KernelManager, "transport_encryption"):
        pytest.skip("this jupyter_client does not encrypt")
    with kernels.kernel(runs, workplace, transport_encryption="required") as kernel:
        secret = json.loads(Path(kernel.manager.connection_file).read_text())["curve_secretkey"].encode()
        text, _ = _shown(kernel, "import os\nos.write(2, open('connection.json', 'rb').read())\nos._exit(4)", 4)
    assert "exit status 4" in text
    assert not [file for file in runs.rglob("*") if file.is_file() and secret in file.read_bytes()]
