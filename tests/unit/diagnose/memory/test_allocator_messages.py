"""What allocators say when memory runs out. The dumps are real ones of TensorFlow 2.21: its CPU allocator under a limit
is the same code as the GPU's."""

from __future__ import annotations

from pathlib import Path

import pytest

from whydied.diagnose.memory import allocator_messages
from whydied.diagnose.memory.allocator_messages import ChunkGroup, NamedUse

DUMPS = Path(__file__).resolve().parents[3] / "fixtures" / "bfc"
MIB, GIB = 1 << 20, 1 << 30


def dump(name: str) -> tuple[str, str]:
    """A log and the message of its last exception, as if of a GPU."""
    text = (DUMPS / name).read_text().replace("mklcpu", "GPU_0_bfc").replace("device:CPU:0", "device:GPU:0")
    return text, text[text.rindex("ResourceExhaustedError") :]


def test_a_fragmented_pool_is_told_from_a_full_one() -> None:
    log, message = dump("fragmented.txt")
    found = allocator_messages.parse(message, log)
    assert found is not None
    assert found.is_device
    assert (found.asked_bytes, found.shape, found.dtype, found.op) == (60_000_000, (15, 1000, 1000), "float", "Fill")
    assert found.free_bytes == pytest.approx(131_336_704, rel=0.001)
    assert found.largest_free_bytes == 33_554_432
    assert found.limit_bytes == pytest.approx(256_000_000, rel=0.001)
    assert found.unreserved_bytes == 0
    assert found.fragmented
    assert found.groups[0] == ChunkGroup(2, 24_000_000)


def test_a_session_that_was_asked_for_it_names_the_holders() -> None:
    log, message = dump("session.txt")
    found = allocator_messages.parse(message, log)
    assert found is not None
    assert found.uses == (NamedUse("first/RandomStandardNormal", int(190.73 * MIB)),)
    assert found.op == "product"
    assert (found.in_use_bytes, found.free_bytes, found.fragmented) == (512 * MIB, 0, False)
    assert found.groups == (ChunkGroup(2, 256 * MIB),)


def test_a_log_that_lost_its_middle_says_nothing_about_the_largest_piece() -> None:
    log, message = dump("fragmented.txt")
    lines = log.splitlines(keepends=True)
    cut = [line for line in lines if "Free  at" not in line or "25782272" in line]
    found = allocator_messages.parse(message, "".join(cut))
    assert found is not None
    assert found.largest_free_bytes is None
    assert not found.fragmented


def test_the_message_alone_gives_what_was_asked_for() -> None:
    found = allocator_messages.parse(
        "OOM when allocating tensor with shape[64,512,512,32] and type half on "
        "/job:localhost/replica:0/task:0/device:GPU:1 by allocator GPU_1_bfc [Op:Conv2D]"
    )
    assert found is not None
    assert (found.allocator, found.asked_bytes, found.op) == ("GPU_1_bfc", 64 * 512 * 512 * 32 * 2, "Conv2D")
    assert found.in_use_bytes is None


def test_a_request_that_was_given_up_is_no_failure() -> None:
    line = (
        "W tensorflow/core/common_runtime/bfc_allocator.cc:243] Allocator (GPU_0_bfc) ran out of memory trying to "
        "allocate 1.25GiB with freed_by_count=0. The caller indicates that this is not a failure, but may mean that "
        "there could be performance gains if more memory were available.\n"
    )
    assert allocator_messages.parse("", line) is None


def test_older_logs_are_read() -> None:
    log = (
        "W tensorflow/core/common_runtime/bfc_allocator.cc:271] Allocator (GPU_0_bfc) ran out of memory trying to "
        "allocate 3.33GiB.  Current allocation summary follows.\n"
        "I bfc_allocator.cc:641] 2 Chunks of size 3576881152 totalling 6.66GiB\n"
        "I bfc_allocator.cc:641] 10 Chunks of size 16777216 totalling 160.00MiB\n"
        "I bfc_allocator.cc:647] Stats: \nLimit:                 10925244416\nInUse:                  7613320960\n"
    )
    found = allocator_messages.parse("", log)
    assert found is not None
    assert found.asked_bytes == int(3.33 * GIB)
    assert (found.limit_bytes, found.in_use_bytes) == (10925244416, 7613320960)
    assert found.groups[0] == ChunkGroup(2, 3576881152)


def test_another_allocators_dump_is_not_mixed_in() -> None:
    log, _ = dump("fragmented.txt")
    found = allocator_messages.parse(
        "OOM when allocating tensor with shape[4] and type float on x by allocator GPU_1_bfc", log
    )
    assert found is not None
    assert found.limit_bytes is None


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes.", 4 * GIB),
        ("Out of memory while trying to allocate 2.50GiB. [Op:__inference_one_step_on_iterator]", int(2.5 * GIB)),
        (
            "failed to allocate 11.40G (12238104064 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
            12238104064,
        ),
    ],
)
def test_other_forms(message: str, asked: int) -> None:
    found = allocator_messages.parse(message)
    assert found is not None
    assert found.asked_bytes == asked


def test_cudas_own_allocator_tells_the_devices_memory() -> None:
    found = allocator_messages.parse(
        "gpu_async_0 cuMemAllocAsync failed to allocate 4294967296 bytes: CUDA error: out of memory "
        "(CUDA_ERROR_OUT_OF_MEMORY)\n Reported by CUDA: Free memory/Total memory: 123207680/16928342016"
    )
    assert found is not None
    assert found.is_device
    assert (found.asked_bytes, found.device_free_bytes) == (4 * GIB, 123207680)


@pytest.mark.parametrize(
    ("text", "size"),
    [("0B", 0), ("26.70MiB", int(26.7 * MIB)), ("11.40G", int(11.4 * GIB)), ("268435456", 256 * MIB), ("x", None)],
)
def test_sizes(text: str, size: int | None) -> None:
    assert allocator_messages.size_bytes(text) == size


@pytest.mark.parametrize("text", ["", "KeyError: 'x'", "OOM", "Allocator () ran out of memory trying to allocate"])
def test_other_texts_tell_of_no_failure(text: str) -> None:
    assert allocator_messages.parse(text, text) is None


def test_the_hosts_pinned_memory_is_not_the_devices() -> None:
    found = allocator_messages.parse(
        "OOM when allocating tensor with shape[9] and type float on x by allocator cuda_host_bfc"
    )
    assert found is not None
    assert not found.is_device


def test_a_request_of_xla_is_that_of_all_it_compiled() -> None:
    text = (
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 6291456 bytes.\nBufferAssignment OOM Debugging.\n"
        'Peak buffers:\n\tBuffer 1:\n\t\tSize: 6.00MiB\n\t\tOperator: op_name="jit(f)/concatenate" '
        'source_file="/home/ann/models.py" source_line=689\n\t\tXLA Label: concatenate\n'
    )
    found = allocator_messages.parse(text)
    assert found is not None
    assert (found.compiled, found.asked_bytes) == (True, 6 * MIB)
    assert found.uses == (NamedUse("jit(f)/concatenate (models.py:689)", 6 * MIB),)


def test_a_request_of_the_drivers_own_allocator_is_not_of_xla() -> None:
    found = allocator_messages.parse("cuMemAllocAsync failed to allocate 8589934592 bytes: CUDA error: out of memory")
    assert found is not None
    assert not found.compiled
