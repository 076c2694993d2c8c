"""Uses up the processor time that it is allowed (SIGXCPU)."""

import resource

resource.setrlimit(resource.RLIMIT_CPU, (1, 5))
total = 0
while True:  # <- cause
    total += 1  # <- cause
