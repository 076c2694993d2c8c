"""Opens a file by a relative path after it has changed its working directory."""

import os
from pathlib import Path

Path("models").mkdir(exist_ok=True)
Path("models/rates.txt").write_text("0.1\n0.01\n")
Path("work").mkdir(exist_ok=True)


def rates(path):
    with open(path) as lines:
        return [float(line) for line in lines]


os.chdir("work")  # <- cause
print(rates("models/rates.txt"))
