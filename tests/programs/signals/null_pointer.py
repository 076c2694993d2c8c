"""Reads through a null pointer."""

import ctypes


def read(address):
    return ctypes.c_long.from_address(address).value  # <- cause


print(read(0))
