import numpy as np

_MAX_BATCH_SIZE = 16
WORDS = 2000
_rng = np.random.default_rng(0)


def _document():
    length = _rng.integers(150, 300)
    words = _rng.integers(1, WORDS, length)
    start = _rng.integers(0, length - 5)
    return words, np.arange(start, start + _rng.integers(1, 5))


def documents(count):
    return [_document() for _ in range(count)]


def batches(examples):
    """Documents of a batch are padded to the longest one of it."""
    for start in range(0, len(examples), _MAX_BATCH_SIZE):
        part = examples[start:start + _MAX_BATCH_SIZE]
        longest = max(len(words) for words, _ in part)
        ids = np.zeros((len(part), longest), "int32")
        answer = np.zeros((len(part), longest), "float32")
        for row, (words, places) in enumerate(part):
            ids[row, :len(words)] = words
            answer[row, places] = 1.0
        yield ids, answer
