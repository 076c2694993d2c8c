"""The output of a command goes into a pipe that is read only after the command has ended."""

import subprocess
import sys

lister = subprocess.Popen([sys.executable, "-c", "print('x' * 1_000_000)"], stdout=subprocess.PIPE)
lister.wait()  # <- cause
print(len(lister.stdout.read()))
