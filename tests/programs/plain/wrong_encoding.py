"""Reads a Latin-1 file as UTF-8."""

from pathlib import Path

Path("names.txt").write_bytes("Zoë\nJürgen\n".encode("latin-1"))
names = Path("names.txt").read_text(encoding="utf-8").split()  # <- cause
print(names)
