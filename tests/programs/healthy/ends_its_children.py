"""Starts helpers and ends them on purpose, by SIGTERM and SIGKILL."""

import subprocess
import sys

for end in ("terminate", "kill"):
    helper = subprocess.Popen([sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"],
                              stdout=subprocess.PIPE)
    helper.stdout.readline()
    getattr(helper, end)()
    print(end, helper.wait())
