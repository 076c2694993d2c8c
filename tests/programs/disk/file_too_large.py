"""Writes past its file-size limit; Python ignores the signal, so it is an OSError."""

import resource

resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
with open("log.bin", "wb", buffering=0) as file:
    for _ in range(64):
        file.write(bytes(1 << 16))  # <- cause
