"""What the models of a census weigh: the bytes of their variables and of their optimizers' slots; runs in the user's
process, inside a census.

Invariant: a variable counts once, for the first model that leads to it; no method is called, only the lists in
which Keras keeps layers and variables are read; at most `LARGEST_VISITS` objects are looked at.
"""

from __future__ import annotations

import time
from typing import Any

from whydied.inside.census import array_sizes, object_kinds
from whydied.inside.census.object_counts import ObjectCounts
from whydied.inside.census.object_kinds import type_facts

LARGEST_VISITS = 50_000
SECONDS = 0.05
_LISTS = frozenset(
    {
        # Keras 3
        "_layers",
        "_trainable_variables",
        "_non_trainable_variables",
        "_variables",
        "optimizer",
        # Keras 2
        "_self_tracked_trackables",
        "_trainable_weights",
        "_non_trainable_weights",
        "_optimizer",
        "_weights",
    }
)
_WEIGHED = frozenset({object_kinds.VARIABLE, object_kinds.KERAS_VARIABLE})
_ENTERED = frozenset({object_kinds.INSTANCE, object_kinds.MODEL, object_kinds.OPTIMIZER})


def weigh(counts: ObjectCounts) -> None:
    """Give each group of models the bytes of what its models hold."""
    until = time.perf_counter() + SECONDS
    scale = _Scale()
    for key, _ in counts.model_keys:
        counts.groups[key].size_bytes = 0
    for model, (key, weight) in zip(counts.models, counts.model_keys, strict=True):
        if time.perf_counter() > until or scale.visits > LARGEST_VISITS:
            return
        counts.groups[key].size_bytes += scale.bytes_of(model) * weight


class _Scale:
    def __init__(self) -> None:
        self.visits = 0
        self._seen: set[int] = set()

    def bytes_of(self, model: Any) -> int:
        total = 0
        waiting = [model]
        while waiting and self.visits <= LARGEST_VISITS:
            thing = waiting.pop()
            if id(thing) in self._seen:
                continue
            self._seen.add(id(thing))
            self.visits += 1
            facts = type_facts(type(thing))
            if facts.name in _WEIGHED:
                total += array_sizes.measure(thing, facts).size_bytes
            elif facts.name == object_kinds.SEQUENCE:
                waiting += object_kinds.items(thing, facts)
            elif facts.name == object_kinds.MAPPING:
                waiting += list(dict.values(thing))
            elif facts.name in _ENTERED:
                waiting += [value for name, value in object_kinds.attributes(thing, facts) if name in _LISTS]
        return total
