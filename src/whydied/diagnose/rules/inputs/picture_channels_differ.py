"""A picture has another number of colour channels than the array that it is put into.

## What it detects
NumPy refusing to put an array into another where only the channels differ (4 for 3, or none), and the line that opens
the picture.

## Why it happens
PNG files may have a channel for transparency, or only grey values.

## Evidence
The two shapes, from the exception; the line that opens the picture, followed through the program's own functions.

## How it is proved
The shapes were seen: certain. That the picture is to be converted where it is opened is an inference: likely.

## Fix
`.convert("RGB")`, or `cv2.IMREAD_COLOR`.

## Known problems
Pictures that are read by another library than Pillow are told without an edit.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.trees import dotted_name, walk, written
from whydied.texts import estimators

ROLE = "explanation"
YIELDS_TO = ("uneven-items",)
_COLOURS = {3: "RGB", 4: "RGBA", 1: "L"}


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError")
    told = estimators.NOT_BROADCAST.search(found.link.message) if found is not None else None
    if found is None or told is None:
        return None
    given, room = ([int(one) for one in told[name].split(",") if one] for name in ("given", "room"))
    if given == room or given[:2] != room[:2] or len(room) != 3 or room[2] not in _COLOURS or len(given) not in (2, 3):
        return None
    opened = _opened(found)
    if opened is None:
        return None
    file, line, call = opened
    place = found.located(file, line)
    mode = _COLOURS[room[2]]
    has = f"{given[2]} channels" if len(given) == 3 else "no channels (grey)"
    pillow = (dotted_name(call.func) or "").endswith("Image.open")
    right = f'{written_in(found.sources[file], call)}.convert("{mode}")'
    changes = [
        Change(
            title=f'Add `.convert("{mode}")`', kind="expression", edits=[over(found.sources[file], file, call, right)]
        )
    ]
    return Finding(
        message=f"{prefix(place)}a picture has {has}, and the array on "
        f"{words_at(found.place.file, found.place.line)} has room for {room[2]}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="expression", name=written(call)),
        evidence=[said(found.link)],
        advice=[f"Open it as `{right}`." if pillow else f"Bring each picture to {room[2]} channels where it is read."],
        changes=changes if pillow and found.is_editable(file) else [],
    )


def _opened(found: Failing) -> tuple[str, int, ast.Call] | None:
    """The call that opens the picture, behind what is put into the array."""
    for node in [one for one in found.expressions if isinstance(one, ast.Call | ast.Name)]:
        for step in found.trails.trail(found.place.file, found.place.line, node):
            for call in walk(step.value, ast.Call):
                name = dotted_name(call.func) or ""
                if name.endswith("Image.open") or callee(call) in ("imread", "load_img"):
                    return step.file, step.line, call
    return None
