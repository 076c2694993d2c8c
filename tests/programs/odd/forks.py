"""Forks; the child ends well, the parent fails."""

import os

pid = os.fork()
if pid == 0:
    os._exit(0)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print({1: "bad"}[status])  # <- cause
