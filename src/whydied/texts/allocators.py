"""What allocators say when memory runs out: TensorFlow's dump in the log and its exception, CUDA's own, XLA's, NumPy's,
and a full disk. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

SIZE = r"[\d.]+ ?(?:[KMGTPE]i?B?|B|bytes)?"
_POOL_IS_FULL = """\
import os
os.environ |= {"TF_CPU_ALLOCATOR_USE_BFC": "true", "TF_CPU_BFC_MEM_LIMIT_IN_MB": "64"}
import tensorflow as tf
kept = [tf.zeros(1 << 20) for _ in range(10)]
tf.zeros(1 << 25)"""
_GPU = "GPU; the reports that GPU001 lists"
_TOO_LARGE = "tf.zeros((1 << 20, 1 << 20))"

RAN_OUT = Text(
    "tensorflow",
    rf"Allocator \((?P<allocator>[^)]+)\) ran out of memory trying to allocate (?P<asked>{SIZE})"
    r"(?: \(rounded to (?P<rounded>\d+)\))?(?:\s?requested by op (?P<op>\S+))?(?P<rest>[^\n]*)",
    "Allocator (mklcpu) ran out of memory trying to allocate 190.73MiB (rounded to 200000000)requested by op product",
    seen=("tensorflow 2.21",),
    provoked_by=_POOL_IS_FULL,
    alone=True,
)
GAVE_UP = Text(
    "tensorflow",
    r"not a failure",
    "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.2GiB. The caller says that this is not a failure",
    known_from=_GPU,
)
TENSOR_REFUSED = Text(
    "tensorflow",
    r"OOM when allocating tensor with shape\s?\[(?P<shape>[\d,\s]*)\](?: and type (?P<dtype>\w+))?"
    r"(?: on (?P<device>\S+))?(?: by allocator (?P<allocator>\S+))?",
    "OOM when allocating tensor with shape[1048576,1048576] and type float on /device:CPU:0 by allocator cpu",
    seen=("tensorflow 2.21",),
    provoked_by=_TOO_LARGE,
)
XLA_REFUSED = Text(
    "tensorflow",
    r"Out of memory while trying to allocate (?P<asked>[\d.]+ ?\w*)",
    "Out of memory while trying to allocate 8.00TiB. [Op:__inference_f_23]",
    seen=("tensorflow 2.21",),
    provoked_by="tf.function(lambda n: tf.random.uniform((1 << 20, 1 << 21)) * n, jit_compile=True)(tf.constant(1.0))",
)
CUDA_REFUSED = Text(
    "cuda",
    r"(?:cuMemAllocAsync )?failed to allocate (?:[\d.]+\w? \()?(?P<cuda>\d+) bytes\)?",
    "cuMemAllocAsync failed to allocate 8589934592 bytes: CUDA error: out of memory (CUDA_ERROR_OUT_OF_MEMORY)",
    known_from=_GPU,
)
CUDA_ASYNC = Text("cuda", r"cuMemAllocAsync", CUDA_REFUSED.example, known_from=CUDA_REFUSED.known_from)
CUDA_OUT_OF_MEMORY = Text(
    "cuda", r"CUDA_ERROR_OUT_OF_MEMORY", CUDA_REFUSED.example, known_from="NVIDIA's list of CUDA driver errors"
)
CUDA_RUNTIME_OUT_OF_MEMORY = Text(
    "cuda",
    r"CUDA (?:runtime )?error: out of memory",
    CUDA_REFUSED.example,
    known_from=_GPU,
)
DEVICE_STATE = Text(
    "cuda",
    r"Free memory/Total memory: (\d+)/(\d+)",
    "Stats: Free memory/Total memory: 1048576/8589934592",
    known_from=_GPU,
)
POOL = Text(
    "tensorflow",
    rf"Total size in pool: (?P<pool>{SIZE}) memory_limit_: (?P<limit>{SIZE}) available size: (?P<available>{SIZE})",
    "Total size in pool: 62.00MiB memory_limit_: 64.00MiB available size: 2.00MiB",
    seen=("tensorflow 2.21",),
    provoked_by=_POOL_IS_FULL,
    alone=True,
)
STATISTIC = Text(
    "tensorflow",
    rf"^(Limit|InUse):\s+({SIZE})\s*$",
    "InUse:                        40.00MiB",
    seen=("tensorflow 2.21",),
    provoked_by=_POOL_IS_FULL,
    alone=True,
    flags=re.MULTILINE,
)
CHUNK = Text(
    "tensorflow",
    r"\b(InUse|Free|Chunk)\s+at \S+ of size (\d+)",
    "Free  at 7f14eabff040 of size 20971520 next 18446744073709551615",
    seen=("tensorflow 2.21",),
    provoked_by=_POOL_IS_FULL,
    alone=True,
)
CHUNKS_OF_A_SIZE = Text(
    "tensorflow",
    r"(\d+) Chunks of size (\d+) totalling",
    "10 Chunks of size 4194304 totalling 40.00MiB",
    seen=("tensorflow 2.21",),
    provoked_by=_POOL_IS_FULL,
    alone=True,
)
USAGE = Text(
    "tensorflow",
    r"Current usage from device: (\S+), allocator: (\S+)\n((?:[ \t]+\S.*\n?)*)",
    "Current usage from device: /device:CPU:0, allocator: cpu\n  8B from uniform/shape\n",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    size = v1.placeholder(tf.int32, ())
    told = v1.RunOptions(report_tensor_allocations_upon_oom=True)
    session.run(tf.random.uniform((size, size)), {size: 1 << 21}, options=told)""",
)
USE = Text(
    "tensorflow",
    rf"^\s+({SIZE}) from (\S+)",
    "  8B from uniform/shape",
    seen=("tensorflow 2.21",),
    provoked_by=USAGE.provoked_by,
    flags=re.MULTILINE,
)
ABOUT_MEMORY = Text(
    "tensorflow", r"OOM|allocat|memory", TENSOR_REFUSED.example, seen=("tensorflow 2.21",), provoked_by=_TOO_LARGE
)
ARRAY_REFUSED = Text(
    "numpy",
    r"Unable to allocate (?P<size>[\d.]+ (?:[KMGTPE]?i?B|bytes)) for an array "
    r"with shape \((?P<shape>[\d,\s]*)\) and data type (?P<dtype>\S+)",
    "Unable to allocate 128. PiB for an array with shape (1073741824, 16777216) and data type float64",
    seen=("numpy 2.4",),
    provoked_by="np.zeros((1 << 30, 1 << 24))",
)
DISK_IS_FULL = Text(
    "tensorflow",
    r"No space left on device|ENOSPC",
    "/dev/full; No space left on device",
    seen=("tensorflow 2.21",),
    provoked_by='tf.io.write_file("/dev/full", "a" * (1 << 20))',
)
QUOTA_EXCEEDED = Text(
    "glibc",
    r"Disk quota exceeded",
    "model.h5; Disk quota exceeded",
    seen=("glibc",),
    provoked_by="import errno, os\nprint(os.strerror(errno.EDQUOT))",
)
NO_ROOM_ON_DISK = Text(
    "tensorflow",
    r"No space left|quota",
    DISK_IS_FULL.example,
    seen=("tensorflow 2.21",),
    provoked_by=DISK_IS_FULL.provoked_by,
)
