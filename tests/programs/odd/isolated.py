"""Runs under `python -I`, where no recorder gets in: the report rests on what the parent saw."""

import ctypes

ctypes.string_at(0)
