"""Python itself is refused memory, under a limit on the address space."""

import resource

resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
table = bytearray(4 << 30)  # <- cause
print(len(table))
