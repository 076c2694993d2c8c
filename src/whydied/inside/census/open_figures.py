"""The figures that pyplot keeps because nobody closed them, and what is drawn in them; runs in the user's process.

Invariant: nothing of matplotlib's is called, and it is not imported: only what is there is looked at.
"""

from __future__ import annotations

import sys
from typing import Any

from whydied.inside.census import object_kinds

LARGEST_FIGURES = 2000
_DRAWN = ("_children", "images", "lines", "collections", "patches")
"""What axes hold, and in which attribute before matplotlib 3.5."""


def figures() -> list[tuple[int, Any]]:
    """The open figures with their numbers."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    managers = getattr(getattr(helpers, "Gcf", None), "figs", None)
    if not isinstance(managers, dict):
        return []
    found = []
    for number, manager in list(dict.items(managers))[:LARGEST_FIGURES]:
        figure = _attributes(_attributes(manager).get("canvas")).get("figure")
        if figure is not None and type(number) is int:
            found.append((number, figure))
    return found


def drawn(figure: Any) -> list[Any]:
    """Pictures, lines and the like in all axes of a figure."""
    axes = _attributes(figure).get("_localaxes")
    found: list[Any] = []
    for one in list.copy(axes) if isinstance(axes, list) else _stacked(figure):
        own = _attributes(one)
        for name in _DRAWN:
            held = own.get(name)
            if isinstance(held, list):
                found += list.copy(held)
    return found


def _stacked(figure: Any) -> list[Any]:
    """Axes where the figure has a stack of them and no list."""
    axes = _attributes(_attributes(figure).get("_axstack")).get("_axes")
    return list(axes) if isinstance(axes, dict) else []


def _attributes(thing: Any) -> dict[str, Any]:
    return dict(object_kinds.attributes(thing, object_kinds.type_facts(type(thing)))) if thing is not None else {}
