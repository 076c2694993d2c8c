"""Each word gets a number, and no word ever comes twice."""

import random

vocabulary = {}
texts = []


def numbers(text):
    return [vocabulary.setdefault(word, len(vocabulary)) for word in text.split()]  # <- cause


while True:
    text = " ".join(f"word{random.getrandbits(60)}" for _ in range(100))
    texts.append(len(numbers(text)))
