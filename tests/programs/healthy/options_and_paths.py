"""Declares its options, makes its path absolute, and only then changes its working directory."""

import argparse
import os
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=5)
args = parser.parse_args()
Path("models").mkdir(exist_ok=True)
Path("models/rates.txt").write_text("0.1\n0.01\n")
Path("work").mkdir(exist_ok=True)
path = os.path.abspath("models/rates.txt")
os.chdir("work")
with open(path) as lines:
    print([args.batch_size * float(line) for line in lines])
