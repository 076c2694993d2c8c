"""What NVML tells of the GPUs: memory by process, how busy they are, versions; runs in the parent and in the watcher,
on a thread of its own.

Invariant: without the driver's library or its binding (`nvidia-ml-py`) there is nothing, silently and without
an error. A driver that hangs holds up this thread and nobody else: records are left in a queue, which the supervisor
empties when it looks, and ending waits for a moment only.
"""

from __future__ import annotations

import collections
import importlib
import os
import threading
import traceback
from collections.abc import Collection
from typing import Any, NamedTuple

from whydied.records import DeviceProcess, GpuFailed, GpuFound, GpuSampled, InternalError, Record
from whydied.run.observe import neighbours
from whydied.texts import gpu_failures as texts

EVERY_S = 1.0
_LIBRARY = "libnvidia-ml.so.1"
_MOST_WAITING = 1000
# The number that the kernel gives to the first namespace of processes; there is no other way to ask.
_FIRST_NAMESPACE = "pid:[4026531836]"
_LISTINGS = {
    "compute": "nvmlDeviceGetComputeRunningProcesses",
    "graphics": "nvmlDeviceGetGraphicsRunningProcesses",
}


class Opened(NamedTuple):
    """NVML, or why there is none."""

    nvml: Nvml | None
    reason: str = ""


class Nvml:
    """The few questions that we ask of the real binding, whatever its version."""

    def __init__(self, binding: Any, ours: Collection[int]) -> None:
        self._binding = binding
        self._ours = ours
        self._handles: list[Any] = [
            binding.nvmlDeviceGetHandleByIndex(index) for index in range(binding.nvmlDeviceGetCount())
        ]
        self._hidden = _numbers_are_hidden()

    @property
    def error(self) -> type[Exception]:
        kind: type[Exception] = self._binding.NVMLError
        return kind

    def found(self) -> list[GpuFound]:
        driver = _text(self._asked("nvmlSystemGetDriverVersion"))
        cuda = _cuda_version(self._asked("nvmlSystemGetCudaDriverVersion_v2"))
        return [
            GpuFound(
                index=index,
                name=_text(self._asked("nvmlDeviceGetName", handle)) or "unknown",
                total_bytes=int(self._binding.nvmlDeviceGetMemoryInfo(handle).total),
                uuid=_text(self._asked("nvmlDeviceGetUUID", handle)),
                driver=driver,
                cuda_driver=cuda,
                capability=_capability(self._asked("nvmlDeviceGetCudaComputeCapability", handle)),
            )
            for index, handle in enumerate(self._handles)
        ]

    @property
    def devices(self) -> range:
        return range(len(self._handles))

    def sample(self, index: int) -> GpuSampled:
        handle = self._handles[index]
        memory = self._binding.nvmlDeviceGetMemoryInfo(handle)
        rates = self._asked("nvmlDeviceGetUtilizationRates", handle)
        return GpuSampled(
            index=index,
            used_bytes=int(memory.used),
            free_bytes=int(memory.free),
            busy_percent=int(rates.gpu) if rates is not None else None,
            processes=self._processes(handle),
        )

    def close(self) -> None:
        self._asked("nvmlShutdown")

    def _asked(self, function: str, *arguments: Any) -> Any:
        """The answer, or None where this device or driver has none."""
        ask = getattr(self._binding, function, None)
        try:
            return None if ask is None else ask(*arguments)
        except self._binding.NVMLError:
            return None

    def _processes(self, handle: Any) -> list[DeviceProcess]:
        found: dict[int, DeviceProcess] = {}
        for kind, listing in _LISTINGS.items():
            for held in self._listed(listing, handle):
                # A process that computes and draws stands in both lists with the same memory.
                if held.pid not in found:
                    found[int(held.pid)] = self._describe(int(held.pid), held.usedGpuMemory, kind)
        return sorted(found.values(), key=lambda process: process.used_bytes or 0, reverse=True)

    def _listed(self, listing: str, handle: Any) -> list[Any]:
        """Drivers know this list by several names: the newest that this driver has."""
        for version in ("_v3", "_v2", ""):
            ask = getattr(self._binding, listing + version, None)
            if ask is None:
                continue
            try:
                return list(ask(handle))
            except self._binding.NVMLError as error:
                if getattr(error, "value", None) != self._binding.NVML_ERROR_FUNCTION_NOT_FOUND:
                    return []
        return []

    def _describe(self, pid: int, used_bytes: int | None, kind: str) -> DeviceProcess:
        who = neighbours.identity(pid)
        ours = True if pid in self._ours else None if self._hidden and not who.name else False
        return DeviceProcess(
            pid=pid,
            used_bytes=None if used_bytes is None else int(used_bytes),
            kind=kind,
            name=who.name or _text(self._asked("nvmlSystemGetProcessName", pid)).rsplit("/", 1)[-1],
            user=who.user,
            command="" if ours else who.command,
            age_s=who.age_s,
            ours=ours,
        )


def open_nvml(ours: Collection[int] = ()) -> Opened:
    """NVML for this machine. `ours` are the processes of the program, a set that may grow."""
    # The binding is large: it is read only where the library is.
    try:
        import ctypes

        ctypes.CDLL(_LIBRARY)
    except (ImportError, OSError) as error:
        return Opened(None, f"no NVIDIA driver library: {error}")
    try:
        binding = importlib.import_module("pynvml")
    except ImportError:
        return Opened(None, "nvidia-ml-py is not installed, so GPUs are not watched")
    try:
        binding.nvmlInit()
        return Opened(Nvml(binding, ours))
    except binding.NVMLError as error:
        return Opened(None, f"NVML does not start: {error}")


def is_device_fault(line: str) -> bool:
    """Whether a line of the kernel's log is the NVIDIA driver's word about a fault of a device."""
    return bool(texts.DEVICE_FAULT.search(line))


class GpuWatch:
    """Looks at the GPUs about once a second, for as long as the program lives."""

    def __init__(self, ours: Collection[int], every_s: float = EVERY_S) -> None:
        self._ours = ours
        self._every_s = every_s
        self._waiting: collections.deque[Record] = collections.deque(maxlen=_MOST_WAITING)
        self._over = threading.Event()
        self._failed: set[tuple[int, int | None]] = set()
        self._thread = threading.Thread(target=self._run, name="whydied-gpu", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def take(self) -> list[Record]:
        """What was seen since the last call. Waits for nothing."""
        taken: list[Record] = []
        while self._waiting:
            taken.append(self._waiting.popleft())
        return taken

    def stop(self, patience_s: float = 0.2) -> None:
        """End the looks. A call into the driver that does not come back is left behind."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(patience_s)

    def _run(self) -> None:
        try:
            nvml = open_nvml(self._ours).nvml
            if nvml is None:
                return
            self._waiting.extend(nvml.found())
            while True:
                self._look(nvml)
                if self._over.wait(self._every_s):
                    break
            nvml.close()
        except Exception as error:
            own = InternalError(where="run.gpu", error=repr(error), traceback=traceback.format_exc())
            self._waiting.append(own)

    def _look(self, nvml: Nvml) -> None:
        for index in nvml.devices:
            try:
                self._waiting.append(nvml.sample(index))
            except nvml.error as error:
                code = getattr(error, "value", None)
                if (index, code) not in self._failed:
                    self._failed.add((index, code))
                    self._waiting.append(GpuFailed(index=index, error=str(error), code=code))


def _numbers_are_hidden() -> bool:
    """Whether we are in a container, where the driver may tell the numbers that processes have outside."""
    try:
        return os.readlink("/proc/self/ns/pid") != _FIRST_NAMESPACE
    except OSError:
        return True


def _text(value: Any) -> str:
    """Old bindings answer in bytes."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def _cuda_version(number: Any) -> str:
    return f"{number // 1000}.{number % 1000 // 10}" if isinstance(number, int) else ""


def _capability(numbers: Any) -> str:
    return ".".join(map(str, numbers)) if isinstance(numbers, (tuple, list)) and len(numbers) == 2 else ""
