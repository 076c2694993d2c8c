"""Leaves a descendant behind that holds its output open, then fails."""

import subprocess

subprocess.Popen(["sleep", "5"])
raise TimeoutError("the other side did not answer")  # <- cause
