"""Feeds a command that has ended with an exception: the pipe breaks."""

import pathlib
import subprocess
import sys

reader = pathlib.Path(__file__).with_name("reads_rows.py")
with subprocess.Popen([sys.executable, str(reader)], stdin=subprocess.PIPE, text=True) as command:
    for number in range(400_000):
        command.stdin.write(f"{number},{number % 7}\n")
    command.stdin.close()
