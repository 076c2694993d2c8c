"""Sequences of different lengths: the losses of all of them are summed for the log of an epoch."""

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, features, tags):
        super().__init__()
        self.lstm = nn.LSTM(features, 256, batch_first=True)
        self.head = nn.Linear(256, tags)

    def forward(self, sequence):
        hidden, _ = self.lstm(sequence)
        return self.head(hidden)


def sequences(count, features, tags):
    generator = torch.Generator().manual_seed(0)
    for number in range(count):
        length = 300 + number % 100
        yield torch.randn(4, length, features, generator=generator), torch.randint(tags, (4, length))


def evaluate(model, criterion, count):
    total = 0
    for sequence, target in sequences(count, 64, 12):
        scores = model(sequence)
        loss = criterion(scores.flatten(0, 1), target.flatten())
        total = total + loss  # <- cause
    return total / count


model = Tagger(64, 12)
print(float(evaluate(model, nn.CrossEntropyLoss(), 4000)))
