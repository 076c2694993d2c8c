"""A command that is no Python fails."""

import subprocess

subprocess.run(["sh", "-c", "exit 9"], check=True)  # <- cause
