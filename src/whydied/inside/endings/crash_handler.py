"""A signal handler of our own for crashes in native code, in machine code; installed in the user's process.

faulthandler tells the Python line of a crash and nothing of what lies below it. This handler, called before that one,
keeps the registers, the stack and the map of the process in a file, from which the parent finds the native frames: see
`whydied.native`. It is written in machine code because nothing but system calls is safe in a process that is broken:
it takes no lock, allocates nothing and unwinds nothing. A pointer that is bad is the kernel's to refuse.

Invariant: the handler jumps to the one that was there before it (faulthandler's), so that the process dies by
the same signal as without us; it is never called while the program is well. It is put only where faulthandler
stands already. Where memory cannot be made executable, or the processor is another one, there are no native frames.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from whydied.inside.guest import guard
from whydied.native import dump_layout

# SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, as Linux counts them.
SIGNALS = (4, 6, 7, 8, 11)
PAGE = 4096
LISTING = """
                                 | start:
f3 0f 1e fa                      | endbr64
53                               | push rbx
55                               | push rbp
41 54                            | push r12
41 55                            | push r13
41 56                            | push r14
41 57                            | push r15
49 89 fc                         | mov r12, rdi
49 89 f5                         | mov r13, rsi
49 89 d6                         | mov r14, rdx
48 8d 1d e2 0f 00 00             | lea rbx, [rip + start + 4096]  # the data page
b8 01 00 00 00                   | mov eax, 1
87 83 10 02 00 00                | xchg dword ptr [rbx + 0x210], eax  # only the first crash is kept
85 c0                            | test eax, eax
74 28                            | jz first
b8 ba 00 00 00                   | mov eax, 186  # gettid
0f 05                            | syscall
3b 83 2c 02 00 00                | cmp eax, dword ptr [rbx + 0x22c]  # a fault of the handler itself goes on at once
0f 84 46 01 00 00                | je chain
48 8d bb 70 02 00 00             | lea rdi, [rbx + 0x270]
31 f6                            | xor esi, esi
b8 23 00 00 00                   | mov eax, 35  # nanosleep: another thread is at it, and ends the process
0f 05                            | syscall
e9 31 01 00 00                   | jmp chain
                                 | first:
b8 ba 00 00 00                   | mov eax, 186  # gettid
0f 05                            | syscall
89 83 2c 02 00 00                | mov dword ptr [rbx + 0x22c], eax
48 8d bb 80 02 00 00             | lea rdi, [rbx + 0x280]  # the file
be c1 00 08 00                   | mov esi, 0x800c1  # O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
ba 80 01 00 00                   | mov edx, 0x180  # 0600
b8 02 00 00 00                   | mov eax, 2  # open
0f 05                            | syscall
85 c0                            | test eax, eax
0f 88 04 01 00 00                | js chain
89 c5                            | mov ebp, eax
b8 27 00 00 00                   | mov eax, 39  # getpid
0f 05                            | syscall
89 83 28 02 00 00                | mov dword ptr [rbx + 0x228], eax
44 89 a3 30 02 00 00             | mov dword ptr [rbx + 0x230], r12d
89 ef                            | mov edi, ebp
48 8d b3 20 02 00 00             | lea rsi, [rbx + 0x220]
ba 18 00 00 00                   | mov edx, 24
45 31 d2                         | xor r10d, r10d
b8 12 00 00 00                   | mov eax, 18  # pwrite64
0f 05                            | syscall
89 ef                            | mov edi, ebp
4c 89 ee                         | mov rsi, r13  # siginfo
ba 80 00 00 00                   | mov edx, 128
41 ba 40 00 00 00                | mov r10d, 64
b8 12 00 00 00                   | mov eax, 18  # pwrite64
0f 05                            | syscall
89 ef                            | mov edi, ebp
49 8d 76 28                      | lea rsi, [r14 + 40]  # the registers
ba b8 00 00 00                   | mov edx, 184
41 ba c0 00 00 00                | mov r10d, 192
b8 12 00 00 00                   | mov eax, 18  # pwrite64
0f 05                            | syscall
89 ef                            | mov edi, ebp
49 8b b6 a0 00 00 00             | mov rsi, [r14 + 160]  # the stack
ba 00 00 01 00                   | mov edx, 65536
41 ba 00 10 00 00                | mov r10d, 4096
b8 12 00 00 00                   | mov eax, 18  # pwrite64
0f 05                            | syscall
89 ef                            | mov edi, ebp
49 8b b6 a8 00 00 00             | mov rsi, [r14 + 168]  # the code
ba 10 00 00 00                   | mov edx, 16
41 ba 90 01 00 00                | mov r10d, 400
b8 12 00 00 00                   | mov eax, 18  # pwrite64
0f 05                            | syscall
48 8d bb 40 02 00 00             | lea rdi, [rbx + 0x240]  # /proc/self/maps
be 00 00 08 00                   | mov esi, 0x80000
b8 02 00 00 00                   | mov eax, 2  # open
0f 05                            | syscall
85 c0                            | test eax, eax
78 51                            | js close
41 89 c7                         | mov r15d, eax
48 c7 83 18 02 00 00 00 10 01 00 | mov qword ptr [rbx + 0x218], 69632
                                 | more:
44 89 ff                         | mov edi, r15d
48 8d b3 00 08 00 00             | lea rsi, [rbx + 0x800]
ba 00 08 00 00                   | mov edx, 2048
31 c0                            | xor eax, eax  # read
0f 05                            | syscall
85 c0                            | test eax, eax
7e 22                            | jle end
89 c2                            | mov edx, eax
89 ef                            | mov edi, ebp
48 8d b3 00 08 00 00             | lea rsi, [rbx + 0x800]
4c 8b 93 18 02 00 00             | mov r10, [rbx + 0x218]
48 01 93 18 02 00 00             | add [rbx + 0x218], rdx
b8 12 00 00 00                   | mov eax, 18  # pwrite64
0f 05                            | syscall
eb c7                            | jmp more
                                 | end:
44 89 ff                         | mov edi, r15d
b8 03 00 00 00                   | mov eax, 3  # close
0f 05                            | syscall
                                 | close:
89 ef                            | mov edi, ebp
b8 03 00 00 00                   | mov eax, 3  # close
0f 05                            | syscall
                                 | chain:
4c 89 e7                         | mov rdi, r12
4c 89 ee                         | mov rsi, r13  # siginfo
4c 89 f2                         | mov rdx, r14
48 8b 04 fb                      | mov rax, [rbx + rdi * 8]  # the handler that was there before
41 5f                            | pop r15
41 5e                            | pop r14
41 5d                            | pop r13
41 5c                            | pop r12
5d                               | pop rbp
5b                               | pop rbx
ff e0                            | jmp rax
"""
"""Bytes and what they say to the assembler. The page of data lies behind that of the code: at 8 * N the handler that
signal N had before, and at the places below what the handler keeps."""
_ONCE, _HEADER, _THREAD, _MAPS, _WAIT, _FILE, _SCRATCH = 0x210, 0x220, 0x22C, 0x240, 0x270, 0x280, 0x800
_LONGEST_PATH = _SCRATCH - _FILE - 1
_ACTION_BYTES, _FLAGS_AT = 152, 136
# SA_SIGINFO | SA_ONSTACK | SA_NODEFER: as faulthandler's own, with what the kernel knows of the signal.
_FLAGS = 0x4 | 0x08000000 | 0x40000000
_READ, _EXECUTE = 1, 4
_PATIENCE_S = 2
"""How long a second thread that crashes waits for the first, which ends the process for both."""

_pages: Any = None


def code() -> bytes:
    return b"".join(bytes.fromhex(line.partition("|")[0]) for line in LISTING.splitlines())


def install(run: str) -> bool:
    """Put the handler before faulthandler's; whether it stands."""
    if sys.platform != "linux" or os.uname().machine != "x86_64" or sys.maxsize < 1 << 32:
        return False
    path = _path(run)
    if _pages is not None or len(path) > _LONGEST_PATH:
        return False
    # Without the package `ctypes`, which is several times as much to load.
    _ctypes: Any = __import__("_ctypes")
    pointer = type("pointer", (_ctypes._SimpleCData,), {"_type_": "P"})
    library = _ctypes.dlopen(None, 0)
    pages, base = _made(_ctypes)
    _call = _ctypes.call_function
    if _call(_ctypes.dlsym(library, "mprotect"), (pointer(base), pointer(PAGE), _READ | _EXECUTE)) != 0:
        guard.limited("native frames", "this system does not allow a program to create executable code")
        return False
    _put(pages, _HEADER, dump_layout.MAGIC)
    _put(pages, _MAPS, b"/proc/self/maps\0")
    _put(pages, _WAIT, _PATIENCE_S.to_bytes(16, "little"))
    _put(pages, _FILE, path + b"\0")
    sigaction = _ctypes.dlsym(library, "sigaction")
    new, old = PAGE + _SCRATCH, PAGE + _SCRATCH + _ACTION_BYTES
    action = base.to_bytes(8, "little") + bytes(_FLAGS_AT - 8) + _FLAGS.to_bytes(8, "little") + bytes(8)
    for number in SIGNALS:
        pages[new : new + _ACTION_BYTES] = action
        if _call(sigaction, (number, None, pointer(base + old))) != 0:
            continue
        before = pages[old : old + 8]
        if int.from_bytes(before, "little") > 1:
            _put(pages, 8 * number, before)
            _call(sigaction, (number, pointer(base + new), None))
    _keep(_ctypes, pages)
    return True


def after_fork_in_child(run: str) -> None:
    """A file of the child's own; the pages are, from the first write on."""
    path = _path(run)
    if _pages is not None and len(path) <= _LONGEST_PATH:
        _put(_pages, _FILE, path + b"\0")
        _put(_pages, _ONCE, bytes(4))
        _put(_pages, _THREAD, bytes(4))


def _made(_ctypes: Any) -> tuple[Any, int]:
    """Two pages of this process's own, the first with the code, and their address."""
    import mmap

    pages = mmap.mmap(-1, 2 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    text = code()
    pages[: len(text)] = text
    character: Any = type("character", (_ctypes._SimpleCData,), {"_type_": "c"})
    return pages, _ctypes.addressof(character.from_buffer(pages))


def _keep(_ctypes: Any, pages: Any) -> None:
    """For as long as the process lives: the handler may be called after the interpreter has ended."""
    global _pages
    _pages = pages
    _ctypes.Py_INCREF(pages)


def _put(pages: Any, at: int, data: bytes) -> None:
    pages[PAGE + at : PAGE + at + len(data)] = data


def _path(run: str) -> bytes:
    return os.fsencode(os.path.join(run, "faults", f"{os.getpid()}{dump_layout.SUFFIX}"))
