"""Why TensorFlow does not load on macOS and Windows, from files and versions. Runs in the parent; loads nothing.

None of this was tried on such a system: the tests hand in trees of files. What each check knows comes from the reports
that it names.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path

from whydied.doctor.distributions import TENSORFLOW, Distribution, Installed, numbers
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check, Machine

_RUNTIME = ("msvcp140.dll", "msvcp140_1.dll", "vcruntime140.dll", "vcruntime140_1.dll")
_INSTALLER = "https://aka.ms/vs/17/release/vc_redist.x64.exe"
# With an older one, tensorflow/tensorflow issues 74725 and 79362: an update of it was the remedy there.
_RUNTIME_OF = {(2, 17, 0): (14, 40)}
_LAST_WITH_GPU_ON_WINDOWS = (2, 10)
_LAST_ON_INTEL_MACS = (2, 16)
# tensorflow/tensorflow issues 81987 and 84167.
_METAL_FOR_2_18 = (1, 2, 0)
_NEWEST_WITH_METAL = (2, 18)
_FIXED_FILE_INFO = b"\xbd\x04\xef\xfe"


def other_system_checks(machine: Machine, environment: Environment, installed: Installed) -> list[Check]:
    tensorflow = installed.first(TENSORFLOW)
    if machine.system == "Darwin":
        return [*_mac(machine, environment, tensorflow), *_metal(environment, installed, tensorflow)]
    if machine.system == "Windows":
        return [*_bits(environment), *_runtime(machine, environment, tensorflow), *_windows_gpu(machine, tensorflow)]
    return []


def _mac(machine: Machine, environment: Environment, tensorflow: Distribution | None) -> Iterator[Check]:
    intel = machine.architecture == "x86_64"
    # The kernel's version names the real processor, also to a program that Rosetta translates.
    if intel and "ARM64" in environment.markers.get("platform_version", "").upper():
        yield Check(
            "processor",
            "broken",
            "this Python is built for Intel processors, and runs on an Apple one by Rosetta",
            "TensorFlow's binaries for Intel use AVX, which Rosetta may lack: `import tensorflow` dies with SIGILL or "
            "says that it was compiled to use AVX instructions",
            "install a Python for arm64 (python.org, Homebrew in /opt/homebrew, Miniforge), and TensorFlow into it",
        )
    elif intel and tensorflow is None:
        major, minor = _LAST_ON_INTEL_MACS
        yield Check(
            "tensorflow",
            "missing",
            f"TensorFlow {major}.{minor} was the last with wheels for Macs with an Intel processor",
            "pip finds no newer version (no matching distribution)",
            f"{environment.pip} install 'tensorflow=={major}.{minor}.*' (Python 3.9 to 3.12)",
        )


def _metal(environment: Environment, installed: Installed, tensorflow: Distribution | None) -> Iterator[Check]:
    metal = installed.get("tensorflow-metal")
    if metal is None or tensorflow is None:
        return
    version = numbers(tensorflow.version)
    if version[:2] >= _NEWEST_WITH_METAL and numbers(metal.version) < _METAL_FOR_2_18:
        yield Check(
            "tensorflow-metal",
            "broken",
            f"{metal.version} was built for TensorFlow before 2.18, and {tensorflow.shown} is installed",
            '`import tensorflow` fails when it loads the plugin ("Symbol not found" in libmetal_plugin.dylib)',
            f"{environment.pip} install 'tensorflow==2.18.*' 'tensorflow-metal>=1.2', or uninstall tensorflow-metal",
        )
    elif version[:2] > _NEWEST_WITH_METAL:
        yield Check(
            "tensorflow-metal",
            "risk",
            f"{metal.version} is not known to work with {tensorflow.shown}",
            "`import tensorflow` may fail when it loads the plugin (libmetal_plugin.dylib)",
            f"{environment.pip} install 'tensorflow==2.18.*', or uninstall tensorflow-metal",
        )


def _bits(environment: Environment) -> Iterator[Check]:
    if environment.markers.get("bits") == "32":
        yield Check(
            "python",
            "broken",
            f"{environment.number} for 32 bits",
            "there is no TensorFlow for it (no matching distribution)",
            "install a Python for 64 bits from python.org (amd64)",
        )


def _runtime(machine: Machine, environment: Environment, tensorflow: Distribution | None) -> Iterator[Check]:
    """The C++ runtime of Visual Studio, which TensorFlow does not bring along."""
    places = [machine.at("Windows/System32"), environment.prefix, environment.prefix / "Library" / "bin"]
    found = {name: next((place / name for place in places if (place / name).exists()), None) for name in _RUNTIME}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        yield Check(
            "C++ runtime",
            "broken",
            f"{', '.join(missing)} cannot be found",
            '`import tensorflow` fails with "DLL load failed while importing _pywrap_tensorflow_internal"',
            f"install the Visual C++ Redistributable: {_INSTALLER}",
        )
        return
    version = file_version(found["msvcp140.dll"]) if found["msvcp140.dll"] else None
    wanted = next((least for first, least in _RUNTIME_OF.items() if _is_at_least(tensorflow, first)), None)
    if version is None or wanted is None or version[:2] >= wanted:
        yield Check("C++ runtime", "ok", ".".join(map(str, version[:3])) if version else "found")
        return
    yield Check(
        "C++ runtime",
        "risk",
        f"msvcp140.dll is {'.'.join(map(str, version[:3]))}",
        'a newer TensorFlow fails with an old one: "DLL load failed while importing _pywrap_tensorflow_internal: A '
        'dynamic link library (DLL) initialization routine failed"',
        f"install the newest Visual C++ Redistributable: {_INSTALLER}",
    )


def _is_at_least(tensorflow: Distribution | None, version: tuple[int, int, int]) -> bool:
    return tensorflow is not None and numbers(tensorflow.version) >= version


def _windows_gpu(machine: Machine, tensorflow: Distribution | None) -> Iterator[Check]:
    if tensorflow is None or numbers(tensorflow.version)[:2] <= _LAST_WITH_GPU_ON_WINDOWS:
        return
    if machine.at("Windows/System32/nvcuda.dll").exists():
        yield Check(
            "gpu",
            "risk",
            f"there is an NVIDIA driver, and {tensorflow.shown} does not use GPUs on Windows itself (2.10 did)",
            "the GPU is not used",
            "use WSL 2: pip install 'tensorflow[and-cuda]' there",
        )


def file_version(path: Path) -> tuple[int, int, int, int] | None:
    """The version in the resources of a DLL, from its fixed file information."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            at = data.find(_FIXED_FILE_INFO)
            if at < 0:
                return None
            high, low = struct.unpack_from("<II", data, at + 8)
    except (OSError, ValueError, struct.error):
        return None
    return high >> 16, high & 0xFFFF, low >> 16, low & 0xFFFF
