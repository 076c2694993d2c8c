"""Leaves with the builtin that is meant for the prompt."""


def check(version):
    if version < 3:
        exit(6)  # <- cause


check(2)
