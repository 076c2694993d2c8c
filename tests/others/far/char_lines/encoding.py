"""Turns text into numbers, character by character."""

import collections

import numpy as np


class Encoder:
    def __init__(self, most, unknown="¬"):
        self.most, self.unknown = most, unknown
        self.numbers = {}

    def fit(self, texts):
        counts = collections.Counter(character for text in texts for character in text)
        for number, (character, _) in enumerate(counts.most_common(), 1):
            self.numbers[character] = number
        self.numbers[self.unknown] = len(self.numbers) + 1  # <- cause
        return self

    def encode(self, texts, length):
        rows = np.zeros((len(texts), length), "int32")
        for row, text in zip(rows, texts, strict=True):
            for at, character in enumerate(text[:length]):
                number = self.numbers.get(character, 0)
                row[at] = number if 0 < number < self.most else self.numbers[self.unknown]
        return rows
