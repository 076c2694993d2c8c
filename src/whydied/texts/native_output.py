"""How native code says that it gives up: a failed check, a damaged heap, an exception that nobody caught. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

_CHECK_FAILS = """\
import tensorflow as tf
zero, row = tf.constant(0, tf.int64), tf.constant([0], tf.int64)
tf.raw_ops.Unbatch(batched_tensor=tf.constant([1]), batch_index=row, id=zero, timeout_micros=0)"""
_FREED_TWICE = """\
import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
block = ctypes.c_void_p(libc.malloc(5000))
libc.malloc(1)
libc.free(block)
libc.free(block)"""
_THROWN = """\
import ctypes
library = ctypes.CDLL("libstdc++.so.6")
library._ZSt20__throw_length_errorPKc(b"too long")"""

# TensorFlow's log.

FATAL = Text(
    "tensorflow",
    r"^(?:F\d{4} [\d:.]+ +(?P<thread>\d+) |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*: F )"
    r"(?P<file>[^\s:\]]+):(?P<line>\d+)\] (?P<text>.*)$",
    "F0000 00:00:1794790708.278845   23435 tensor_shape.cc:362] Check failed: d < dims() (1 vs. 1) ",
    seen=("tensorflow 2.21",),
    provoked_by=_CHECK_FAILS,
    alone=True,
)
LOG_LINE = Text(
    "tensorflow",
    r"^(?:[IWEF]\d{4} |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*: [IWEF] )",
    FATAL.example,
    seen=("tensorflow 2.21",),
    provoked_by=_CHECK_FAILS,
    alone=True,
)
CHATTER = Text(
    "tensorflow",
    r"I\d{4} |\d{4}-\d\d-\d\d [\d:.]+: I |WARNING: All log messages before absl::InitializeLog|"
    r"To enable the following instructions: ",
    "To enable the following instructions: AVX2 FMA, in other operations, rebuild TensorFlow",
    seen=("tensorflow 2.21",),
    provoked_by=_CHECK_FAILS,
    alone=True,
)
CHECK_STACK = Text(
    "tensorflow",
    r"\*\*\* Check failure stack trace: \*\*\*",
    "*** Check failure stack trace: ***",
    seen=("tensorflow 2.21",),
    provoked_by=_CHECK_FAILS,
    alone=True,
)
CHECK_FRAME = Text(
    "tensorflow",
    r"^\s*@\s+0x[0-9a-f]+\s+(?P<name>.+?)\s*$",
    "    @     0x7f2a1b2c  tensorflow::TensorShape::dim_size()",
    seen=("tensorflow 2.21",),
    provoked_by=_CHECK_FAILS,
    alone=True,
)
CHECK_FAILED = Text(
    "tensorflow",
    r"Check failed: ",
    "Check failed: d < dims() (1 vs. 1)",
    seen=("tensorflow 2.21",),
    provoked_by=_CHECK_FAILS,
    alone=True,
)
STATUS = Text(
    "tensorflow",
    r"(?:Check failed: .* is OK \((?P<new>.*)\)|Non-OK-status: .*?[Ss]tatus: (?P<old>.*))$",
    "Check failed: status is OK (INVALID_ARGUMENT: Attr ksize has value 2199023255552 out of range for an int32)",
    seen=("tensorflow 2.21",),
    provoked_by="native/pool_window.py",
    flags=re.DOTALL,
)
STATUS_BELOW = Text(
    "tensorflow",
    r"[Ss]tatus: ",
    "Status: INVALID_ARGUMENT: Attr ksize has value 3134755050008138495 out of range for an int32",
    known_from="tensorflow/tensorflow#85251, TensorFlow 2.18",
)
STATUS_CODE = Text(
    "tensorflow",
    r"^[A-Z_]+: |^(?:Invalid argument|Internal|Not found|Unimplemented|Out of range): ",
    "INVALID_ARGUMENT: Attr ksize has value 2199023255552 out of range for an int32",
    known_from="the names of absl::StatusCode; in words before TensorFlow 2.9",
)

# The C and C++ libraries.

HEAP = Text(
    "glibc",
    r"(?:^|': )(?P<text>(?:free|malloc|realloc|munmap_chunk|malloc_consolidate|calloc)\(\): .+?"
    r"|double free or corruption.*?|corrupted (?:size|double-linked|unsorted).*?|\*\*\* stack smashing detected.*?"
    r"|\*\*\* buffer overflow detected.*?)(?:: 0x[0-9a-f]+ \*\*\*)?$",
    "double free or corruption (!prev)",
    seen=("glibc",),
    provoked_by=_FREED_TWICE,
    alone=True,
)
ASSERTION = Text(
    "glibc",
    r"^(?:[^\s:]+: )?(?P<file>\S+?):(?P<line>\d+): (?P<where>.+): Assertion [`'](?P<text>.+)' failed\.$",
    "python: read.c:12: main: Assertion `size > 0' failed.",
    seen=("glibc",),
    provoked_by="""\
import ctypes
ctypes.CDLL(None).__assert_fail(b"size > 0", b"read.c", 12, b"main")""",
    alone=True,
)
THROWN = Text(
    "libstdc++",
    r"^(?:terminate called after throwing an instance of '(?P<gnu>[^']+)'"
    r"|libc\+\+abi\S*: terminating .*?uncaught exception of type (?P<llvm>[^:\s]+(?:::[^:\s]+)*)(?:: (?P<said>.*))?)",
    "terminate called after throwing an instance of 'std::length_error'",
    seen=("libstdc++",),
    provoked_by=_THROWN,
    alone=True,
)
WHAT = Text(
    "libstdc++",
    r"^\s*what\(\):\s*(?P<text>.*)$",
    "  what():  too long",
    seen=("libstdc++",),
    provoked_by=_THROWN,
    alone=True,
)
# The message stands behind the place, or below it since Rust 1.73.
PANIC = Text(
    "rust",
    r"^thread '[^']*'(?: \(\d+\))? panicked at (?:'(?P<old>.*)', )?(?P<file>[^\s:]+):(?P<line>\d+):\d+:?$",
    "thread 'main' panicked at src/read.rs:7:5:",
    known_from="Rust's standard library, panicking.rs",
)
KERNEL_LOG_OF_JUPYTER = Text(
    "jupyter",
    r"\[IPKernelApp\] (?:DEBUG|INFO|WARNING)\b",
    "[IPKernelApp] WARNING | Parent appears to have exited, shutting down.",
    known_from="ipykernel, the log of IPKernelApp",
)
