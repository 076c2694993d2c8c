"""What is said at once, while the program goes on, of a training step that is not finite. Pure."""

from __future__ import annotations

import os

from whydied.records import StepCaptured, Suspect

TRAINED = ("gradient", "update", "weight", "statistic")
"""Roles of values that training changes; what is only evaluated may be NaN on purpose."""


def note(captured: StepCaptured) -> str | None:
    """What is not finite, when and where; None where nothing is trained, or the program is stopped for it."""
    found = [one for one in captured.suspects if one.shows_loss] + [
        one for one in captured.suspects if one.role in TRAINED
    ]
    if not found or captured.stopped:
        return None
    return f"whydied: {_what(found[0])}{_when(captured)}{_where(captured)}."


def _what(suspect: Suspect) -> str:
    numbers = suspect.numbers
    kind = "infinite" if numbers is not None and numbers.nonfinite and not numbers.nan else "NaN"
    return f"the loss is {kind}" if suspect.shows_loss else f"the {suspect.role} of {suspect.name} has become {kind}"


def _when(captured: StepCaptured) -> str:
    epoch = f" (epoch {captured.epoch + 1})" if captured.epoch is not None else ""
    return f" at step {captured.step}{epoch}" if captured.step is not None else epoch


def _where(captured: StepCaptured) -> str:
    place = next((frame for frame in reversed(captured.frames) if frame.user), None)
    return f", {os.path.basename(place.file)}:{place.line}" if place is not None else ""
