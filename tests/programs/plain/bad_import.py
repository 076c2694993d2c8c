"""Imports a module that no one has installed."""

import json

import colections  # <- cause

print(json.dumps(colections.Counter("abca")))
