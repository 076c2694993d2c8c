"""Closes its own standard streams at the end."""

import os
import sys

print("done", flush=True)
sys.stdout.close()
os.close(2)
