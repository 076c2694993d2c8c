"""A command that takes too long is ended by the program, which goes on without it."""

import subprocess
import sys

try:
    subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], timeout=1.5, check=True)
except subprocess.TimeoutExpired:
    print("went on without it")
