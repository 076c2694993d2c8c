"""A relative import in a package that is run as a module."""

from . import __name__ as package


def run(names):
    for position in range(len(names) + 1):
        print(package, names[position])  # <- cause
