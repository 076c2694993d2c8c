"""A setting that no branch of a function knows: its None is returned through another function and kept in an object."""

import numpy as np


def widths(plan):
    if plan == "narrow":  # <- cause
        return (8, 4)
    elif plan == "wide":
        return (64, 32)


def layers_of(settings):
    found = widths(settings["plan"])
    return found


class Network:
    def __init__(self, settings):
        self.sizes = layers_of(settings)

    def weights(self):
        return [np.zeros((above, below)) for above, below in zip(self.sizes[:-1], self.sizes[1:])]


print(len(Network({"plan": "medium"}).weights()))
