"""`whydied doctor` as a person calls it, on real environments that are broken in real ways: interpreters of their own
with packages that were made for the test, real limits, a real tmpfs, and a driver that is a library built here.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import stand_in
from tests.stand_in import GIB, Driver, device
from tests.unit.doctor.site import add_distribution

from whydied.doctor import environment
from whydied.doctor.trial import attempt, trial_checks

WHYDIED = [sys.executable, "-m", "whydied"]
KERAS = "class keras:\n    class layers:\n        Dense = None\n\n"
KEPT = ("PATH", "PYTHONPATH")
Ask = Callable[..., tuple[int, dict[str, Any]]]


class Broken:
    """A virtual environment without pip, into which a test puts what it likes."""

    def __init__(self, root: Path) -> None:
        venv.EnvBuilder(symlinks=True, with_pip=False).create(root)
        self.python = root / "bin" / "python"
        self.site = next(root.glob("lib/python*/site-packages"))

    def add(self, name: str, version: str, requires: tuple[str, ...] = (), **fields: Any) -> None:
        add_distribution(self.site, name, version, requires, **fields)

    def add_tensorflow(self, body: str, **fields: Any) -> None:
        self.add("tensorflow", "2.21.0", files={"tensorflow/__init__.py": body}, **fields)


@pytest.fixture
def broken(tmp_path: Path) -> Broken:
    return Broken(tmp_path / "venv")


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """The exit status and the answers, by name."""

    def ask(*words: str | Path, prefix: tuple[str, ...] = (), **given: Any) -> tuple[int, dict[str, Any]]:
        variables = {name: os.environ[name] for name in KEPT if name in os.environ} | given.pop("variables", {})
        variables |= {"WHYDIED_RUNS": str(tmp_path / "runs"), "HOME": str(tmp_path)}
        done = subprocess.run(
            [*prefix, *WHYDIED, "doctor", "--json", *map(str, words)],
            capture_output=True,
            cwd=tmp_path,
            env=variables,
            timeout=240,
            check=False,
            **given,
        )
        assert done.stderr == b""
        told = json.loads(done.stdout)
        assert told["schema"] == 1
        assert told["internal_errors"] == []
        assert all(check["impact"] and check["fix"] for check in told["checks"] if check["status"] != "ok")
        return done.returncode, {**told, "checks": {check["name"]: check for check in told["checks"]}}

    return ask


def test_the_environment_of_the_tests_is_sound(ask: Ask) -> None:
    _, told = ask()
    areas = {"packages", "libraries", "processor"}
    assert [check for check in told["checks"].values() if check["area"] in areas and check["status"] != "ok"] == []
    assert told["python"]["executable"] == sys.executable
    assert told["import"] is None


def test_an_environment_with_nothing_wrong(ask: Ask, broken: Broken) -> None:
    broken.add("numpy", "2.1.0")
    broken.add_tensorflow("", requires=("numpy>=1.26.0",))
    status, told = ask("--python", broken.python)
    assert (status, told["ok"]) == (0, True)
    assert told["python"]["executable"] == str(broken.python)
    assert told["checks"]["tensorflow"]["found"] == "2.21.0 (tensorflow)"


def test_versions_that_do_not_fit(ask: Ask, broken: Broken) -> None:
    broken.add("numpy", "2.1.0")
    broken.add_tensorflow("", requires=("numpy<2.0.0,>=1.23.5",))
    status, told = ask("--python", broken.python.parent.parent)
    assert (status, told["ok"]) == (1, False)
    check = told["checks"]["numpy"] if told["checks"]["numpy"]["status"] != "ok" else {}
    assert check.get("found") == "2.1.0; tensorflow 2.21.0 requires <2.0.0,>=1.23.5"
    assert check["fix"] == f"{broken.python} -m pip install 'numpy<2.0.0,>=1.23.5'"


def test_looking_imports_nothing(ask: Ask, broken: Broken, tmp_path: Path) -> None:
    mark = tmp_path / "imported"
    broken.add_tensorflow(f"open({str(mark)!r}, 'w')\nimport os\nos.abort()\n")
    assert ask("--python", broken.python)[0] == 0
    assert not mark.exists()


@pytest.mark.parametrize(
    ("body", "signal", "words"),
    [
        ("import os\nos.abort()\n", "SIGABRT", "SIGABRT"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n", "SIGILL", "SIGILL"),
        ("import ctypes\nctypes.string_at(0)\n", "SIGSEGV", "SIGSEGV"),
        ("import numpy_that_is_not_there\n", None, "ModuleNotFoundError"),
        ("import sys\nsys.exit(3)\n", None, "3"),
    ],
)
def test_an_import_that_dies_is_explained(
    ask: Ask, broken: Broken, tmp_path: Path, body: str, signal: str | None, words: str
) -> None:
    broken.add_tensorflow(body)
    status, told = ask("--python", broken.python, "--import")
    check = told["checks"]["import tensorflow"]
    assert (status, check["status"]) == (1, "broken")
    assert told["import"]["signal"] == signal
    assert told["import"]["code"]
    assert told["import"]["stage"] == "import tensorflow"
    assert words in check["found"]
    assert not (tmp_path / "runs").exists(), "the trial must leave no run behind"


def test_an_import_that_comes_further_before_it_fails(ask: Ask, broken: Broken) -> None:
    broken.add_tensorflow(KERAS + "def constant(_):\n    raise OSError(5)\n")
    status, told = ask("--python", broken.python, "--import")
    assert (status, told["import"]["stage"]) == (1, "the first op")
    assert "OSError" in told["import"]["message"]


def test_an_import_that_works(ask: Ask, broken: Broken) -> None:
    broken.add_tensorflow(KERAS + "constant = float\n")
    status, told = ask("--python", broken.python, "--import")
    assert (status, told["import"]["ended"]) == (0, "finished")


@pytest.mark.parametrize("word", ["nowhere/python", "/etc", "/bin/false", "/bin/echo"])
def test_what_is_no_interpreter(tmp_path: Path, word: str) -> None:
    done = subprocess.run([*WHYDIED, "doctor", "--python", word], capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"whydied: ")
    assert b"Traceback" not in done.stderr


def test_a_failure_of_our_own_is_no_verdict(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from whydied.doctor import all_checks\n"
        "def fails(*_): raise RuntimeError('our own bug')\n"
        "all_checks.{what} = fails\n"
        "from whydied.cli import main\n"
        "sys.exit(main(['doctor', '--json']))\n"
    )
    for what in ("examine", "openmp_checks"):
        words = [sys.executable, "-c", code.replace("{what}", what)]
        done = subprocess.run(words, capture_output=True, cwd=tmp_path, check=False)
        assert done.returncode == 125, what
        assert b"our own bug" in done.stdout + done.stderr


def test_limits_of_the_shell(ask: Ask) -> None:
    def tighten() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
        resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))

    status, told = ask("--strict", preexec_fn=tighten)
    assert status == 1
    assert told["checks"]["open files"] | {"impact": ""} == {
        "area": "limits",
        "name": "open files",
        "status": "risk",
        "found": "limited to 256",
        "impact": "",
        "fix": "ulimit -n 4096",
    }
    assert told["checks"]["ulimits"]["found"] == "data 8.00 GiB"


def test_a_small_shared_memory(ask: Ask) -> None:
    mount = 'mount -t tmpfs -o size=64m none /dev/shm && exec "$@"'
    prefix = ("unshare", "--mount", "sh", "-c", mount, "sh")
    if (
        shutil.which("unshare") is None
        or subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("no mount namespace can be made here")
    _, told = ask(prefix=prefix)
    check = told["checks"]["/dev/shm"]
    assert (check["status"], check["found"]) == ("risk", "64.0 MiB, 64.0 MiB free")
    assert "SIGBUS" in check["impact"]


def test_a_gpu_that_somebody_holds(ask: Ask, broken: Broken, tmp_path: Path) -> None:
    pytest.importorskip("pynvml")
    driver = Driver(tmp_path / "says", stand_in.build(tmp_path))
    driver.say(device(used=12 * GIB), device(used=0))
    variables = {name: driver.environment[name] for name in ("LD_LIBRARY_PATH", "NVML_STAND_IN")}
    info = "import collections\nbuild_info = collections.OrderedDict([('is_cuda_build', False)])\n"
    broken.add(
        "tensorflow", "2.21.0", files={"tensorflow/__init__.py": "", "tensorflow/python/platform/build_info.py": info}
    )
    _, told = ask("--python", broken.python, variables=variables)
    assert "driver 550.54.14 (CUDA 12.4)" in told["checks"]["GPU 0"]["found"]
    assert told["checks"]["GPU 0 memory"]["found"].startswith("12.0 GiB of 16.0 GiB is in use")
    assert told["checks"]["GPU 0 memory"]["fix"].startswith("export CUDA_VISIBLE_DEVICES=1")
    assert told["checks"]["CUDA"]["status"] == "risk"


def test_a_screen_reader_gets_words(tmp_path: Path, broken: Broken) -> None:
    broken.add_tensorflow("", requires=("numpy",))
    words = [*WHYDIED, "doctor", "--python", str(broken.python)]
    done = subprocess.run(words, capture_output=True, cwd=tmp_path, check=False)
    shown = done.stdout.decode()
    assert done.returncode == 1
    assert "not installed; tensorflow 2.21.0 requires it" in shown
    assert "impact: `import tensorflow` fails" in shown
    assert "1 broken (!!)" in shown


def test_an_import_that_never_ends(broken: Broken) -> None:
    broken.add_tensorflow("import time\ntime.sleep(600)\n")
    trial = attempt(environment.of(str(broken.python)), patience_s=3)
    assert trial.ended in ("hung", "stopped")
    (check,) = trial_checks(trial)
    assert (check.status, trial.stage) == ("broken", "import tensorflow")
