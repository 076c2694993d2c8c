"""All entries of former names, by what is missed. Pure."""

from __future__ import annotations

from whydied.source.former import numpy_names, pandas_names, science_names, sklearn_names
from whydied.source.former.former_entry import Former

LIBRARIES = frozenset({"pandas", "numpy", "sklearn", "scipy", "matplotlib"})
ENTRIES: tuple[Former, ...] = (
    *pandas_names.ENTRIES,
    *numpy_names.ENTRIES,
    *sklearn_names.ENTRIES,
    *science_names.ENTRIES,
)
BY_KEY = {one.key: one for one in ENTRIES}
MODULES = sklearn_names.MODULES


def of_name(name: str, given: str = "") -> list[Former]:
    """The entries of a whole name, those for the type of what it is given before those for any."""
    found = [one for one in ENTRIES if one.old == name and not one.argument and (not one.given or given in one.given)]
    return sorted(found, key=lambda one: not one.given)


def of_argument(callees: list[str], argument: str, value: str) -> list[Former]:
    """The entries of an argument of what is called, under any of its names; those of its value before those of any."""
    names = {*callees, *(f"{one.partition('.')[0]}.*" for one in callees)}
    found = [one for one in ENTRIES if one.argument == argument and one.old in names and one.value in ("", value)]
    return sorted(found, key=lambda one: (not one.value, one.old.endswith("*")))
