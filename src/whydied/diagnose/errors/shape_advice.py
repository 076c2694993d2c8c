"""Changes that make shapes fit, each checked against the rule of the op before it is named. Pure."""

from __future__ import annotations

from whydied.diagnose.errors.framework_error import giver_of, layer_words, shape_words
from whydied.diagnose.errors.misfit import Misfit, is_fed
from whydied.diagnose.errors.operand_changes import operand_changes
from whydied.records import Party


def changes(found: Misfit) -> list[str]:
    facts = found.error.facts
    first, second = found.first, found.second
    if facts.wanted is not None and facts.layer is not None and found.axes:
        _, _, wanted, given = found.axes[0]
        giver = giver_of(facts)
        made = f"{layer_words(giver)} give {wanted}" if giver is not None else f"the input {wanted}"
        return [f"Either make {made}, or make {layer_words(facts.layer)} take {given}."]
    if first is None or second is None or first.shape is None or second.shape is None:
        return []
    if facts.op == "Reshape":
        return ["The new shape must have as many values in total; one of its sizes may be -1."]
    return operand_changes(found.error, [first, second])


def missing_axis(found: Misfit, party: Party) -> list[str]:
    """The axis that makes a value fit a layer: that of the batch before it, or one of size 1 behind it."""
    facts = found.error.facts
    wanted, shape = facts.wanted, found.first.shape if found.first else None
    name = party.text or "x"
    if wanted is None or shape is None:
        return []
    rank = wanted.rank or wanted.least_rank or (len(wanted.shape) if wanted.shape is not None else None)
    if rank is None or len(shape) != rank - 1:
        return []
    giver = giver_of(facts)
    if gives_last_only(found) and giver is not None:
        return [f"`return_sequences=True` in {layer_words(giver)} returns all steps, with {rank} axes."]
    if is_fed(found.error):
        return []
    if wanted.shape is not None and all(one in (None, two) for one, two in zip(wanted.shape[1:], shape, strict=True)):
        if party.role == "element":
            return [f"It is not batched: `{name}.batch(32)` adds the batch axis."]
        return [f"It is a single sample without a batch axis: `{name}[None]` makes it {shape_words([1, *shape])}."]
    return [
        f"If it lacks a channel or feature axis, `{name}[..., None]` makes it {shape_words([*shape, 1])}; "
        f"if it is a single sample, `{name}[None]` adds the batch axis."
    ]


def gives_last_only(found: Misfit) -> bool:
    """Whether the value comes out of a recurrent layer that gives only its last step."""
    giver = giver_of(found.error.facts)
    return giver is not None and giver.settings.get("return_sequences") == "False"


def other_order(found: Misfit, party: Party) -> list[str]:
    """Of several inputs another one that has the shape which was wanted here."""
    wanted = found.error.facts.wanted
    if wanted is None or wanted.shape is None:
        return []
    for other in found.error.of_role("x"):
        shape = other.shape or []
        if other is party or len(shape) != len(wanted.shape) or not other.text or not party.text:
            continue
        if all(one is None or one == two for one, two in zip(wanted.shape[1:], shape[1:], strict=True)):
            return [f"`{other.text}` {shape_words(shape)} fits here: pass the data in the order of the model's inputs."]
    return []
