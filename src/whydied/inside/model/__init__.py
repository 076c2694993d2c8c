"""Layers, optimizers, graphs and calls of the program's models, each with the user's line that made it."""
