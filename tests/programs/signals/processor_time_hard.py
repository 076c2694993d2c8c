"""Uses up the hard limit of processor time, which ends a program without a word."""

import resource

resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
total = 0
while True:  # <- cause
    total += 1  # <- cause
