"""Counts the words of a corpus that does not end."""

words = {}
number = 0
while True:
    words[f"word-{number}"] = bytearray(b"w" * 20_000)  # <- cause
    number += 1
