"""Leaves its directory before it fails; it was started by a relative path."""

import os
import tempfile

with tempfile.TemporaryDirectory() as elsewhere:
    os.chdir(elsewhere)
    print(sorted(os.listdir("."))[0])  # <- cause
