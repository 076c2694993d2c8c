"""The real NVML binding over a stand-in for the driver's library, which is built here and says what a file says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import stand_in
from tests.stand_in import GIB, Driver, device
from whydied.run.observe import gpu

pytest.importorskip("pynvml", reason="nvidia-ml-py is not installed")

# Prints every record as a line of JSON until its input ends.
WATCHER = """
import json, os, select, sys, time
import msgspec
from whydied.run.observe import gpu

watch = gpu.GpuWatch({os.getpid()}, every_s=0.02)
watch.start()
while not select.select([sys.stdin], [], [], 0.02)[0]:
    for record in watch.take():
        print(json.dumps({"kind": type(record).__name__, **msgspec.to_builtins(record)}), flush=True)
watch.stop()
print(json.dumps({"kind": "over"}), flush=True)
"""
OPENER = """
import json, sys
{before}
from whydied.run.observe import gpu
opened = gpu.open_nvml()
print(json.dumps([opened.nvml is not None, opened.reason, "pynvml" in sys.modules]))
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stand_in.build(tmp_path_factory.mktemp("nvml"))


def watched(driver: Driver) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WATCHER],
        env=driver.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def opened(driver: Driver, before: str = "") -> tuple[bool, str, bool]:
    words = [sys.executable, "-c", OPENER.format(before=before)]
    done = subprocess.run(words, env=driver.environment, capture_output=True, text=True, check=True)
    works, reason, imported = json.loads(done.stdout)
    return works, reason, imported


@pytest.fixture
def driver(tmp_path: Path, library: Path) -> Driver:
    return Driver(tmp_path / "says", library)


@pytest.fixture
def watch(driver: Driver) -> Iterator[Callable[[Driver], subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start(which: Driver = driver) -> subprocess.Popen[str]:
        started.append(watched(which))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def until(process: subprocess.Popen[str], fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first record that fits. The test's time limit ends the wait for one that never comes."""
    assert process.stdout is not None
    for line in process.stdout:
        record: dict[str, Any] = json.loads(line)
        assert record["kind"] != "InternalError", record
        if fits(record):
            return record
    raise AssertionError("the watch ended")


def test_devices_and_versions_are_told(driver: Driver, watch: Any) -> None:
    driver.say(device(0), device(GIB, total=40 * GIB, name="Other GPU"))
    process = watch()
    first = until(process, lambda record: record["kind"] == "GpuFound")
    assert first == {
        "kind": "GpuFound",
        "index": 0,
        "name": "NVIDIA Test GPU",
        "uuid": "GPU-4ab8",
        "total_bytes": 16 * GIB,
        "driver": "550.54.14",
        "cuda_driver": "12.4",
        "capability": "8.9",
    }
    second = until(process, lambda record: record["kind"] == "GpuFound")
    assert (second["index"], second["name"], second["total_bytes"]) == (1, "Other GPU", 40 * GIB)


def test_memory_by_process_tells_ours_from_strangers(driver: Driver, watch: Any) -> None:
    driver.say(device(12 * GIB))
    process = watch()
    driver.say(
        device(12 * GIB),
        f"process|0|compute|{os.getpid()}|{8 * GIB}",
        f"process|0|compute|{process.pid}|{3 * GIB}",
        f"process|0|graphics|{process.pid}|{3 * GIB}",
    )
    record = until(process, lambda record: bool(record.get("processes")))
    assert (record["used_bytes"], record["free_bytes"], record["busy_percent"]) == (12 * GIB, 4 * GIB, 37)
    stranger, own = record["processes"]
    assert (stranger["pid"], stranger["used_bytes"], stranger["ours"]) == (os.getpid(), 8 * GIB, False)
    assert (own["pid"], own["used_bytes"], own["ours"]) == (process.pid, 3 * GIB, True)
    assert stranger["name"] == Path("/proc/self/comm").read_text().strip()
    assert stranger["command"]
    assert stranger["age_s"] >= 0


def test_what_changes_is_seen_and_the_watch_ends_when_asked(driver: Driver, watch: Any) -> None:
    driver.say(device(GIB))
    process = watch()
    until(process, lambda record: record.get("used_bytes") == GIB)
    driver.say(device(9 * GIB, busy=99))
    changed = until(process, lambda record: record.get("used_bytes") == 9 * GIB)
    assert changed["busy_percent"] == 99
    process.stdin.close()
    until(process, lambda record: record["kind"] == "over")
    assert process.wait() == 0


def test_a_driver_that_lacks_the_newest_functions_is_asked_by_the_older_names(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, watch: Any
) -> None:
    old = Driver(tmp_path / "says", stand_in.build(tmp_path_factory.mktemp("old"), "-DOLD_DRIVER"))
    old.say(device(GIB), f"process|0|compute|1|{GIB}")
    record = until(watch(old), lambda record: bool(record.get("processes")))
    assert [(held["pid"], held["used_bytes"]) for held in record["processes"]] == [(1, GIB)]


def test_memory_that_the_driver_does_not_tell_is_unknown(driver: Driver, watch: Any) -> None:
    driver.say(device(GIB), "process|0|compute|1|-1")
    record = until(watch(), lambda record: bool(record.get("processes")))
    assert record["processes"][0].get("used_bytes") is None


def test_a_device_without_utilisation_is_sampled_all_the_same(driver: Driver, watch: Any) -> None:
    driver.say(device(GIB), "fail|nvmlDeviceGetUtilizationRates|3")
    record = until(watch(), lambda record: record["kind"] == "GpuSampled")
    assert record.get("busy_percent") is None


def test_a_lost_device_is_told_once_and_the_watch_goes_on(driver: Driver, watch: Any) -> None:
    driver.say(device(GIB))
    process = watch()
    until(process, lambda record: record["kind"] == "GpuSampled")
    driver.say(device(GIB), "fail|nvmlDeviceGetMemoryInfo|15")
    lost = until(process, lambda record: record["kind"] == "GpuFailed")
    assert (lost["index"], lost["code"]) == (0, 15)
    driver.say(device(2 * GIB))
    kinds: list[str] = []
    until(process, lambda record: kinds.append(record["kind"]) or record.get("used_bytes") == 2 * GIB)  # type: ignore[func-returns-value]
    assert "GpuFailed" not in kinds


def test_a_driver_that_hangs_keeps_nobody(driver: Driver, watch: Any) -> None:
    driver.say(device(GIB))
    process = watch()
    until(process, lambda record: record["kind"] == "GpuSampled")
    driver.say(device(GIB), "fail|nvmlDeviceGetMemoryInfo|-1")
    process.stdin.close()
    until(process, lambda record: record["kind"] == "over")
    assert process.wait() == 0


def test_nvml_that_does_not_start_gives_its_reason(driver: Driver) -> None:
    driver.say("fail|nvmlInitWithFlags|9")
    works, reason, _ = opened(driver)
    assert not works
    assert reason.startswith("NVML does not start")


def test_without_the_binding_there_is_a_reason_and_no_error(driver: Driver) -> None:
    driver.say(device(GIB))
    assert opened(driver, "sys.modules['pynvml'] = None")[:2] == (
        False,
        "nvidia-ml-py is not installed, so GPUs are not watched",
    )


def test_without_the_library_the_binding_is_not_even_imported(driver: Driver) -> None:
    driver.environment.pop("LD_LIBRARY_PATH")
    works, reason, imported = opened(driver)
    if works or "no NVIDIA driver library" not in reason:
        pytest.skip("this machine has a real libnvidia-ml.so.1")
    assert not imported


def test_without_a_driver_the_watch_is_silent(driver: Driver, watch: Any) -> None:
    driver.environment["LD_LIBRARY_PATH"] = ""
    if opened(driver)[0]:
        pytest.skip("this machine has a real libnvidia-ml.so.1")
    process = watch(driver)
    process.stdin.close()
    assert json.loads(process.stdout.readline()) == {"kind": "over"}


@pytest.mark.parametrize(
    ("line", "is_fault"),
    [
        ("NVRM: Xid (PCI:0000:01:00): 31, pid=4242, name=python, Ch 00000008, intr 00000000. MMU Fault", True),
        ("NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.", True),
        ("NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.14", False),
        ("python[4242]: segfault at 0 ip 0 sp 0 error 4", False),
    ],
)
def test_the_drivers_faults_in_the_kernels_log_are_known(line: str, is_fault: bool) -> None:
    assert gpu.is_device_fault(line) is is_fault
