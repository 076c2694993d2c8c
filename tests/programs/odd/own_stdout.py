"""Replaces sys.stdout and sys.stderr by buffers of its own, then fails."""

import io
import sys

sys.stdout = io.StringIO()
sys.stderr = io.StringIO()
print("nobody reads this")
raise RuntimeError("nobody reads this either")  # <- cause
