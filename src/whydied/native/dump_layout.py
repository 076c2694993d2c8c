"""The layout of the dump of a native crash. The writer is `whydied.inside.endings.crash_handler`, the reader
`crash_dump`.

Imported in the user's process too, so it imports nothing. A dump is a file `<pid>.crash` that the handler writes with
system calls alone, at fixed places:

    0       magic (8 bytes), process, thread, signal (4 bytes each)
    64      siginfo of the signal, as the kernel gave it (128 bytes)
    192     general registers, in the order of the kernel's ucontext (23 words)
    400     the code where the processor was (16 bytes)
    4096    the stack from the stack pointer on, up to 64 KiB; zeros where it ends
    69632   /proc/self/maps, to the end of the file

All numbers are little-endian, of 64-bit x86. A stack may hold anything that the program had in memory, so the parent
takes the file away as soon as it has read it.
"""

from __future__ import annotations

SUFFIX = ".crash"
MAGIC = b"WDCRASH1"
SIGINFO_AT, REGISTERS_AT, CODE_AT, STACK_AT, MAPS_AT = 64, 192, 400, 4096, 69632
CODE_BYTES = 16
