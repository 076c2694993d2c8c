"""What makes a step fit without touching its batch: activations of half the size, or computed again. Pure.

Invariant: a change is offered only where the recorded graph says that it frees enough: that what grows with the batch,
in float32, is what fills the memory, or what is made within the program's own layers and kept for the backward pass.
"""

from __future__ import annotations

import re
from collections import defaultdict

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.gpu.builds import gpus_of
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.step_need import Need
from whydied.source.edits.edit import Change, Harm
from whydied.source.edits.memory.lighter_steps import is_repeatable, own_layers, policy_set, recomputed

RECOMPUTES = (3, 9)
"""The first version of Keras that has `RematScope`."""
_NUMBER = re.compile(r"_\d+$")


def lighter_changes(case: Case, need: Need | None, place: Location, room_bytes: int) -> list[Change]:
    """The gentlest first; nothing where no graph of a training step is known."""
    if need is None or not need.trains:
        return []
    return [*_recomputed(case, need, room_bytes), *_narrower(case, need, place, room_bytes)]


def keras_version(case: Case) -> tuple[int, ...]:
    text = case.recording.versions.get("keras", "")
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())


def _narrower(case: Case, need: Need, place: Location, room_bytes: int) -> list[Change]:
    wide = sum(one.size_bytes for one in need.memory.alive if one.grows and one.dtype == "float32")
    if need.peak_bytes - wide // 2 > room_bytes or place.file not in case.project:
        return []
    policy = "mixed_float16" if gpus_of(case) else "mixed_bfloat16"
    edits = policy_set(case.project, place.file, "mixed_precision.set_global_policy", policy)
    title = f"Compute activations in {policy.removeprefix('mixed_')}, half the size (policy `{policy}`)"
    return change_of(title, "mixed-precision", edits, value=policy)


def _recomputed(case: Case, need: Need, room_bytes: int) -> list[Change]:
    """The layers of one class of the program's own, whose inner tensors are kept from the forward pass on. One of them
    is there again while its gradients are computed, and the output of each stays."""
    kept: defaultdict[str, list[int]] = defaultdict(list)
    layers = own_layers(case.project) if keras_version(case) >= RECOMPUTES else {}
    for tensor in need.memory.alive:
        path = tensor.layer.path.split("/") if tensor.layer is not None else []
        name = next((part for part in path if _NUMBER.sub("", part) in layers), None)
        if name is not None and tensor.phase == "forward" and tensor.grows:
            kept[name].append(tensor.size_bytes)
    found: list[Change] = []
    for first, owner in layers.items():
        inner = {name: sum(own) - max(own) for name, own in kept.items() if _NUMBER.sub("", name) == first}
        freed = sum(inner.values()) - max(inner.values(), default=0)
        if not freed or need.peak_bytes - freed > room_bytes:
            continue
        harm: Harm = "same result" if is_repeatable(owner) else "changed result"
        edits = recomputed(case.project, owner, sorted(inner, key=lambda name: (len(name), name)))
        title = f"Recompute what the {owner.name} layers keep for the backward pass (slower)"
        found += change_of(title, "recomputation", edits, harm)
    return found
