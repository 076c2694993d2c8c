"""`pytest --whydied`, by real pytests that real tests kill. The plugin is found as an installed one is, by its entry
point."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from tests import child, session
from tests.layers import varied

from whydied.run.observe import limits

LIMIT_BYTES = 700 << 20
DEADLY = """
    import ctypes
    import os
    import time
    import warnings

    import pytest


    def test_first(record_property):
        record_property("mine", 1)
        warnings.warn("careful")


    def test_exit():
        os._exit(3)


    def test_segfault():
        ctypes.string_at(0)


    def test_memory():
        kept = []
        while True:
            kept.append(bytearray(20 << 20))
            time.sleep(0.1)


    def test_assertion():
        assert 1 + 1 == 3


    @pytest.mark.skip
    def test_skipped():
        pass


    def test_last():
        pass
"""
MIXED = """
    import pytest


    def test_passes(tmp_path):
        print("printed")


    @pytest.mark.parametrize("number", [1, 2, 3])
    def test_each(number):
        assert number != 2, "two"


    @pytest.mark.xfail
    def test_expected():
        assert 0


    @pytest.fixture
    def broken():
        raise KeyError("missing")


    def test_fixture(broken):
        pass
"""
Pytest = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A directory for the module path in which the entry point of pyproject.toml is installed, or is already."""
    place = tmp_path_factory.mktemp("metadata")
    if not any(point.value == "whydied.pytest_plugin.plugin" for point in entry_points(group="pytest11")):
        info = place / "whydied_entry-0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: whydied-entry\nVersion: 0\n")
        (info / "entry_points.txt").write_text("[pytest11]\nwhydied = whydied.pytest_plugin.plugin\n")
    return os.pathsep.join([str(child.HOME), str(place)])


@pytest.fixture
def run_pytest(tmp_path: Path, metadata: str) -> Pytest:
    def run(
        *words: str, join: Callable[[], None] | None = None, timeout_s: float = 240
    ) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "WHYDIED_"))}
        env = {**kept, "PYTHONPATH": metadata, "WHYDIED_RUNS": str(tmp_path / "runs"), "TF_CPP_MIN_LOG_LEVEL": "3"}
        options = ["-p", "no:cacheprovider", "-p", "no:randomly", "-c", "/dev/null", f"--rootdir={tmp_path}"]
        return subprocess.run(
            [sys.executable, "-m", "pytest", *options, *words],
            cwd=tmp_path,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
            preexec_fn=join,
        )

    return run


@pytest.fixture
def join_group() -> Iterator[Callable[[], None]]:
    """Puts a process under a memory limit."""
    made = limits.wanted_limit(LIMIT_BYTES, f"plugin-{os.getpid()}").made
    if made is None:
        pytest.skip("no control group can be made")

    def join() -> None:
        Path(made.path, "cgroup.procs").write_text(str(os.getpid()))

    yield join
    procs = Path(made.path, "cgroup.procs")
    session.wait_until(lambda: not procs.read_text(), "the watchers to end")
    assert limits.remove_group(made) is None


def properties(file: Path) -> dict[str, dict[str, str]]:
    """By the name of the test."""
    cases = xml.etree.ElementTree.parse(file).getroot().iter("testcase")
    return {
        case.get("name", ""): {one.get("name", ""): one.get("value", "") for one in case.iter("property")}
        for case in cases
    }


def counted(output: str) -> dict[str, int]:
    """`{"failed": 3, "passed": 2}` of the last line."""
    return {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", output.strip().splitlines()[-1])}


@pytest.mark.cgroup
@pytest.mark.parametrize(
    "words", [pytest.param([], id="alone"), pytest.param(["-n", "2"], id="xdist", marks=pytest.mark.variation)]
)
def test_a_test_that_kills_its_process_says_why(
    words: list[str], tmp_path: Path, run_pytest: Pytest, join_group: Callable[[], None]
) -> None:
    child.write(tmp_path, DEADLY, "test_deadly.py")
    done = run_pytest("--whydied", "--junitxml=j.xml", *words, join=join_group)
    shown = done.stdout
    assert done.returncode == 1, shown + done.stderr
    found = counted(shown)
    assert {key: found.get(key) for key in ("failed", "passed", "skipped")} == {"failed": 4, "passed": 2, "skipped": 1}
    summary = shown.partition("= whydied =")[2].partition("= short test summary")[0]
    told = {line.partition(": ")[0].rpartition("::")[2]: line for line in summary.splitlines() if "::" in line}
    assert set(told) == {"test_exit", "test_segfault", "test_memory"}
    assert "os._exit with status 3" in told["test_exit"]
    assert "segmentation fault (SIGSEGV)" in told["test_segfault"]
    assert "killed by the kernel: out of memory (SIGKILL)" in told["test_memory"]
    assert "the list `kept` in test_memory() holds" in told["test_memory"]
    assert "kept.append(bytearray(20 << 20))" in shown
    noted = properties(tmp_path / "j.xml")
    assert set(noted) == {"test_first", *told, "test_assertion", "test_skipped", "test_last"}
    assert noted["test_first"] == {"mine": "1"}
    assert all(noted[name]["whydied"].startswith(told[name].partition(": ")[2]) for name in told)
    assert noted["test_assertion"] == {}
    assert "careful" in shown
    assert "INTERNALERROR" not in shown + done.stderr
    assert "could not" not in done.stderr


CASES = ("", "-x", "--maxfail=2 -v", "-k each", "-k nothing_like_it", "-q -s -W error", "test_mixed.py::test_passes")
CASES += ("test_absent.py", "--collect-only")


@pytest.mark.parametrize("words", varied(CASES, "-x"))
def test_everything_else_is_as_without_it(words: str, tmp_path: Path, run_pytest: Pytest) -> None:
    child.write(tmp_path, MIXED, "test_mixed.py")
    plain, ours = run_pytest(*words.split()), run_pytest("--whydied", *words.split())
    assert ours.returncode == plain.returncode, ours.stdout + ours.stderr
    assert _outcomes(ours.stdout) == _outcomes(plain.stdout)
    assert "INTERNALERROR" not in ours.stdout + ours.stderr


def _outcomes(output: str) -> list[str]:
    """What the last line counts, and the tests that failed."""
    lines = output.strip().splitlines()
    last = re.sub(r" in [\d.]+s.*|=", "", lines[-1]) if lines else ""
    return [last.strip(), *(line.partition(" - ")[0] for line in lines if line.startswith(("FAILED", "ERROR")))]


@pytest.mark.variation
def test_an_error_of_collection_is_shown_as_such(tmp_path: Path, run_pytest: Pytest) -> None:
    child.write(tmp_path, "import nothing_like_it\n", "test_broken.py")
    child.write(tmp_path, MIXED, "test_mixed.py")
    for words in ([], ["--continue-on-collection-errors"]):
        plain, ours = run_pytest(*words), run_pytest("--whydied", *words)
        assert ours.returncode == plain.returncode, ours.stdout
        assert "No module named 'nothing_like_it'" in ours.stdout
        assert _outcomes(ours.stdout) == _outcomes(plain.stdout)


@pytest.mark.variation
@pytest.mark.parametrize("code", ["import os\nos._exit(7)\n", "import os\nos.kill(os.getpid(), 9)\n"])
def test_a_file_that_kills_the_process_while_it_is_collected(code: str, tmp_path: Path, run_pytest: Pytest) -> None:
    child.write(tmp_path, code, "test_deadly.py")
    done = run_pytest("--whydied")
    assert done.returncode not in (0, 5)
    assert "test_deadly.py, line 2" in done.stdout


def test_without_the_option_nothing_of_ours_is_loaded(tmp_path: Path, run_pytest: Pytest) -> None:
    child.write(
        tmp_path,
        """
        import sys


        def test_modules():
            ours = {name for name in sys.modules if name.startswith("whydied")}
            assert ours == {"whydied", "whydied.pytest_plugin", "whydied.pytest_plugin.plugin"}
        """,
        "test_modules.py",
    )
    done = run_pytest()
    assert done.returncode == 0, done.stdout
    assert not (tmp_path / "runs").exists()


@pytest.mark.variation
def test_ctrl_c_ends_both(tmp_path: Path, metadata: str) -> None:
    child.write(
        tmp_path,
        "import time\n\n\ndef test_long():\n    open('began', 'w').close()\n    time.sleep(100)\n",
        "test_long.py",
    )
    env = {**os.environ, "PYTHONPATH": metadata, "WHYDIED_RUNS": str(tmp_path / "runs")}
    argv = [sys.executable, "-m", "pytest", "-c", "/dev/null", "-p", "no:cacheprovider", "--whydied"]
    process = subprocess.Popen(
        argv, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    session.wait_until((tmp_path / "began").exists, "the test to begin")
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 2, output
    assert "KeyboardInterrupt" in output


@pytest.mark.variation
@pytest.mark.tensorflow
def test_a_failure_in_tensorflow_is_explained_and_a_plain_one_is_not(tmp_path: Path, run_pytest: Pytest) -> None:
    child.write(
        tmp_path,
        """
        import keras
        import numpy as np
        import tensorflow as tf


        class LogScale(keras.layers.Layer):
            def call(self, values):
                return tf.math.log(values)


        def test_loss_is_finite():
            x = np.ones((64, 4), "float32")
            x[37, 2] = 0.0
            model = keras.Sequential([keras.Input((4,)), LogScale(), keras.layers.Dense(1)])
            model.compile("sgd", "mse")
            history = model.fit(x, x[:, :1], batch_size=16, verbose=0).history
            assert np.isfinite(history["loss"][-1])


        def test_shapes():
            weights = tf.ones((3, 5))
            tf.matmul(tf.ones((2, 4)), weights)


        def test_plain():
            assert 1 == 2
        """,
        "test_models.py",
    )
    done = run_pytest("--whydied", "--junitxml=j.xml", timeout_s=500)
    assert done.returncode == 1, done.stderr
    noted = properties(tmp_path / "j.xml")
    assert re.search(
        r"log\(0\) in layer log_scale\w*, caused by row \d+ of the batch", noted["test_loss_is_finite"]["whydied"]
    )
    assert "incompatible shapes for a matrix product" in noted["test_shapes"]["whydied"]
    assert noted["test_plain"] == {}
    assert "-- whydied --" in done.stdout
    assert "tf.math.log(tf.maximum(x, 1e-7))" in done.stdout
