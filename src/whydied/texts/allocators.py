"""What allocators say when memory runs out: TensorFlow's dump in the log and its exception, CUDA's own, XLA's, NumPy's,
and a full disk. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

SIZE = r"[\d.]+ ?(?:[KMGTPE]i?B?|B|bytes)?"

RAN_OUT = Text(
    "tensorflow",
    rf"Allocator \((?P<allocator>[^)]+)\) ran out of memory trying to allocate (?P<asked>{SIZE})"
    r"(?: \(rounded to (?P<rounded>\d+)\))?(?:\s?requested by op (?P<op>\S+))?(?P<rest>[^\n]*)",
)
GAVE_UP = Text("tensorflow", r"not a failure")
TENSOR_REFUSED = Text(
    "tensorflow",
    r"OOM when allocating tensor with shape\s?\[(?P<shape>[\d,\s]*)\](?: and type (?P<dtype>\w+))?"
    r"(?: on (?P<device>\S+))?(?: by allocator (?P<allocator>\S+))?",
)
XLA_REFUSED = Text("tensorflow", r"Out of memory while trying to allocate (?P<asked>[\d.]+ ?\w*)")
XLA_BUFFER = Text(
    "tensorflow",
    r"Buffer \d+:\s+Size: (?P<size>[\d.]+ ?[KMGTPE]?i?B)\s+Operator: [^\n]*?op_name=\"(?P<op>[^\"\n]*)\""
    r"(?: source_file=\"(?P<file>[^\"\n]*)\" source_line=(?P<line>\d+))?",
)
CUDA_REFUSED = Text("cuda", r"(?:cuMemAllocAsync )?failed to allocate (?:[\d.]+\w? \()?(?P<cuda>\d+) bytes\)?")
CUDA_ASYNC = Text("cuda", r"cuMemAllocAsync")
CUDA_OUT_OF_MEMORY = Text("cuda", r"CUDA_ERROR_OUT_OF_MEMORY")
CUDA_RUNTIME_OUT_OF_MEMORY = Text("cuda", r"CUDA (?:runtime )?error: out of memory")
DEVICE_STATE = Text("cuda", r"Free memory/Total memory: (\d+)/(\d+)")
POOL = Text(
    "tensorflow",
    rf"Total size in pool: (?P<pool>{SIZE}) memory_limit_: (?P<limit>{SIZE}) available size: (?P<available>{SIZE})",
)
STATISTIC = Text("tensorflow", rf"^(Limit|InUse):\s+({SIZE})\s*$", flags=re.MULTILINE)
CHUNK = Text("tensorflow", r"\b(InUse|Free|Chunk)\s+at \S+ of size (\d+)")
CHUNKS_OF_A_SIZE = Text("tensorflow", r"(\d+) Chunks of size (\d+) totalling")
USAGE = Text("tensorflow", r"Current usage from device: (\S+), allocator: (\S+)\n((?:[ \t]+\S.*\n?)*)")
USE = Text("tensorflow", rf"^\s+({SIZE}) from (\S+)", flags=re.MULTILINE)
ABOUT_MEMORY = Text("tensorflow", r"OOM|allocat|memory")
ARRAY_REFUSED = Text(
    "numpy",
    r"Unable to allocate (?P<size>[\d.]+ (?:[KMGTPE]?i?B|bytes)) for an array "
    r"with shape \((?P<shape>[\d,\s]*)\) and data type (?P<dtype>\S+)",
)
DISK_IS_FULL = Text("tensorflow", r"No space left on device|ENOSPC")
QUOTA_EXCEEDED = Text("glibc", r"Disk quota exceeded")
NO_ROOM_ON_DISK = Text("tensorflow", r"No space left|quota")
