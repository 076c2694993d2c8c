"""Runs a program that fails, and that is what it wanted to know."""

import subprocess
import sys

probe = subprocess.run([sys.executable, "-c", "import a_module_that_is_not_there"], capture_output=True, text=True)
print("missing" if probe.returncode else "there")
