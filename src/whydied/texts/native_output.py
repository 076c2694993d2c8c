"""How native code says that it gives up: a failed check, a damaged heap, an exception that nobody caught. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

# TensorFlow's log.

FATAL = Text(
    "tensorflow",
    r"^(?:F\d{4} [\d:.]+ +(?P<thread>\d+) |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*: F )"
    r"(?P<file>[^\s:\]]+):(?P<line>\d+)\] (?P<text>.*)$",
)
LOG_LINE = Text("tensorflow", r"^(?:[IWEF]\d{4} |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]*: [IWEF] )")
CHATTER = Text(
    "tensorflow",
    r"I\d{4} |\d{4}-\d\d-\d\d [\d:.]+: I |WARNING: All log messages before absl::InitializeLog|"
    r"To enable the following instructions: ",
)
CHECK_STACK = Text("tensorflow", r"\*\*\* Check failure stack trace: \*\*\*")
CHECK_FRAME = Text("tensorflow", r"^\s*@\s+0x[0-9a-f]+\s+(?P<name>.+?)\s*$")
CHECK_FAILED = Text("tensorflow", r"Check failed: ")
STATUS = Text(
    "tensorflow",
    r"(?:Check failed: .* is OK \((?P<new>.*)\)|Non-OK-status: .*?[Ss]tatus: (?P<old>.*))$",
    flags=re.DOTALL,
)
STATUS_BELOW = Text("tensorflow", r"[Ss]tatus: ")
STATUS_CODE = Text("tensorflow", r"^[A-Z_]+: |^(?:Invalid argument|Internal|Not found|Unimplemented|Out of range): ")

# The C and C++ libraries.

HEAP = Text(
    "glibc",
    r"(?:^|': )(?P<text>(?:free|malloc|realloc|munmap_chunk|malloc_consolidate|calloc)\(\): .+?"
    r"|double free or corruption.*?|corrupted (?:size|double-linked|unsorted).*?|\*\*\* stack smashing detected.*?"
    r"|\*\*\* buffer overflow detected.*?)(?:: 0x[0-9a-f]+ \*\*\*)?$",
)
ASSERTION = Text(
    "glibc", r"^(?:[^\s:]+: )?(?P<file>\S+?):(?P<line>\d+): (?P<where>.+): Assertion [`'](?P<text>.+)' failed\.$"
)
THROWN = Text(
    "libstdc++",
    r"^(?:terminate called after throwing an instance of '(?P<gnu>[^']+)'"
    r"|libc\+\+abi\S*: terminating .*?uncaught exception of type (?P<llvm>[^:\s]+(?:::[^:\s]+)*)(?:: (?P<said>.*))?)",
)
WHAT = Text("libstdc++", r"^\s*what\(\):\s*(?P<text>.*)$")
# The message stands behind the place, or below it since Rust 1.73.
PANIC = Text(
    "rust", r"^thread '[^']*'(?: \(\d+\))? panicked at (?:'(?P<old>.*)', )?(?P<file>[^\s:]+):(?P<line>\d+):\d+:?$"
)
KERNEL_LOG_OF_JUPYTER = Text("jupyter", r"\[IPKernelApp\] (?:DEBUG|INFO|WARNING)\b")
