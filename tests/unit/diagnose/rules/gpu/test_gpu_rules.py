"""Failures on a GPU: each with a case that is it, and near misses that are not."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.unit.diagnose.case_of import GIB, PID, case_of, line, raised, recording_of, sample
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.diagnose.rules.gpu import driver_fault
from whydied.records import (
    DeviceProcess,
    ExceptionRaised,
    GpuFailed,
    GpuFound,
    GpuSampled,
    KernelLogged,
    ProcessExiting,
    Record,
)

FOUND = GpuFound(index=0, name="NVIDIA T4", total_bytes=16 * GIB, driver="550.54.14", cuda_driver="12.4")
FRAGMENTED = Path(__file__).resolve().parents[4] / "fixtures" / "bfc" / "fragmented.txt"
OOM = (
    "OOM when allocating tensor with shape[1024,1024,1024] and type float on "
    "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Mul]"
)
CUDNN = "Failed to get convolution algorithm. This is probably because cuDNN failed to initialize"
LAUNCH = "failed to query event: CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure"
XID = "NVRM: Xid (PCI:0000:01:00): {}, pid={}, name=python, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS"
WRONG_CUDNN = (
    "E0000 00:00:1738697930.202924    7665 cuda_dnn.cc:522] Loaded runtime CuDNN library: 9.1.0 but source was "
    "compiled with: 9.3.0.  CuDNN library needs to have matching major version and equal or higher minor version.\n"
)


def look(own: int = 0, foreign: int = 0, index: int = 0, hidden: int = 0, busy: int = 50) -> GpuSampled:
    held = []
    if own:
        held.append(DeviceProcess(pid=PID, used_bytes=own, name="python", user="ann", ours=True))
    if foreign:
        held.append(
            DeviceProcess(
                pid=77,
                used_bytes=foreign,
                name="python",
                user="bob",
                command="python serve.py",
                age_s=7200.0,
                ours=False,
            )
        )
    if hidden:
        held.append(DeviceProcess(pid=9, used_bytes=hidden))
    used = own + foreign + hidden
    return GpuSampled(index=index, used_bytes=used, free_bytes=16 * GIB - used, busy_percent=busy, processes=held)


def verdict(*supervisor: Record, error: ExceptionRaised | None = None, **fields: object) -> Diagnosis:
    """A run in which the exception comes well after the looks at the device."""
    if error is not None:
        fields.setdefault("process", [*([line()] * 12), error])
        fields.setdefault("exit_code", 1)
    return diagnose(recording_of(*supervisor, **fields))  # type: ignore[arg-type]


def names(found: Diagnosis) -> list[str]:
    """The death, and what the rules of this family found below it."""
    return [finding.name for finding in found.findings if finding.code.startswith("GPU") or finding == found.death]


# device-memory-exhausted


def test_an_exhausted_device_says_what_was_asked_and_what_was_free() -> None:
    found = verdict(FOUND, look(own=14 * GIB), error=raised("ResourceExhaustedError", OOM))
    assert found.death is not None
    assert (found.death.code, found.death.name, found.death.certainty) == (
        "GPU001",
        "device-memory-exhausted",
        "certain",
    )
    assert found.cause == found.death
    assert found.death.message == (
        "train.py:5: GPU 0 (NVIDIA T4, 16.0 GiB) had no room for 4.00 GiB (shape [1024, 1024, 1024], float): "
        "2.00 GiB was free at the last sample"
    )
    assert found.death.culprit is not None
    assert (found.death.culprit.name, found.death.culprit.bytes) == ("Mul", 4 * GIB)


def test_the_hosts_allocator_is_not_the_device() -> None:
    message = OOM.replace("GPU:0", "CPU:0").replace("GPU_0_bfc", "mklcpu")
    assert names(verdict(FOUND, look(own=GIB), error=raised("ResourceExhaustedError", message))) == [
        "allocation-refused"
    ]


def test_fragmentation_is_said() -> None:
    log = FRAGMENTED.read_text().replace("mklcpu", "GPU_0_bfc").replace("device:CPU:0", "device:GPU:0")
    message = log[log.rindex("OOM when") :]
    found = verdict(FOUND, look(own=GIB), error=raised("ResourceExhaustedError", message), output=log).death
    assert found is not None
    assert "125 MiB was free, but in pieces of at most 32.0 MiB" in found.message
    assert "cuda_malloc_async" in found.advice[0]
    assert {item.fact for item in found.evidence} >= {"free in its pool", "largest free chunk", "largest holders"}


def test_a_whole_array_copied_to_the_device_is_no_matter_of_batch_size() -> None:
    message = (
        "Failed copying input tensor from CPU:0 to GPU:0 in order to run _EagerConst: Dst tensor is not initialized."
    )
    log = (
        "W bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 12.00GiB "
        "(rounded to 12884901888)requested by op _EagerConst\n"
    )
    found = verdict(FOUND, look(own=14 * GIB), error=raised("InternalError", message), output=log).death
    assert found is not None
    assert (found.name, found.certainty) == ("device-memory-exhausted", "certain")
    assert "12.0 GiB" in found.message
    assert "batches from the host" in found.advice[0]
    unlogged = verdict(FOUND, look(own=14 * GIB), error=raised("InternalError", message)).death
    assert unlogged is not None
    assert (unlogged.name, unlogged.certainty) == ("device-memory-exhausted", "likely")


def test_xla_names_no_device_so_the_programs_memory_on_one_tells() -> None:
    error = raised("ResourceExhaustedError", "Out of memory while trying to allocate 4294967296 bytes.")
    on_device = verdict(FOUND, look(own=14 * GIB), error=error).death
    assert on_device is not None
    assert (on_device.name, on_device.certainty) == ("device-memory-exhausted", "likely")
    assert names(verdict(FOUND, look(), error=error)) == ["allocation-refused"]
    assert names(verdict(error=error)) == ["allocation-refused"]


def test_an_abort_after_cudas_own_error() -> None:
    log = "E cuda_driver.cc:806] failed to allocate 11.40G (12238104064 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY\n"
    found = verdict(FOUND, look(own=GIB), output=log, signal=signal.SIGABRT).death
    assert found is not None
    assert found.name == "device-memory-exhausted"
    assert found.culprit is not None
    assert found.culprit.bytes == 12238104064


def test_a_request_that_was_tried_again_smaller_is_no_failure() -> None:
    """TensorFlow logs the same line when it only tries; the program then fails for another reason, or finishes."""
    log = "E cuda_driver.cc:806] failed to allocate 11.40G (12238104064 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY\n"
    assert names(verdict(FOUND, look(own=GIB), error=raised("KeyError", "'x'"), output=log)) == ["uncaught-exception"]
    finished = verdict(FOUND, look(own=GIB), output=log, exit_code=0, process=[ProcessExiting()])
    assert finished.findings == []


# device-held-by-others


def test_a_stranger_on_the_device_is_the_cause() -> None:
    found = verdict(
        FOUND, look(foreign=11 * GIB), look(own=3 * GIB, foreign=11 * GIB), error=raised("ResourceExhaustedError", OOM)
    )
    assert names(found) == ["device-held-by-others", "device-memory-exhausted"]
    assert found.cause is not None
    assert (found.cause.code, found.cause.certainty) == ("GPU002", "certain")
    assert found.cause.message == (
        "GPU 0 (NVIDIA T4, 16.0 GiB): python (pid 77, user bob) holds 11.0 GiB, since before the program started; "
        "train.py held 3.00 GiB and needed 4.00 GiB more"
    )
    assert "python serve.py" in [item.value for item in found.cause.evidence]
    assert "2 h 00 min" in [item.value for item in found.cause.evidence]


def test_a_stranger_that_came_later_is_said_so() -> None:
    looks = [look(own=3 * GIB), look(own=3 * GIB, foreign=11 * GIB)]
    found = verdict(FOUND, *looks, error=raised("ResourceExhaustedError", OOM)).cause
    assert found is not None
    assert "taken while the program ran" in found.message


@pytest.mark.parametrize(
    "state",
    [look(own=13 * GIB), look(own=13 * GIB, foreign=GIB), look(own=3 * GIB, hidden=12 * GIB)],
    ids=["nobody", "a small one", "one that may be our own"],
)
def test_without_a_large_stranger_there_is_none(state: GpuSampled) -> None:
    assert names(verdict(FOUND, state, error=raised("ResourceExhaustedError", OOM))) == ["device-memory-exhausted"]


def test_a_request_that_fits_no_empty_device_is_nobodys_fault_but_its_own() -> None:
    huge = OOM.replace("[1024,1024,1024]", "[1024,1024,1024,5]")
    found = verdict(FOUND, look(own=GIB, foreign=8 * GIB), error=raised("ResourceExhaustedError", huge))
    assert names(found) == ["device-memory-exhausted"]


def test_a_stranger_on_another_device_is_no_cause() -> None:
    other = GpuFound(index=1, name="NVIDIA T4", total_bytes=16 * GIB)
    found = verdict(
        FOUND, other, look(own=14 * GIB), look(foreign=15 * GIB, index=1), error=raised("ResourceExhaustedError", OOM)
    )
    assert names(found) == ["device-memory-exhausted"]


def test_a_look_after_the_failure_does_not_count() -> None:
    """The program's memory is given back when it ends: then the device looks empty."""
    late = [look(own=3 * GIB, foreign=11 * GIB), *([sample(GIB)] * 20), look()]
    found = verdict(FOUND, *late, error=raised("ResourceExhaustedError", OOM))
    assert names(found) == ["device-held-by-others", "device-memory-exhausted"]


# driver-fault


def test_an_xid_line_that_names_the_program_is_certain() -> None:
    lines = [KernelLogged(line=XID.format(45, PID)), KernelLogged(line=XID.format(31, PID))]
    found = verdict(FOUND, look(own=GIB), *lines, error=raised("InternalError", LAUNCH))
    assert names(found) == ["driver-fault", "uncaught-exception"]
    assert found.cause is not None
    assert (found.cause.code, found.cause.certainty) == ("GPU003", "certain")
    assert "Xid 31: code on the device accessed memory outside its bounds" in found.cause.message


def test_an_error_of_cuda_alone_is_likely_also_in_a_crash() -> None:
    found = verdict(error=raised("InternalError", LAUNCH)).cause
    assert found is not None
    assert (found.name, found.certainty) == ("driver-fault", "likely")
    crashed = verdict(
        output=f"E cuda_event.cc:48] {LAUNCH}\nF gpu_event_mgr.cc:274] Unexpected Event status: 1\n",
        signal=signal.SIGABRT,
    )
    assert names(crashed) == ["driver-fault", "native-abort"]


def test_a_lost_device() -> None:
    lost = GpuFailed(index=0, error="GPU is lost", code=15)
    found = verdict(FOUND, look(own=GIB), lost, signal=signal.SIGABRT, output="F Check failed\n").cause
    assert found is not None
    assert (found.name, found.certainty) == ("driver-fault", "certain")
    assert "GPU 0 was lost" in found.message


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (XID.format(31, PID + 1), raised("KeyError", "'x'")),
        (XID.format(31, PID + 1), raised("InternalError", "something else")),
        (XID.format(45, PID), raised("KeyError", "'x'")),
        ("NVRM: Xid (PCI:0000:01:00): 13, Graphics Exception: ESR 0x404600=0x80000002", raised("KeyError", "'x'")),
        ("python[9]: segfault at 0", raised("KeyError", "'x'")),
    ],
    ids=["a stranger's", "a stranger's, of ours another error", "cleaning up", "nobody's", "no Xid"],
)
def test_other_lines_are_no_fault_of_the_device(line: str, error: ExceptionRaised) -> None:
    assert names(verdict(FOUND, look(own=GIB), KernelLogged(line=line), error=error)) == ["uncaught-exception"]


def test_a_program_that_was_killed_leaves_lines_and_no_finding() -> None:
    killed = verdict(FOUND, look(own=GIB), KernelLogged(line=XID.format(43, PID)), signal=signal.SIGKILL)
    assert "driver-fault" not in names(killed)
    finished = verdict(KernelLogged(line=XID.format(31, PID)), exit_code=0, process=[ProcessExiting()])
    assert finished.findings == []


def test_a_machine_without_a_gpu_says_so_and_that_is_no_fault() -> None:
    log = "E cuda_platform.cc:52] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n"
    assert names(verdict(error=raised("KeyError", "'x'"), output=log)) == ["uncaught-exception"]


def test_xid_lines_of_several_drivers_are_read() -> None:
    read = driver_fault.xids(
        [
            "NVRM: Xid (PCI:0000:41:00): 43, pid=12, name=python3, Ch 00000008",
            "NVRM: Xid (PCI:0000:41:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
            "NVRM: Xid (0000:01:00): 13, 0002 00000000 0000a197",
        ]
    )
    assert [(xid.number, xid.pid) for xid in read] == [(79, None), (13, None), (43, 12)]


# library-mismatch


def test_two_versions_in_the_log_are_a_mismatch() -> None:
    error = raised("FailedPreconditionError", "DNN library initialization failed. Look at the errors above")
    found = verdict(FOUND, look(own=GIB), error=error, output=WRONG_CUDNN)
    assert names(found) == ["library-mismatch", "uncaught-exception"]
    assert found.cause is not None
    assert (found.cause.code, found.cause.certainty) == ("GPU004", "certain")
    assert found.cause.message == "train.py:5: cuDNN 9.1.0 was loaded, TensorFlow was built for 9.3.0"


def test_a_driver_that_is_too_old() -> None:
    message = "cudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version"
    found = verdict(error=raised("InternalError", message)).cause
    assert found is not None
    assert (found.name, found.certainty) == ("library-mismatch", "certain")
    assert "Update the NVIDIA driver" in found.advice[0]


def test_a_missing_library_counts_where_the_program_fails_by_it() -> None:
    log = "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file\n"
    found = verdict(output=log + "cudnn: Aborted\n", signal=signal.SIGABRT).cause
    assert found is not None
    assert "libcudnn_cnn_infer.so.8 could not be loaded" in found.message


def test_a_missing_library_on_a_machine_without_a_gpu_is_an_everyday_warning() -> None:
    log = (
        "W dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open "
        "shared object file: No such file or directory\n"
        "W gpu_device.cc:1850] Cannot dlopen some GPU libraries. Skipping registering GPU devices...\n"
    )
    assert names(verdict(error=raised("KeyError", "'x'"), output=log)) == ["uncaught-exception"]
    assert verdict(output=log, exit_code=0, process=[ProcessExiting()]).findings == []


# The same words, two causes: told apart by the free memory recorded before.


def test_cudnn_that_does_not_start_with_much_memory_free_is_a_mismatch() -> None:
    found = verdict(FOUND, look(own=GIB), error=raised("UnknownError", CUDNN))
    assert names(found) == ["library-mismatch", "uncaught-exception"]
    assert found.cause is not None
    assert found.cause.certainty == "likely"
    assert "although 15.0 GiB of GPU 0" in found.cause.message


def test_cudnn_that_does_not_start_with_no_memory_free_is_a_full_device() -> None:
    full = look(own=16 * GIB - (100 << 20))
    assert names(verdict(FOUND, full, error=raised("UnknownError", CUDNN))) == ["device-memory-exhausted"]
    held = look(own=GIB, foreign=15 * GIB - (100 << 20))
    assert names(verdict(FOUND, held, error=raised("UnknownError", CUDNN))) == [
        "device-held-by-others",
        "device-memory-exhausted",
    ]


def test_cudnn_that_says_itself_that_it_got_no_memory() -> None:
    log = "E cuda_dnn.cc:329] Could not create cudnn handle: CUDNN_STATUS_ALLOC_FAILED\n"
    assert names(verdict(error=raised("UnknownError", CUDNN), output=log)) == ["device-memory-exhausted"]


@pytest.mark.parametrize("state", [look(own=15 * GIB), None], ids=["some memory free", "no look at all"])
def test_in_between_nothing_is_claimed(state: GpuSampled | None) -> None:
    seen = [FOUND, state] if state else []
    assert names(verdict(*seen, error=raised("UnknownError", CUDNN))) == ["uncaught-exception"]


def test_a_mismatch_in_the_log_is_no_shortage_however_little_is_free() -> None:
    full = look(own=16 * GIB - (100 << 20))
    found = verdict(FOUND, full, error=raised("UnknownError", CUDNN), output=WRONG_CUDNN)
    assert names(found) == ["library-mismatch", "uncaught-exception"]


def test_a_case_without_any_of_it_has_none() -> None:
    assert driver_fault.check(case_of(exit_code=0)) is None


def test_a_printed_traceback_is_not_quoted_as_the_frameworks_log() -> None:
    printed = f'E cuda_event.cc:48] {LAUNCH}\nTraceback (most recent call last):\n  raise X("{LAUNCH}")\nX: {LAUNCH}\n'
    found = verdict(error=raised("InternalError", LAUNCH), output=printed).cause
    assert found is not None
    quoted = [item.value for item in found.evidence if item.fact == "the framework's log"]
    assert quoted == [f"E cuda_event.cc:48] {LAUNCH}"]


def test_a_compiled_step_without_room_names_xla_and_the_way_without_it() -> None:
    text = "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 6442450944 bytes. [Op:__inference_step_12]"
    found = verdict(FOUND, look(own=14 * GIB), error=raised("ResourceExhaustedError", text)).death
    assert found is not None
    assert found.code == "GPU001"
    assert "no room for 6.00 GiB that XLA asked for the whole compiled step" in found.message
    assert "`jit_compile=False`" in found.advice[-1]
