"""`cache()` keeps a large or endless data set in memory.

## What it detects
`cache()` without a file name behind `repeat()` without a number, which never ends; or behind a `map` that decodes
pictures, where the data set shows that it has so many that they take at least 4 GiB: by a shuffle buffer, a `take`,
or as one of the large public data sets.

## Why it matters
The cache grows until everything was read once: the process is killed in the first epoch.

## When it stays silent
`cache(file)`, or nothing in the source says how large the data set is.

## Fix
`cache("/path/of/a/file")`, or `cache()` before the decoding.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied import words
from whydied.lint.pipelines import PipelineStep, chain, decoding
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.calls import callee, passed_argument

SAME_FAULT = ("pipeline-buffer-too-large", "native-growth")
LEAST_BYTES = 4 << 30
_LARGE_SETS = ("imagenet", "coco/", "places365", "open_images", "laion", "kinetics", "inaturalist")


def check(unit: Unit) -> Iterator[Hit]:
    whole = [
        (call, chain(unit, call))
        for call in unit.calls
        if isinstance(call.func, ast.Attribute) and callee(call) in ("cache", "shuffle", "take", "batch", "prefetch")
    ]
    for call, steps in whole:
        if callee(call) != "cache" or call.args or call.keywords or len(steps) < 2:
            continue
        before = steps[:-1]
        endless = next(
            (one for one in before if one.name == "repeat" and not one.call.args and not one.call.keywords), None
        )
        if endless is not None and not any(one.name == "take" for one in before[before.index(endless) :]):
            yield Hit(
                call,
                "the cache is behind `repeat()`, which never ends, and grows with every epoch",
                "Put `cache()` in front of `repeat()`.",
            )
            continue
        found = [made for step in before if (made := decoding(unit, step)) is not None]
        if not found:
            continue
        sources = " ".join(_texts(before[0])).lower()
        name = next((one for one in _LARGE_SETS if one in sources), None)
        number = _number(unit, call, [steps for other, steps in whole if other is not call], before)
        each = found[-1].element_bytes
        if number is not None and each is not None and number * each >= LEAST_BYTES:
            told = f"the cache keeps {number:,.0f} decoded elements in memory, {words.size(int(number * each))}"
        elif name is not None:
            told = f"the cache keeps the decoded pictures of {name.strip('/')} in memory"
        else:
            continue
        yield Hit(call, told, "Give `cache` a file name, or put it in front of the `map` that decodes.")


def _number(unit: Unit, call: ast.Call, others: list[list[PipelineStep]], before: list[PipelineStep]) -> float | None:
    """How many elements pass the cache: at least as many as a shuffle buffer around it is meant for."""
    near = [steps for steps in others if any(step.call is call for step in steps)]
    steps = [*before, *(step for chained in near for step in chained)]
    if any(step.name == "batch" for step in before):
        return None
    known = [
        unit.number(passed_argument(step.call, "buffer_size") or passed_argument(step.call, "0"))
        for step in steps
        if step.name in ("shuffle", "take", "range")
    ]
    return max((one for one in known if one is not None), default=None)


def _texts(step: PipelineStep) -> list[str]:
    return [one.value for one in ast.walk(step.call) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
