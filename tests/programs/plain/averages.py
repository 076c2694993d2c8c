"""A module of the program's own, imported by division_in_helper.py."""


def mean(values):
    total = sum(values)
    return total / len(values)  # <- cause


def class_means(groups):
    return {name: mean(values) for name, values in groups.items()}
