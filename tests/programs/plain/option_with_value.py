"""Declares an option with its value in its name."""

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--batch-size=5", type=int, default=1)  # <- cause
args = parser.parse_args()
print(args.epochs * args.batch_size)
