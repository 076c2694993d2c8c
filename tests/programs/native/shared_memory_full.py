"""Shares a ring of batches through a mapped file on a file system in memory that is too small for it."""

import mmap
import os

place = os.path.join(os.environ["SMALL_DISK"], "batches")
ring_bytes = 4 << 20
descriptor = os.open(place, os.O_RDWR | os.O_CREAT)
os.ftruncate(descriptor, ring_bytes)
ring = mmap.mmap(descriptor, ring_bytes)


def publish(number):
    start = number * mmap.PAGESIZE
    ring[start : start + 4] = b"full"  # <- cause


for number in range(ring_bytes // mmap.PAGESIZE):
    publish(number)
