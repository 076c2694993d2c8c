"""Divides by zero two calls deep in a module of its own."""

import averages

groups = {"cat": [0.2, 0.4], "dog": []}
print(averages.class_means(groups))
