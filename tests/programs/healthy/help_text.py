"""argparse prints its help and leaves with status 0."""

import argparse

parser = argparse.ArgumentParser(description="Trains nothing at all.")
parser.add_argument("--epochs", type=int, default=1)
parser.parse_args()
