"""Steps that run eagerly: their ops are listed in a few steps, and a bad step is written as a graph; runs in the user's
process.

Invariant: outside the few listed steps nothing is looked at but the gradients, the loss and the updates.
"""
