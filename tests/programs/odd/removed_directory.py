"""Removes the directory that it works in, then fails."""

import os
import tempfile

os.chdir(tempfile.mkdtemp(dir="."))
os.rmdir(os.getcwd())
open("result.txt", "w")  # <- cause
