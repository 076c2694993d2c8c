"""Starts another Python program, which fails; the check of its status fails in turn."""

import pathlib
import subprocess
import sys

step = pathlib.Path(__file__).with_name("step.py")
subprocess.run([sys.executable, str(step)], check=True)
