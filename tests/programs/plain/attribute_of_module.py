"""Calls a function that the module does not have."""

import statistics

scores = [0.81, 0.84, 0.79]
print(statistics.mean(scores))
print(statistics.medain(scores))  # <- cause
