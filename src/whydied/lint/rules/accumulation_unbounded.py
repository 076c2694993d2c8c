"""Gradients are added up by hand, and never reset or never divided.

## What it detects
A container or variable that gradients of a tape are added to and that an optimizer is given, while nothing sets it
back to zero; or nothing divides the sum, or the loss, by the number of steps.

## Why it matters
Without a reset each update adds all gradients since the beginning, and the weights run away. Without the division the
step is as many times too large as steps were added up.

## When it stays silent
The sum is divided, or the loss before it is differentiated; the accumulator is made anew or assigned zeros.

## Fix
Divide by the number of steps where the sum is applied, and reset it behind that: `for total in totals:
total.assign(tf.zeros_like(total))`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.training.accumulation import accumulators

SAME_FAULT = ("gradient-accumulation-unbounded",)


def check(unit: Unit) -> Iterator[Hit]:
    text = unit.source.exact
    if ".gradient(" not in text or "apply" not in text:
        return
    told: set[str] = set()
    for one in accumulators(unit.tree):
        if one.name in told or (one.is_reset and one.is_divided):
            continue
        told.add(one.name)
        place = next(
            (node for node in ast.walk(unit.tree) if isinstance(node, ast.stmt) and node.lineno == one.added), None
        )
        applied = unit.place(one.applied)[1]
        if place is None:
            continue
        if not one.is_reset:
            message = (
                f"gradients are added to `{one.name}`, and nothing sets it back after the update in line {applied}"
            )
            advice = f"Set `{one.name}` back to zeros behind line {applied}."
        else:
            message = f"gradients are added up in `{one.name}`, and line {applied} applies their sum, not their mean"
            advice = f"Divide `{one.name}` by the number of steps where it is applied."
        yield Hit(place, message, advice)
