"""Pictures are given with their channels first, and the layers take them last.

## What it detects
An exception of a Keras call or layer in a program that declares pictures as (channels, height, width), such as
(1, 28, 28), for layers that take the channels last.

## Why it happens
Code that was written for Theano or PyTorch has the channels first. TensorFlow's layers then take the channels for the
height: the first pooling has nothing left, or the output has another size than the pictures.

## Evidence
The declared shape and the layers, from the source: a first axis of 1, 3 or 4 before two longer ones, and no
`data_format` anywhere.

## How it is proved
It is seen that the order differs, and inferred that it brought the failure about: likely. The change is tried.

## Fix
Write the channels last, wherever the program writes the shape.

## Known problems
Shapes that are not written out, and arrays that are transposed, are not told.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.usage import root_link, said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.edits.edit import Change
from whydied.source.edits.shapes.channel_order import channels_first
from whydied.source.trees import located

ROLE = "explanation"
_TYPES = ("ValueError", "InvalidArgumentError")


def check(case: Case) -> Finding | None:
    link = root_link(case)
    if link is None or link.type.rpartition(".")[2] not in _TYPES:
        return None
    found = channels_first(case.project)
    if found is None:
        return None
    place = located(case.project, found.file, found.line)
    return Finding(
        message=f"{prefix(place)}the pictures are declared as {found.shape}, the channels first; expected them last, "
        f"{found.turned}, as the layers take them",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="layout", name=found.shape),
        evidence=[said(link)],
        advice=[f"Write {found.turned} wherever the program writes {found.shape}."],
        changes=[
            Change(
                title=f"Write {found.turned} wherever the program writes {found.shape}", kind="shape", edits=found.edits
            )
        ],
    )
