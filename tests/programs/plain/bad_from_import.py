"""Imports a name that its module does not define."""

from collections import OrderedDictionary  # <- cause

print(OrderedDictionary(a=1))
