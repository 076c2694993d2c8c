"""Prints what others died of, and lives."""

import sys

print("OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.", file=sys.stderr)
print("F0000 00:00:1.5 7 tensor_shape.cc:424] Check failed: 0 <= new_num_elements (0 vs. -1)", file=sys.stderr)
