"""argparse refuses the command line."""

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)
options = parser.parse_args()  # <- cause
print(options.epochs)
