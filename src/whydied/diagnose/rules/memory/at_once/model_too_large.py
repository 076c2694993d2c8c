"""The model's weights, gradients and optimizer slots alone come near the limit.

## What it detects
A program that ran out of memory while a layer made its weights, while an optimizer made its slots, or in its
first step, where what the model itself needs is at least half of the memory there was and more than what grows with the
batch.

## Why it happens
Each parameter takes 4 bytes as a weight, 4 as a gradient, and 4 or 8 in the optimizer (momentum, Adam); making
it takes its size once more for a moment. A dense layer after a flattened picture has millions without looking like it.

## Evidence
The weights that layers asked for, with shape, bytes and the line that constructed the layer (recorded before
each is made); the variables in the last census; for a traced step the weights, slots and gradients of its graph.

## How it is proved
Certain where the weights asked for make up at least half of what the program held above its libraries; likely
where gradients and slots, which follow from the weights, are needed to come to that. The line is the one that
constructed the largest layer.

## Fix
Make that layer smaller (pool before a dense layer, factorise an embedding), use an optimizer with fewer slots,
or, where nothing is trained, weights in bfloat16. `model.quantize("int8")` needs the wide weights first.

## Known problems
Weights smaller than 4 MiB each are counted in the sum and not listed. Models that are no Keras layers are seen only by
their variables.
"""

from __future__ import annotations

import ast
import re
from math import prod
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of, room_bytes
from whydied.diagnose.memory.call_at_death import own_bytes, ran_out, running_call
from whydied.diagnose.memory.growth_with_events import NAMED_ROOTS
from whydied.diagnose.memory.lighter_changes import keras_version
from whydied.diagnose.memory.memory_over_time import censuses
from whydied.diagnose.memory.step_need import need_of
from whydied.records import WeightMade
from whydied.source.calls import callee
from whydied.source.edits.edit import Change
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.memory.lighter_steps import policy_set
from whydied.source.edits.memory.narrower_types import narrowed
from whydied.source.edits.memory.smaller_models import narrower_layer, without_slots
from whydied.source.edits.runs.size_edits import float32_array, power_below
from whydied.source.results import first_made
from whydied.source.trees import across, located

ENOUGH = 0.5
ROOM = 0.7
"""Part of the room that a smaller model may take: the rest is for its inputs and activations."""
MAKING = 3
"""A weight takes so many times its bytes while its initial values are drawn and scaled."""
WORKED_BEFORE = 1
SMALLEST_BYTES = 64 << 20
POLICIES = (3, 0)
"""The first version of Keras with `keras.config`."""
_TRAINING = frozenset({"fit", "train_on_batch", "GradientTape", "minimize", "apply_gradients", "gradients"})
_FROZEN = re.compile(r"\btrainable\s*=\s*False\b")

ROLE = "memory"
AT_ONCE = True
YIELDS_TO = ("whole-dataset-in-one-call",)


def check(case: Case) -> Finding | None:
    made = case.records.all(WeightMade)
    if not made or not ran_out(case):
        return None
    weights = made[-1].total_bytes
    needed, how = _needed(case, made)
    if needed < max(SMALLEST_BYTES, ENOUGH * own_bytes(case)):
        return None
    layer = _largest(made)
    size, parameters = sum(one.size_bytes for one in layer), sum(prod(one.shape) for one in layer)
    place, beside = _place(case, layer[0]), _beside(case, layer[0])
    if beside is not None and beside.place is not None and beside.size_bytes >= size:
        place = beside.place
    changes = _changes(case, layer[0], needed) if beside is None else _narrowed(case, beside, needed)
    total = f", {words.size(needed)} with {how}" if how else ""
    return Finding(
        message=f"{prefix(place)}layer `{layer[0].layer}` ({layer[0].type}) has {parameters:,} parameters, "
        f"{words.size(size)}; the model's weights take {words.size(weights)}{total}{case.limit_words}"
        + (
            f", and the array `{beside.name}` of the same shape {words.size(beside.size_bytes)} beside"
            if beside
            else ""
        ),
        certainty="certain" if weights >= ENOUGH * own_bytes(case) else "likely",
        location=place,
        culprit=Culprit(
            kind="layer", name=layer[0].layer, shape=list(layer[0].shape), dtype=layer[0].dtype, bytes=size
        ),
        evidence=[
            Evidence(
                fact=f"weight `{one.weight or 'weight'}` of `{one.layer}`",
                value=f"{one.shape} {one.dtype}, {words.size(one.size_bytes)}",
                source="WeightMade",
            )
            for one in sorted(made, key=lambda one: -one.size_bytes)[:3]
        ]
        + [Evidence(fact="all weights created", value=words.size(weights), source="WeightMade")],
        advice=[
            *_sharing(layer[0], beside),
            *(["Use an optimizer without slots: SGD keeps nothing for each weight."] if _is_slots(changes) else []),
            _smaller(case, layer[0], parameters, size),
        ],
        changes=changes,
    )


def _narrowed(case: Case, beside: Beside, needed: int) -> list[Change]:
    """The array that the weights are made of as float32 from the start, where half of it fits beside them."""
    if needed + beside.size_bytes // 2 > (room_bytes(case) or 0):
        return []
    source = case.sources.get(beside.place.file) if beside.place is not None else None
    numpy = name_of(source, "numpy") if source is not None else None
    if source is None or beside.place is None or numpy is None or beside.dtype != "float64":
        return []
    where = source, beside.place.file, beside.place.line, numpy
    edit = float32_array(*where) or narrowed(*where)
    return change_of(
        f"Make `{beside.name}` float32, which takes half", "dtype", edit, value="float32", harm="same result"
    )


def _is_slots(changes: list[Change]) -> bool:
    return any(change.kind == "optimizer" for change in changes)


def _changes(case: Case, layer: WeightMade, needed: int) -> list[Change]:
    """An optimizer without slots, where slots are a part of what is needed; then a layer so narrow that the model takes
    a part of the room."""
    need, built, room = need_of(case), _place(case, layer), room_bytes(case)
    slots = need.memory.slots_bytes if need is not None and running_call(case) is not None else 0
    found: list[Change] = []
    if need is not None and 2 * slots >= max(1, need.memory.weights_bytes):
        plain = without_slots(case.project)
        found += change_of("Use SGD, which keeps nothing for each weight", "optimizer", plain, value="SGD")
    source = case.project.get(built.file) if built is not None else None
    if source is None or built is None or room is None or not layer.shape:
        return found
    found += _half(case, built, max(needed, MAKING * layer.size_bytes), room)
    width = layer.shape[-1]
    wanted = power_below(int(width * ROOM * room / max(needed, MAKING * layer.size_bytes)))
    edit = narrower_layer(source, built.file, built.line, layer.type, width, wanted) if wanted < width else None
    return found + change_of(
        f"Make `{layer.layer}` {wanted:,} wide instead of {width:,}", "layer-size", edit, value=wanted
    )


def _half(case: Case, built: Location, needed: int, room: int) -> list[Change]:
    """Weights of half the size, for a program that trains nothing, where these fit."""
    trains = any(callee(call) in _TRAINING for _, call in across(case.project, ast.Call))
    if trains or needed // 2 > ROOM * room or keras_version(case) < POLICIES:
        return []
    edits = policy_set(case.project, built.file, "config.set_dtype_policy", "bfloat16")
    return change_of("Keep the weights in bfloat16, half the size", "dtype", edits, value="bfloat16")


def _smaller(case: Case, layer: WeightMade, parameters: int, size: int) -> str:
    built = _place(case, layer)
    text = f"Make `{layer.layer}` smaller: {parameters:,} parameters take {words.size(size)} as weights"
    if built is not None and _FROZEN.search(built.source or ""):
        return f"{text}."
    return f"{text}, as much again as gradients, and once or twice as much in the optimizer."


def _sharing(layer: WeightMade, beside: Beside | None) -> list[str]:
    """What to do about an array that a layer's weights are made of."""
    if beside is None:
        return []
    rows = f"Give `{beside.name}` fewer rows than {layer.shape[0]:,}"
    if layer.type == "Embedding":
        rows += ": only ids that occur in the input need one, so keep the most frequent words"
    narrow = "; make it float32 from the start, which takes half" if beside.dtype == "float64" else ""
    return [f"{rows}{narrow}; and `del {beside.name}` once the layer has it."]


class Beside(NamedTuple):
    """An array of the program's with the shape of a weight, and the line that made it."""

    name: str
    dtype: str
    size_bytes: int
    place: Location | None


def _beside(case: Case, weight: WeightMade) -> Beside | None:
    taken = censuses(case)
    for group in taken[-1][1].groups if taken else []:
        holder = next((one for one in group.holders if one.root in NAMED_ROOTS and one.path.isidentifier()), None)
        if holder is not None and group.kind == "array" and group.shape == list(weight.shape):
            made = first_made(case.sources, holder.file, holder.function, holder.path)
            place = located(case.sources, *made) if made is not None else None
            return Beside(holder.path, group.dtype or "", group.size_bytes, place)
    return None


def _needed(case: Case, made: list[WeightMade]) -> tuple[int, str]:
    """What the model itself takes, as far as the program had come, and what is counted besides its weights."""
    weights = made[-1].total_bytes
    running, need = running_call(case), need_of(case)
    # The random values of the weight that is being made, or a copy of it, are there beside it.
    making = weights + made[-1].size_bytes if _is_being_made(case, made[-1]) else weights
    if running is None:
        return max(making, _variables(case)), "" if making == weights else "its initial values"
    if running.done > WORKED_BEFORE:
        return 0, ""
    if need is not None:
        memory = need.memory
        gradients = memory.weights_bytes if need.trains else 0
        model = memory.weights_bytes + memory.slots_bytes + gradients
        if model < memory.batch_scaled_bytes:
            return 0, ""
        return model, "gradients and optimizer slots"
    held = max(weights, _variables(case))
    return (held + weights, "gradients") if running.trains else (held, "")


def _is_being_made(case: Case, last: WeightMade) -> bool:
    """Whether the program was last seen where it made its last weight."""
    seen = case.records.user_frames
    return bool(last.frames and seen) and any(
        frame.file == last.frames[-1].file and frame.line in (last.frames[-1].line, _line(case, last)) for frame in seen
    )


def _line(case: Case, last: WeightMade) -> int:
    return case.locate(last.frames[-1]).line


def _variables(case: Case) -> int:
    taken = censuses(case)
    if not taken:
        return 0
    return sum(group.size_bytes for group in taken[-1][1].groups if group.kind == "variable")


def _largest(made: list[WeightMade]) -> list[WeightMade]:
    """The weights of the layer with the most bytes."""
    layers: dict[tuple[str, int], list[WeightMade]] = {}
    for one in made:
        layers.setdefault((one.layer, one.built.line if one.built else 0), []).append(one)
    return max(layers.values(), key=lambda weights: sum(one.size_bytes for one in weights))


def _place(case: Case, weight: WeightMade) -> Location | None:
    if weight.built is not None:
        return case.locate(weight.built)
    return case.locate(weight.frames[-1]) if weight.frames else None
