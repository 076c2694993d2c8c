"""Overflows the stack in native code: the function does nothing but call itself."""

import ctypes
import mmap

page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b"\xe8\xfb\xff\xff\xff")
call_itself = ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))


def descend():
    call_itself()  # <- cause


descend()
