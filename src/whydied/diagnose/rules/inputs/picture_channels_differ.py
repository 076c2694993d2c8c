"""A picture has another number of colour channels than what it is put into or given to.

## What it detects
NumPy refusing to put an array into another where only the channels differ (4 for 3, or none), and the line that opens
the picture. A model that is given pictures with another number of channels than it takes, and the lines that say with
how many they are read (`color_mode="grayscale"`, `channels=1`, `.convert("L")`).

## Why it happens
PNG files may have a channel for transparency, or only grey values. A net that was trained on colours is used for grey
pictures.

## Evidence
The two shapes, from the exception or from the data and the layer; the line that opens the picture, followed through the
program's own functions, or all lines of the program that read pictures so.

## How it is proved
The shapes were seen: certain. That the picture is to be converted where it is opened or read is an inference: likely.
The change is tried in a copy of the process.

## Fix
`.convert("RGB")`, or `cv2.IMREAD_COLOR`; `color_mode="rgb"` or `channels=3` where the pictures are read.

## Known problems
Pictures that are put into an array and read by another library than Pillow are told without an edit.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.framework_error import FrameworkError, evidence_of, layer_words, name_of, shape_words
from whydied.diagnose.errors.misfit import Misfit, misfit
from whydied.diagnose.errors.model_ends import data_behind
from whydied.diagnose.errors.samples.added_axes import added_axes
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.diagnose.rules.shapes import rank_mismatch, wrong_input_shape
from whydied.records import Party
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.read_channels import Reading, readings
from whydied.source.trees import dotted_name, located, walk, written
from whydied.texts import estimators

ROLE = "explanation"
YIELDS_TO = ("uneven-items",)
_COLOURS = {3: "RGB", 4: "RGBA", 1: "L"}
_MOST = 3


def check(case: Case) -> Finding | None:
    return _put_into_array(case) or _given_to_model(case)


def check_rivals(case: Case) -> list[tuple[str, Finding]]:
    """What can be done where the data are passed, or to the model."""
    others = [("wrong-input-shape", wrong_input_shape.check(case)), ("rank-mismatch", rank_mismatch.check(case))]
    return [(name, one) for name, one in others if one is not None]


def _given_to_model(case: Case) -> Finding | None:
    found = misfit(case)
    channels = _channels(found) if found is not None else None
    if found is None or found.first is None or channels is None:
        return None
    (came, wanted), error, party = channels, found.error, data_behind(found.error, found.first)
    alike = readings(error.sources, came, wanted)
    # Where some are read as is wanted (pictures, and masks beside them) each reading is a change of its own.
    mixed = bool([one for one in readings(error.sources, wanted, came) if f"={wanted}" in one.text])
    kinds = [[one] for one in alike] if mixed else [alike] if alike else []
    if not kinds:
        return None
    first = kinds[0][0]
    place = located(case.project, first.file, first.line)
    layer = error.facts.layer
    taker = layer_words(layer) if layer is not None else "the model"
    many = "1 channel" if came == 1 else f"{came} channels"
    return Finding(
        message=(
            f"{prefix(place)}pictures are read with {many} (`{first.text}`): {name_of(party, 'the input')} is "
            f"{shape_words(party.shape)}, and {taker} takes {wanted}"
        ),
        certainty="likely",
        location=place,
        culprit=Culprit(kind="data", name=party.text or None, shape=party.shape, dtype=party.dtype),
        evidence=evidence_of(error),
        advice=[f"Write `{first.now}` there{_others(kinds[0])}."],
        changes=[_change(error, party, one) for one in kinds[:_MOST]],
    )


def _channels(found: Misfit) -> tuple[int, int] | None:
    """How many channels the pictures have, and how many are wanted, where they differ by those alone."""
    shape, wanted = (found.first.shape if found.first is not None else None) or [], found.error.facts.wanted
    if not found.error.facts.call or wanted is None:
        return None
    if found.kind == "input" and len(shape) in (4, 5) and len(found.axes) == 1:
        at, _, asked, given = found.axes[0]
        is_last = at == len(shape) - 1 and {given, asked} <= {*_COLOURS}
        return (given, asked) if is_last and given is not None and asked is not None else None
    last = (wanted.shape or [None])[-1]
    # Grey pictures that have no axis for it.
    return (1, last) if found.kind == "rank" and last in (3, 4) and shape[1:] == (wanted.shape or [])[1:-1] else None


def _others(alike: list[Reading]) -> str:
    lines = sorted({words_at(one.file, one.line) for one in alike[1:]})
    return f", and likewise on {' and '.join(lines)}" if lines else ""


def _change(error: FrameworkError, party: Party, alike: list[Reading]) -> Change:
    """Where grey pictures have no axis for it the program adds one, which colours do not need."""
    added = next(added_axes(error.sources, party), None) if any(one.is_flat for one in alike) else None
    edits = [*(edit for one in alike for edit in one.edits), *(added.edits if added is not None else [])]
    words = f", without the axis added by `{added.text}`" if added is not None else ""
    return Change(title=f"Read the pictures with `{alike[0].now}`{words}", kind="channels", edits=edits)


def _put_into_array(case: Case) -> Finding | None:
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
