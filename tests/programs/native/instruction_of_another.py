"""Runs an instruction that only processors of one maker, and of some years, ever had (3DNow!)."""

import ctypes
import mmap

page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("0f0fc19e" "0f0ec3"))  # pfadd mm0, mm1; femms; ret
add_pairs = ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
add_pairs()  # <- cause
