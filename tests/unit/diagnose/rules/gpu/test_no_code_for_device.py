"""GPU005: a compute capability that the build has no code for, and a GPU that is there and was not used."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import GIB, PID, case_of, line, raised, recording_of
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.diagnose.gpu.unused_devices import unused
from whydied.native.compute_capability import capability, coverage
from whydied.records import DeviceProcess, DevicesSeen, GpuFound, GpuSampled, ProcessExiting, Record

NEW = GpuFound(index=0, name="RTX 5080", total_bytes=16 * GIB, driver="581.29", cuda_driver="13.0", capability="12.0")
OLD = GpuFound(index=0, name="Tesla K40m", total_bytes=12 * GIB, capability="3.5")
T4 = GpuFound(index=0, name="T4", total_bytes=16 * GIB, driver="550.54.14", cuda_driver="12.4", capability="7.5")
CODES = ["sm_60", "sm_70", "sm_80", "sm_89", "compute_90"]
BUILD = DevicesSeen(
    library="tensorflow",
    version="2.20.0",
    package="tensorflow",
    cuda="12.5.1",
    cudnn="9",
    capabilities=CODES,
    found=["CPU", "GPU"],
    visible=["CPU", "GPU"],
)
CPU_BUILD = DevicesSeen(
    library="tensorflow", version="2.21.0", package="tensorflow-cpu", found=["CPU"], visible=["CPU"]
)
HANDLE = (
    "{{function_node __wrapped__Mul_device_/job:localhost/replica:0/task:0/device:GPU:0}} 'cuLaunchKernel(function, "
    "gridX, gridY, gridZ, blockX, blockY, blockZ, 0, reinterpret_cast<CUstream>(stream), params, nullptr)' failed with "
    "'CUDA_ERROR_INVALID_HANDLE' [Op:Mul]"
)
PTX_LOG = (
    "W0000 gpu_device.cc:2431] TensorFlow was not built with CUDA kernel binaries compatible with compute capability "
    "12.0. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer.\n"
    "W tf_gpu_runtime_wrappers.cc:40] 'cuModuleLoadData(&module, data)' failed with 'CUDA_ERROR_INVALID_PTX'\n"
)
NO_IMAGE = "CUDA error: no kernel image is available for execution on the device"


def verdict(*supervisor: Record, error: str, output: str = "", build: DevicesSeen | None = BUILD) -> Diagnosis:
    process = [line(), *([build] if build else []), raised("InternalError", error)]
    return diagnose(recording_of(*supervisor, process=process, exit_code=1, output=output))


def test_a_gpu_that_is_newer_than_the_build_is_told_with_both_lists() -> None:
    found = verdict(NEW, error=HANDLE, output=PTX_LOG).cause
    assert found is not None
    assert (found.code, found.certainty) == ("GPU005", "certain")
    assert found.message == (
        "train.py:5: GPU 0 (RTX 5080, 16.0 GiB) has compute capability 12.0; TensorFlow 2.20.0 has code for 6.0, 7.0, "
        "8.0, 8.9 and PTX for 9.0"
    )
    assert "newer TensorFlow" in found.advice[0]


def test_a_gpu_that_is_older_than_the_build_asks_for_an_older_release() -> None:
    found = verdict(OLD, error=NO_IMAGE).cause
    assert found is not None
    assert (found.code, found.certainty) == ("GPU005", "certain")
    assert "older TensorFlow" in found.advice[0]


def test_without_nvml_the_log_has_the_capability() -> None:
    found = verdict(error=HANDLE, output=PTX_LOG).cause
    assert found is not None
    assert "the GPU has compute capability 12.0" in found.message


def test_without_a_list_the_drivers_words_are_enough() -> None:
    found = verdict(error=NO_IMAGE, build=None).cause
    assert found is not None
    assert (found.code, found.message) == ("GPU005", "train.py:5: the installed build has no code for the GPU")


def test_code_of_somebody_else_is_not_the_builds_fault() -> None:
    """The build has a binary for 7.0, which runs on 7.5: a custom op lacks one."""
    found = verdict(T4, error=NO_IMAGE).cause
    assert found is not None
    assert found.code != "GPU005"


def test_an_invalid_handle_alone_is_not_a_capability() -> None:
    found = verdict(NEW, error=HANDLE).cause
    assert found is not None
    assert found.code != "GPU005"


def test_pytorch_lists_its_code_in_a_warning() -> None:
    warning = (
        "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\n"
        "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.\n"
    )
    build = DevicesSeen(library="torch", version="2.6.0+cu124", package="torch", cuda="12.4", found=["CPU", "GPU"])
    found = verdict(error=NO_IMAGE, output=warning, build=build).cause
    assert found is not None
    assert found.message == (
        "train.py:5: the GPU has compute capability 12.0; PyTorch 2.6.0+cu124 has code for 5.0, 6.0, 7.0, 7.5, 8.0, "
        "8.6, 9.0"
    )
    assert "newer PyTorch" in found.advice[0]


@pytest.mark.parametrize(("device", "runs"), [("7.5", True), ("8.6", True), ("5.2", False), ("9.0", False)])
def test_a_binary_runs_on_its_own_major_number(device: str, runs: bool) -> None:
    covered, found = coverage(CODES), capability(device)
    assert covered is not None
    assert found is not None
    assert covered.runs_on(found) is runs


# A GPU that was not used.


def notes(seen: DevicesSeen, *more: Record, gpu: GpuFound | None = T4, output: str = "") -> list[str]:
    supervisor = [*([gpu] if gpu else []), *more]
    return unused(case_of(*supervisor, process=[seen, ProcessExiting()], exit_code=0, output=output))


def seen(**changes: object) -> DevicesSeen:
    facts = {"library": "tensorflow", "version": "2.20.0", "package": "tensorflow", "cuda": "12.5.1", "cudnn": "9"}
    return DevicesSeen(**{**facts, "found": ["CPU"], "visible": ["CPU"], **changes})  # type: ignore[arg-type]


def test_a_build_without_cuda_is_told_with_what_to_install() -> None:
    assert notes(CPU_BUILD) == [
        "GPU 0 (T4, 16.0 GiB) was not used: TensorFlow 2.21.0 (tensorflow-cpu) is built without CUDA; pip uninstall -y "
        "tensorflow-cpu && pip install 'tensorflow[and-cuda]==2.21.0'"
    ]


def test_libraries_that_could_not_be_loaded_are_told_with_the_versions_of_the_build() -> None:
    (note,) = notes(seen(), output="W0000 gpu_device.cc:2342] Cannot dlopen some GPU libraries. Please make sure …\n")
    assert "could not load the libraries that it was built for (CUDA 12.5.1, cuDNN 9)" in note


def test_an_empty_variable_of_the_environment_is_told() -> None:
    (note,) = notes(seen(hidden_from_start="", hidden=""))
    assert "CUDA_VISIBLE_DEVICES='' in the environment hides it" in note


def test_a_device_that_is_too_old_is_told() -> None:
    log = (
        "Ignoring visible gpu device (device: 0, name: Tesla K40m, pci bus id: 0000:04:00.0, compute capability: 3.5) "
        "with Cuda compute capability 3.5. The minimum required Cuda capability is 6.0.\n"
    )
    (note,) = notes(seen(), gpu=OLD, output=log)
    assert "compute capability is 3.5, and TensorFlow 2.20.0 needs 6.0 or higher" in note


def test_a_driver_that_does_not_start_is_quoted() -> None:
    (note,) = notes(seen(), output="failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error\n")
    assert "CUDA did not start: CUDA_ERROR_UNKNOWN: unknown error (driver 550.54.14, up to CUDA 12.4)" in note


@pytest.mark.parametrize(
    "quiet",
    [
        seen(found=["CPU", "GPU"], visible=["CPU"]),  # set_visible_devices([])
        seen(hidden_from_start=None, hidden="-1"),  # os.environ in the program
        seen(hidden_from_start=None, hidden=""),
        seen(hidden_from_start="-1", hidden="-1"),
        seen(found=None),  # it has not computed
    ],
)
def test_what_the_program_hid_on_purpose_is_not_told(quiet: DevicesSeen) -> None:
    assert notes(quiet) == []


def test_without_a_gpu_nothing_is_told() -> None:
    assert notes(CPU_BUILD, gpu=None) == []


def test_memory_on_the_device_is_use() -> None:
    held = DeviceProcess(pid=PID, used_bytes=GIB, ours=True)
    assert notes(CPU_BUILD, GpuSampled(index=0, used_bytes=GIB, free_bytes=GIB, processes=[held])) == []
