"""Replaces itself by another program, which fails."""

import os
import pathlib
import sys

successor = pathlib.Path(__file__).with_name("successor.py")
os.execv(sys.executable, [sys.executable, str(successor), "3"])
