"""Opens a file whose name differs by one letter from the one that is there."""

from pathlib import Path

folder = Path("data")
folder.mkdir(exist_ok=True)
(folder / "labels.csv").write_text("0\n1\n")


def load(name):
    with open(folder / name) as lines:  # <- cause
        return [int(line) for line in lines]


print(load("lables.csv"))
