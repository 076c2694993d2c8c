"""NVIDIA GPUs: whether there are any, whether the driver answers, and who holds their memory. Runs in the parent, the
driver's library on a thread that is left behind when it does not come back.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NamedTuple

from whydied import words
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check, Machine
from whydied.places import names_in
from whydied.records import DeviceProcess, GpuFound, GpuSampled

_PATIENCE_S = 10.0
_HELD_SHARE = 0.1
_NVIDIA_VENDOR, _DISPLAY_CLASS = "0x10de", "0x03"


class Devices(NamedTuple):
    """What NVML told, or why it told nothing."""

    found: tuple[GpuFound, ...] = ()
    samples: tuple[GpuSampled, ...] = ()
    reason: str = ""

    @property
    def driver(self) -> str:
        return self.found[0].driver if self.found else ""

    @property
    def cuda_driver(self) -> str:
        """The newest CUDA that this driver can run."""
        return self.found[0].cuda_driver if self.found else ""


def look() -> Devices:
    """One look at the GPUs of this machine."""
    answers: list[Devices] = []
    thread = threading.Thread(target=lambda: answers.append(_asked()), name="whydied-doctor-gpu", daemon=True)
    thread.start()
    thread.join(_PATIENCE_S)
    return answers[0] if answers else Devices(reason=f"the driver did not answer within {_PATIENCE_S:.0f} s")


def _asked() -> Devices:
    from whydied.run.observe import gpu

    opened = gpu.open_nvml()
    if opened.nvml is None:
        return Devices(reason=opened.reason)
    try:
        found = opened.nvml.found()
        return Devices(tuple(found), tuple(opened.nvml.sample(index) for index in opened.nvml.devices))
    except opened.nvml.error as error:
        return Devices(reason=f"NVML: {error}")
    finally:
        opened.nvml.close()


def there_is_one(machine: Machine, devices: Devices) -> bool:
    """Whether an NVIDIA GPU is in this machine, seen by its driver."""
    return bool(devices.found) or _driver_is_loaded(machine)


def device_checks(machine: Machine, environment: Environment, devices: Devices) -> list[Check]:
    if not there_is_one(machine, devices):
        if _unattended(machine):
            return [
                Check(
                    "driver",
                    "risk",
                    "there is an NVIDIA GPU on the bus, but no driver is loaded for it",
                    "TensorFlow runs on the CPU only",
                    "install the NVIDIA driver (in a container: docker run --gpus all …)",
                )
            ]
        return [Check("gpu", "ok", "no NVIDIA GPU; TensorFlow runs on the CPU")]
    if not devices.found:
        return [_silent(devices) if devices.reason else _empty()]
    return [*_each(devices), *_hidden(environment, devices), *_held(devices)]


def _driver_is_loaded(machine: Machine) -> bool:
    return machine.at("proc/driver/nvidia/version").exists() or machine.at("dev/nvidia0").exists()


def _unattended(machine: Machine) -> bool:
    for device in names_in(machine.at("sys/bus/pci/devices")):
        name = f"sys/bus/pci/devices/{device}"
        # 0x03 is a display or 3D controller; NVIDIA makes network cards and bridges too.
        shows = (machine.text(f"{name}/class") or "").startswith(_DISPLAY_CLASS)
        if shows and machine.text(f"{name}/vendor") == _NVIDIA_VENDOR:
            return True
    return False


def _empty() -> Check:
    return Check(
        "driver",
        "risk",
        "the NVIDIA driver is loaded but shows no GPU",
        "TensorFlow runs on the CPU only",
        "nvidia-smi -L lists what the driver sees (in a container: docker run --gpus all …)",
    )


def _silent(devices: Devices) -> Check:
    if "not installed" in devices.reason:
        return Check(
            "driver",
            "missing",
            devices.reason,
            "reports cannot say who holds a GPU's memory, or name a driver fault",
            "pip install 'whydied[gpu]'",
        )
    return Check(
        "driver",
        "broken",
        devices.reason,
        "TensorFlow finds no GPU, or hangs or fails when it initialises one",
        "reboot, or reload the driver that matches the installed library (nvidia-smi shows the same error); "
        "in a container: docker run --gpus all …",
    )


def _each(devices: Devices) -> Iterator[Check]:
    for gpu, sample in zip(devices.found, devices.samples, strict=False):
        found = (
            f"{gpu.name}, {words.size(sample.free_bytes)} of {words.size(gpu.total_bytes)} free, driver {gpu.driver}"
            f" (CUDA {gpu.cuda_driver})"
        )
        yield Check(f"GPU {gpu.index}", "ok", found)


def _hidden(environment: Environment, devices: Devices) -> Iterator[Check]:
    chosen = environment.variables.get("CUDA_VISIBLE_DEVICES")
    if chosen is None:
        return
    last = len(devices.found) - 1
    numbers = [word.strip() for word in chosen.split(",")]
    # CUDA reads up to the first number that names no device, and hides all that follow.
    bad = [word for word in numbers if not word or (word.lstrip("-").isdigit() and not 0 <= int(word) <= last)]
    if bad:
        named = ", ".join(repr(word) for word in bad)
        yield Check(
            "visible devices",
            "risk",
            f"CUDA_VISIBLE_DEVICES={chosen}: {named} is not a GPU (there are 0 to {last})",
            "that GPU and all listed after it are hidden: TensorFlow may run on the CPU only",
            "unset CUDA_VISIBLE_DEVICES" if last == 0 else f"export CUDA_VISIBLE_DEVICES=0 (up to {last})",
        )


def _held(devices: Devices) -> Iterator[Check]:
    freest = max(devices.samples, key=lambda sample: sample.free_bytes, default=None)
    for gpu, sample in zip(devices.found, devices.samples, strict=False):
        if sample.used_bytes < _HELD_SHARE * gpu.total_bytes:
            continue
        holders = sorted(sample.processes, key=lambda process: process.used_bytes or 0, reverse=True)
        shown = "; ".join(_process(one) for one in holders[:3]) or "by processes not visible from here"
        others = [f"kill {holders[0].pid}" if holders else "nvidia-smi shows who"]
        if freest is not None and freest.index != sample.index:
            others.insert(0, f"export CUDA_VISIBLE_DEVICES={freest.index}")
        yield Check(
            f"GPU {gpu.index} memory",
            "risk",
            f"{words.size(sample.used_bytes)} of {words.size(gpu.total_bytes)} is in use: {shown}",
            "TensorFlow takes what is free at startup: smaller models fit, and CUDA_ERROR_OUT_OF_MEMORY comes sooner",
            " or, if it is not needed: ".join(others),
        )


def _process(one: DeviceProcess) -> str:
    size = words.size(one.used_bytes) if one.used_bytes is not None else "an unknown size"
    return f"{size} by {one.name or 'process'} ({one.pid}{', ' + one.user if one.user else ''})"
