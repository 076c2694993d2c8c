"""Aborts itself."""

import os


def give_up():
    os.abort()  # <- cause


give_up()
