"""The CUDA libraries that the installed TensorFlow was built for, against those that it will find. Runs in the parent;
from TensorFlow's own record of its build and the search path inside its library. Nothing is loaded.

They matter only where there is a GPU: without one, TensorFlow says that they are missing and works.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from whydied.doctor import gpu_devices as gpus
from whydied.doctor.distributions import TENSORFLOW, Distribution, Installed, normalised
from whydied.doctor.environment import Environment
from whydied.doctor.gpu_devices import Devices
from whydied.doctor.machine import Check, Machine
from whydied.doctor.requirements import wanted_by
from whydied.native.compute_capability import capability, coverage
from whydied.native.elf import ElfFile, NotElf
from whydied.places import names_in

# The number in the name of each library, by the major version of CUDA that it belongs to.
_LIBRARIES = {
    11: {"cudart": "11.0", "cublas": "11", "cublasLt": "11", "cufft": "10", "cusolver": "11", "cusparse": "11"},
    12: {"cudart": "12", "cublas": "12", "cublasLt": "12", "cufft": "11", "cusolver": "11", "cusparse": "12"},
    13: {"cudart": "13", "cublas": "13", "cublasLt": "13", "cufft": "12", "cusolver": "12", "cusparse": "12"},
}
# From NVIDIA's table of minor version compatibility: below these no release of that CUDA runs.
_OLDEST_DRIVER = {11: 450, 12: 525, 13: 580}
_USUAL_DIRECTORIES = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu")
_MORE_DIRECTORIES = ("usr/lib/aarch64-linux-gnu", "lib64", "usr/lib64", "lib", "usr/lib")
_LIBDEVICE = "nvvm/libdevice/libdevice.10.bc"


class Build(NamedTuple):
    """What TensorFlow's wheel says of its own build."""

    is_cuda: bool
    cuda: str = ""
    cudnn: str = ""
    capabilities: tuple[str, ...] = ()

    @property
    def cuda_major(self) -> int:
        return int(found[0]) if (found := re.match(r"\d+", self.cuda)) else 0


def cuda_checks(machine: Machine, environment: Environment, installed: Installed, devices: Devices) -> list[Check]:
    tensorflow = installed.first(TENSORFLOW)
    if tensorflow is None or not gpus.there_is_one(machine, devices):
        return []
    build = build_of(tensorflow)
    if build is None:
        return []
    if not build.is_cuda:
        return [
            Check(
                "CUDA",
                "risk",
                f"{tensorflow.shown} is built without CUDA, but there is a GPU",
                "the GPU is not used",
                f"{environment.pip} uninstall -y {tensorflow.name} && {environment.pip} install 'tensorflow[and-cuda]'",
            )
        ]
    wrong = [
        *_driver(machine, devices, build),
        *_code(tensorflow, devices, build),
        *_libraries(machine, environment, tensorflow, build),
        *_wheels(environment, installed, tensorflow),
        *_xla(machine, environment, tensorflow, build),
    ]
    return wrong or [Check("CUDA", "ok", f"{build.cuda} with cuDNN {build.cudnn}, all libraries found")]


def build_of(tensorflow: Distribution) -> Build | None:
    """From the module that the build writes, read as text."""
    path = tensorflow.directory / "tensorflow/python/platform/build_info.py"
    try:
        tree = ast.parse(path.read_text("utf-8"))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
        stated = dict(ast.literal_eval(calls[0].args[0]))
    except (OSError, SyntaxError, ValueError, TypeError, IndexError):
        return None
    return Build(
        bool(stated.get("is_cuda_build")),
        str(stated.get("cuda_version", "")),
        str(stated.get("cudnn_version", "")),
        tuple(map(str, stated.get("cuda_compute_capabilities", ()))),
    )


def _code(tensorflow: Distribution, devices: Devices, build: Build) -> Iterator[Check]:
    """GPUs that the build has no binary for."""
    covered = coverage(build.capabilities)
    for gpu in devices.found:
        device = capability(gpu.capability)
        if covered is None or device is None or covered.runs_on(device):
            continue
        found = (
            f"GPU {gpu.index} has compute capability {gpu.capability}; {tensorflow.shown} has code for {covered.words}"
        )
        if covered.is_older(device):
            yield Check(
                "GPU code",
                "broken",
                found,
                'TensorFlow does not use this GPU, or fails ("no kernel image is available for execution")',
                "install an older TensorFlow that was built for it",
            )
        else:
            yield Check(
                "GPU code",
                "risk",
                found,
                "its kernels are compiled at the first use, which takes minutes and fails for some "
                "(CUDA_ERROR_INVALID_PTX, CUDA_ERROR_INVALID_HANDLE)",
                "install a newer TensorFlow that was built for it, or use the container nvcr.io/nvidia/tensorflow",
            )


def _driver(machine: Machine, devices: Devices, build: Build) -> Iterator[Check]:
    version = devices.driver or _loaded_driver(machine)
    number = int(version.split(".")[0]) if version.split(".")[0].isdigit() else None
    runs = devices.cuda_driver
    too_old = bool(runs) and int(runs.split(".")[0]) < build.cuda_major
    oldest = _OLDEST_DRIVER.get(build.cuda_major)
    if too_old or (not runs and number is not None and oldest is not None and number < oldest):
        wanted = f"{oldest} or newer" if oldest else "a newer one"
        yield Check(
            "driver",
            "broken",
            f"driver {version} runs CUDA {runs or 'an older version'}; TensorFlow was built for {build.cuda}",
            'TensorFlow finds no GPU ("CUDA driver version is insufficient for CUDA runtime version")',
            f"install driver {wanted}, or a TensorFlow for the older CUDA",
        )


def _loaded_driver(machine: Machine) -> str:
    found = re.search(r"Kernel Module\D*?(\d+\.[\d.]+)", machine.text("proc/driver/nvidia/version") or "")
    return found[1] if found else ""


def _libraries(machine: Machine, environment: Environment, tensorflow: Distribution, build: Build) -> Iterator[Check]:
    wanted = [f"lib{name}.so.{number}" for name, number in _LIBRARIES.get(build.cuda_major, {}).items()]
    wanted += [f"libcudnn.so.{build.cudnn.split('.')[0]}"] if build.cudnn else []
    searched = searched_directories(machine, environment, tensorflow)
    missing = [name for name in wanted if not any((place / name).exists() for place in searched)]
    if not missing:
        return
    nearby = {name: place for name in missing for place in _wheel_directories(tensorflow) if (place / name).exists()}
    if len(nearby) == len(missing):
        places = os.pathsep.join(sorted({str(place) for place in nearby.values()}))
        fix = f"export LD_LIBRARY_PATH={places}:$LD_LIBRARY_PATH"
        note = ": they are installed, but where this TensorFlow does not look"
    else:
        others = _other_versions([*searched, *_wheel_directories(tensorflow)], missing)
        fix = f"{environment.pip} install 'tensorflow[and-cuda]=={tensorflow.version}'"
        note = f": found instead: {', '.join(others)}" if others else ""
    yield Check(
        "CUDA libraries",
        "broken",
        f"{', '.join(missing)} cannot be found, for {tensorflow.shown} (CUDA {build.cuda}, cuDNN {build.cudnn}){note}",
        'TensorFlow uses no GPU ("Cannot dlopen some GPU libraries"), or fails at the first convolution',
        fix,
    )


def searched_directories(machine: Machine, environment: Environment, tensorflow: Distribution) -> list[Path]:
    """Where the loader looks for what TensorFlow loads, in its order."""
    asked = environment.variables.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    package = tensorflow.directory / "tensorflow"
    carriers = [*sorted(package.glob("libtensorflow_*.so.*")), package / "python/_pywrap_tensorflow_internal.so"]
    carried = [place for carrier in carriers if carrier.exists() for place in search_path(carrier)]
    usual = [machine.at(place) for place in (*_configured(machine), *_USUAL_DIRECTORIES, *_MORE_DIRECTORIES)]
    return list(dict.fromkeys([*(Path(place) for place in asked if place), *carried, *usual]))


def search_path(library: Path) -> list[Path]:
    """The directories of the search path that a library carries for those it loads, with $ORIGIN filled in."""
    try:
        with ElfFile(str(library)) as file:
            text = file.search_path()
    except NotElf:
        return []
    origin = str(library.parent)
    return [Path(entry.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)) for entry in text.split(":") if entry]


def _configured(machine: Machine) -> Iterator[str]:
    """The directories of /etc/ld.so.conf and the files that it usually includes."""
    more = [f"etc/ld.so.conf.d/{name}" for name in names_in(machine.at("etc/ld.so.conf.d"))]
    for name in ("etc/ld.so.conf", *more):
        for line in (machine.text(name) or "").splitlines():
            if line.startswith("/"):
                yield line.strip()


def _wheel_directories(tensorflow: Distribution) -> list[Path]:
    return sorted((tensorflow.directory / "nvidia").glob("*/lib"))


def _other_versions(places: list[Path], missing: list[str]) -> list[str]:
    """Files of another version of the same libraries."""
    stems = tuple(name.partition(".so")[0] + ".so." for name in missing)
    found = (name for place in places for name in names_in(place) if name.startswith(stems))
    return list(dict.fromkeys(found))[:4]


def _wheels(environment: Environment, installed: Installed, tensorflow: Distribution) -> Iterator[Check]:
    """NVIDIA's packages that are installed, against the versions that this TensorFlow names for them."""
    for one in wanted_by(environment, tensorflow, "and-cuda"):
        found = installed.get(normalised(one.name))
        if found is not None and not one.specifier.contains(found.version, prereleases=True):
            yield Check(
                found.name,
                "broken",
                f"{found.version}; {tensorflow.shown} requires {one.specifier}",
                "the library does not match the code built for it: convolutions fail on the GPU"
                if "cudnn" in found.name
                else "parts of TensorFlow that use it fail on the GPU",
                f"{environment.pip} install '{found.name}{one.specifier}'",
            )


def _xla(machine: Machine, environment: Environment, tensorflow: Distribution, build: Build) -> Iterator[Check]:
    flag = re.search(r"--xla_gpu_cuda_data_dir=(\S+)", environment.variables.get("XLA_FLAGS", ""))
    near = [tensorflow.directory / "nvidia/cuda_nvcc", tensorflow.directory / "nvidia/cu13"]
    minor = ".".join(build.cuda.split(".")[:2])
    usual = [machine.at(f"usr/local/cuda-{minor}"), machine.at("usr/local/cuda"), machine.at("opt/cuda")]
    places = [Path(flag[1])] if flag else [*near, *usual]
    if any((place / _LIBDEVICE).exists() for place in places):
        return
    elsewhere = next((place for place in [*near, *usual] if (place / _LIBDEVICE).exists()), None)
    pip = f"{environment.pip} install nvidia-cuda-nvcc-cu{build.cuda_major}"
    yield Check(
        "XLA",
        "broken" if flag else "risk",
        f"libdevice.10.bc is not in {places[0] if flag else 'any of the usual places'}"
        + (" (XLA_FLAGS)" if flag else f" ({', '.join(str(place) for place in places)})"),
        'a step compiled by XLA (jit_compile, or Keras 3 on a GPU) may fail with "libdevice not found"',
        f"export XLA_FLAGS=--xla_gpu_cuda_data_dir={elsewhere}" if elsewhere else pip,
    )
