"""A file of numbers is read into lists of lists, as Python's own numbers, without any library."""

import random


def lines(count):
    for _ in range(count):
        yield ",".join(str(random.random()) for _ in range(250))


def parse(stream):
    table = []
    for line in stream:
        table.append([float(cell) for cell in line.split(",")])  # <- cause
        if len(table) % 200 == 0:
            # A number of 24 bytes lies in a block of 32; a list has 8 for each, and an eighth more to grow into.
            print("held", len(table) * 250 * (32 + 8), flush=True)
    return table


class Loader:
    def __init__(self):
        self.splits = {}

    def load(self, name, count):
        self.splits[name] = parse(lines(count))


loader = Loader()
loader.load("train", 400_000)
