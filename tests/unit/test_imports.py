"""Neither `import whydied` nor the parent process loads TensorFlow, Keras or NumPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FORBIDDEN = ("tensorflow", "keras", "tf_keras", "numpy")
PARENT_MODULES = (
    "whydied",
    "whydied.cli",
    "whydied.cli.run",
    "whydied.cli.show",
    "whydied.run.start",
    "whydied.run.supervise",
    "whydied.read.recording",
    "whydied.diagnose.registry",
    "whydied.report.finish",
    "whydied.report.terminal.console",
)


def loaded_after(statements: str, cwd: Path) -> list[str]:
    """Which forbidden packages a fresh interpreter has loaded after some statements."""
    program = f"{statements}\nimport sys\nprint(*[name for name in {FORBIDDEN!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("module", PARENT_MODULES)
def test_importing_loads_no_tensorflow(module: str, tmp_path: Path) -> None:
    assert loaded_after(f"import {module}", tmp_path) == []


def test_the_parent_loads_no_tensorflow(tmp_path: Path) -> None:
    """A whole `whydied run` in one process of ours, report included; the program that it starts does import NumPy."""
    script = tmp_path / "program.py"
    script.write_text("import numpy\nprint(numpy.arange(3)[7])\n")
    statements = f"""
import contextlib, os, sys
from whydied.cli import main
sys.argv = ["whydied", "run", "--runs", {str(tmp_path / "runs")!r}, {str(script)!r}]
saved = os.dup(1)
os.dup2(2, 1)
with contextlib.suppress(SystemExit):
    main()
os.dup2(saved, 1)
"""
    assert loaded_after(statements, tmp_path) == []


def test_the_check_can_fail(tmp_path: Path) -> None:
    """A package of a forbidden name that is imported is seen, so silence above means something."""
    (tmp_path / "tensorflow.py").write_text("import keras\n")
    (tmp_path / "keras.py").write_text("")
    statements = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport tensorflow, whydied"
    assert loaded_after(statements, tmp_path) == ["tensorflow", "keras"]
