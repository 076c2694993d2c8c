"""A machine with NVIDIA's driver, played by a library that is built from `fixtures/nvml/nvml.c`."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent / "fixtures" / "nvml" / "nvml.c"
GIB = 1 << 30
_SYSTEM = "system|550.54.14|12040"


def build(directory: Path, *flags: str) -> Path:
    """The directory, with `libnvidia-ml.so.1` in it. Skips the test, and says so, where nothing can be built."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler, so the stand-in for libnvidia-ml.so.1 cannot be built")
    target = str(directory / "libnvidia-ml.so.1")
    subprocess.run([compiler, "-Wall", "-shared", "-fPIC", *flags, "-o", target, str(SOURCE)], check=True)
    return directory


class Driver:
    """The driver of that machine. What it says may change while a program runs."""

    def __init__(self, says: Path, library: Path) -> None:
        self.says = says
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(library), "NVML_STAND_IN": str(says)}

    def say(self, *lines: str) -> None:
        new = self.says.with_suffix(".new")
        new.write_text("\n".join([_SYSTEM, *lines]) + "\n")
        new.replace(self.says)


def device(
    used: int, total: int = 16 * GIB, name: str = "NVIDIA Test GPU", busy: int = 37, capability: str = "8.9"
) -> str:
    return f"device|{name}|GPU-4ab8|{total}|{used}|{busy}|{capability}"
