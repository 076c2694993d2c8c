from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.doctor.site import Site, machine, wrong
from whydied.doctor.cuda import cuda_checks, search_path
from whydied.doctor.gpu_devices import Devices, device_checks
from whydied.doctor.machine import Check
from whydied.records import DeviceProcess, GpuFound, GpuSampled

GIB = 1 << 30
CUDA_12 = (
    "import collections\nbuild_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60']), "
    "('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True)])\n"
)
NO_CUDA = "import collections\nbuild_info = collections.OrderedDict([('is_cuda_build', False)])\n"
LIBRARIES = (
    "libcudart.so.12",
    "libcublas.so.12",
    "libcublasLt.so.12",
    "libcufft.so.11",
    "libcusolver.so.11",
    "libcusparse.so.12",
    "libcudnn.so.9",
)
Look = Callable[..., dict[str, Check]]


def gpus(
    used: int = 0,
    cuda: str = "12.4",
    driver: str = "550.54.14",
    processes: tuple[DeviceProcess, ...] = (),
    capability: str = "6.1",
) -> Devices:
    found = GpuFound(
        index=0,
        name="NVIDIA Test GPU",
        total_bytes=16 * GIB,
        driver=driver,
        cuda_driver=cuda,
        capability=capability,
    )
    sample = GpuSampled(index=0, used_bytes=used, free_bytes=16 * GIB - used, processes=list(processes))
    return Devices((found,), (sample,))


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path / "environment")
    requires = ["nvidia-cudnn-cu12<10.0,>=9.3.0.75; extra == 'and-cuda'"]
    made.add("tensorflow", "2.21.0", requires, files={"tensorflow/python/platform/build_info.py": CUDA_12})
    return made


@pytest.fixture
def look(site: Site, tmp_path: Path) -> Look:
    def look(devices: Devices) -> dict[str, Check]:
        return wrong(cuda_checks(machine(tmp_path / "machine"), site.environment(), site.installed(), devices))

    return look


def put(directory: Path, names: tuple[str, ...]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name in names:
        (directory / name).write_text("")


def put_libdevice(root: Path) -> None:
    put(root / "nvvm/libdevice", ("libdevice.10.bc",))


def test_without_a_gpu_no_library_is_missed(look: Look) -> None:
    assert look(Devices(reason="no NVIDIA driver library")) == {}


def test_everything_is_there(look: Look, site: Site, tmp_path: Path) -> None:
    put(tmp_path / "machine/usr/local/cuda/lib64", LIBRARIES)
    put_libdevice(tmp_path / "machine/usr/local/cuda")
    (tmp_path / "machine/etc").mkdir()
    (tmp_path / "machine/etc/ld.so.conf").write_text("include /etc/ld.so.conf.d/*.conf\n/usr/local/cuda/lib64\n")
    assert look(gpus()) == {}


def test_libraries_that_cannot_be_found(look: Look, tmp_path: Path) -> None:
    put_libdevice(tmp_path / "machine/usr/local/cuda")
    put(tmp_path / "machine/usr/lib/x86_64-linux-gnu", (*LIBRARIES[:-1], "libcudnn.so.8"))
    check = look(gpus())["CUDA libraries"]
    assert check.status == "broken"
    assert check.found == (
        "libcudnn.so.9 cannot be found, for tensorflow 2.21.0 (CUDA 12.5.1, cuDNN 9): found instead: libcudnn.so.8"
    )
    assert (check.fix or "").endswith("install 'tensorflow[and-cuda]==2.21.0'")


def test_libraries_that_are_installed_where_nobody_looks(look: Look, site: Site, tmp_path: Path) -> None:
    put_libdevice(site.directory / "nvidia/cuda_nvcc")
    put(site.directory / "nvidia/cudnn/lib", LIBRARIES)
    check = look(gpus())["CUDA libraries"]
    assert check.fix == f"export LD_LIBRARY_PATH={site.directory}/nvidia/cudnn/lib:$LD_LIBRARY_PATH"
    site.variables["LD_LIBRARY_PATH"] = f"{site.directory}/nvidia/cudnn/lib"
    assert look(gpus()) == {}


def test_the_search_path_inside_the_library_counts(look: Look, site: Site, tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    put_libdevice(site.directory / "nvidia/cuda_nvcc")
    put(site.directory / "nvidia/cudnn/lib", LIBRARIES)
    source, target = tmp_path / "a.c", site.directory / "tensorflow/libtensorflow_framework.so.2"
    source.write_text("int nothing;\n")
    path = "-Wl,--enable-new-dtags,-rpath,$ORIGIN/nowhere:$ORIGIN/../nvidia/cudnn/lib"
    subprocess.run([compiler, "-shared", "-o", target, source, path], check=True)
    assert search_path(target)[1] == target.parent / "../nvidia/cudnn/lib"
    assert look(gpus()) == {}


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 100, b"text" * 100])
def test_files_that_are_no_libraries_have_no_search_path(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.so").write_bytes(content)
    assert search_path(tmp_path / "x.so") == []


def test_a_driver_that_is_too_old(look: Look, site: Site) -> None:
    check = look(gpus(cuda="11.4", driver="470.57.02"))["driver"]
    assert check.found == "driver 470.57.02 runs CUDA 11.4; TensorFlow was built for 12.5.1"
    assert "525 or newer" in (check.fix or "")
    assert "driver" not in look(gpus(cuda="12.0", driver="525.60.13"))
    assert "driver" not in look(gpus(cuda="13.0", driver="580.10"))


def test_a_driver_known_by_the_kernel_alone(look: Look, tmp_path: Path) -> None:
    version = tmp_path / "machine/proc/driver/nvidia/version"
    version.parent.mkdir(parents=True)
    version.write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.57.02  Tue Jul 13\nGCC version: 11\n")
    assert "driver 470.57.02" in look(Devices(reason="nvidia-ml-py is not installed"))["driver"].found


def test_a_build_without_cuda(site: Site, look: Look) -> None:
    (site.directory / "tensorflow/python/platform/build_info.py").write_text(NO_CUDA)
    assert look(gpus())["CUDA"].status == "risk"


@pytest.mark.parametrize("text", ["", "def (", "build_info = f(x)\n"])
def test_a_record_of_the_build_that_says_nothing(site: Site, look: Look, text: str) -> None:
    (site.directory / "tensorflow/python/platform/build_info.py").write_text(text)
    assert look(gpus()) == {}


def test_packages_of_nvidia_in_another_version(look: Look, site: Site) -> None:
    site.add("nvidia-cudnn-cu12", "8.9.4.25")
    check = look(gpus())["nvidia-cudnn-cu12"]
    assert (check.status, check.found) == ("broken", "8.9.4.25; tensorflow 2.21.0 requires <10.0,>=9.3.0.75")


def test_the_directory_that_xla_was_told(look: Look, site: Site, tmp_path: Path) -> None:
    put_libdevice(tmp_path / "machine/usr/local/cuda")
    assert "XLA" not in look(gpus())
    site.variables["XLA_FLAGS"] = f"--xla_gpu_cuda_data_dir={tmp_path}/nowhere"
    check = look(gpus())["XLA"]
    assert check.found == f"libdevice.10.bc is not in {tmp_path}/nowhere (XLA_FLAGS)"
    assert check.fix == f"export XLA_FLAGS=--xla_gpu_cuda_data_dir={tmp_path}/machine/usr/local/cuda"


def devices_of(site: Site, root: Path, devices: Devices) -> dict[str, Check]:
    return wrong(device_checks(machine(root), site.environment(), devices))


def test_memory_held_by_others(site: Site, tmp_path: Path) -> None:
    assert devices_of(site, tmp_path, gpus(used=GIB // 2)) == {}
    who = DeviceProcess(pid=4242, used_bytes=11 * GIB, kind="compute", name="python", user="ann")
    check = devices_of(site, tmp_path, gpus(used=12 * GIB, processes=(who,)))["GPU 0 memory"]
    assert check.found == "12.0 GiB of 16.0 GiB is in use: 11.0 GiB by python (4242, ann)"
    assert check.fix == "kill 4242"


def test_devices_that_are_named_and_not_there(site: Site, tmp_path: Path) -> None:
    for value, is_wrong in {"0": False, "GPU-4ab8": False, "3": True, "": True, "-1": True, "0,1": True}.items():
        site.variables["CUDA_VISIBLE_DEVICES"] = value
        assert ("visible devices" in devices_of(site, tmp_path, gpus())) is is_wrong, value


def test_a_driver_that_does_not_start(site: Site, tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/nvidia0").write_text("")
    devices = Devices(reason="NVML does not start: Driver/library version mismatch")
    assert devices_of(site, tmp_path, devices)["driver"].status == "broken"
    assert devices_of(site, tmp_path, Devices(reason="nvidia-ml-py is not installed"))["driver"].status == "missing"
    assert devices_of(site, tmp_path, Devices())["driver"].status == "risk"


def test_a_card_without_a_driver(site: Site, tmp_path: Path) -> None:
    card = tmp_path / "sys/bus/pci/devices/0000:01:00.0"
    card.mkdir(parents=True)
    (card / "vendor").write_text("0x10de\n")
    (card / "class").write_text("0x020000\n")
    assert devices_of(site, tmp_path, Devices(reason="no library")) == {}
    (card / "class").write_text("0x030200\n")
    assert devices_of(site, tmp_path, Devices(reason="no library"))["driver"].status == "risk"
    os.unlink(card / "class")


@pytest.mark.parametrize(("capability", "status"), [("5.2", "broken"), ("6.1", None), ("9.0", "risk"), ("", None)])
def test_a_gpu_that_the_build_has_no_code_for_is_told(look: Look, capability: str, status: str | None) -> None:
    found = look(gpus(capability=capability)).get("GPU code")
    assert (found.status if found else None) == status
