"""Changes that make shapes fit, each checked against the rule of the op before it is named. Pure."""

from __future__ import annotations

import msgspec

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, giver_of, layer_words, name_of, shape_words
from whydied.diagnose.errors.misfit import Misfit
from whydied.diagnose.errors.model_ends import input_layer
from whydied.diagnose.errors.operand_changes import operand_changes
from whydied.records import LayerFacts, Party
from whydied.shapes.input_sizes import common_divisor, nearest_sizes
from whydied.shapes.keras_layers import numbers_of
from whydied.shapes.plan import replaced, through, with_setting
from whydied.shapes.reshapes import OtherSize, other_sizes
from whydied.shapes.shape import count
from whydied.source.numbers import solved

ANY_SIZE = 64
"""Stands for a size that nobody has said."""


def changes(found: Misfit) -> list[str]:
    facts = found.error.facts
    first, second = found.first, found.second
    if facts.layer is not None and first is not None and first.shape and first.shape[-1] is None and not facts.op:
        return _unknown_size(found)
    if facts.layer is not None and facts.layer.type == "Reshape" and first is not None and not facts.op:
        return _other_target(found, facts.layer, first)
    if facts.wanted is not None and facts.layer is not None and found.axes:
        return _widths(found)
    if facts.op == "Reshape" and first is not None:
        return _other_sizes(found, first)
    if first is None or second is None or first.shape is None or second.shape is None:
        return []
    if facts.op == "Pack" and len(first.shape) == len(second.shape) == 1:
        return ["`tf.ragged.stack` takes rows of different lengths; or pad them to one length before they are stacked."]
    if facts.op:
        return _fed_rows(found) or operand_changes(found.error, [first, second])
    return _input_sizes(found) or _same_width(found)


def _unknown_size(found: Misfit) -> list[str]:
    """Where a size that a layer has to know was left open: in the Input, or by a Flatten of what it left open."""
    facts = found.error.facts
    entrances = [one for one in facts.layers if one.type == "InputLayer"]
    shape = entrances[0].output_shape if len(entrances) == 1 else None
    if facts.layer is None or shape is None or None not in shape[1:]:
        return []
    joined = msgspec.structs.replace(facts.layer, inputs=_joined(found))
    plan, entrance = [*(one for one in facts.layers if one.name != facts.layer.name), joined], entrances[0]
    sized: Shape = [shape[0], *(ANY_SIZE if size is None else size for size in shape[1:])]
    words = []
    if through(plan, {entrance.name: sized}, chained=False).refused is None:
        words.append(f"give {layer_words(entrance)} sizes in the place of None, as in {shape_words(shape[1:])}")
    flat = next(
        (one for one in reversed(plan) if one.type == "Flatten" and len(one.input_shape or []) in (3, 4, 5)), None
    )
    if flat is not None:
        kind = f"GlobalAveragePooling{len(flat.input_shape or []) - 2}D"
        other = msgspec.structs.replace(flat, type=kind, settings={"data_format": "channels_last"})
        if through(replaced(plan, other), {}, chained=False).refused is None:
            words.append(f"use `{kind}()` in the place of {layer_words(flat)}")
    return [f"{'; or '.join(words)[:1].upper()}{'; or '.join(words)[1:]}."] if words else []


def _widths(found: Misfit) -> list[str]:
    """Either side of two layers that do not go together."""
    facts = found.error.facts
    assert facts.layer is not None
    _, _, wanted, given = found.axes[0]
    asked, shape = facts.wanted.shape if facts.wanted is not None else None, found.first.shape if found.first else None
    giver = giver_of(facts)
    whole = len(found.axes) > 1 and asked is not None and shape is not None
    gives, takes = (shape_words(asked), shape_words(shape)) if whole else (str(wanted), str(given))
    fed = giver is not None and giver.type != "InputLayer"
    made = f"{layer_words(giver)} give {gives}" if giver is not None and fed else f"its input {wanted} wide"
    return [f"Either make {made}, or make {layer_words(facts.layer)} take {takes}."]


def wrong_size(found: Misfit) -> tuple[Party, OtherSize] | None:
    """The size of a reshape that alone would have to be another."""
    sizes, given = found.error.of_role("size"), found.first.shape if found.first is not None else None
    asked = [party.lowest for party in sizes if party.lowest is not None]
    fitting = other_sizes(given, asked) if given is not None and asked and len(asked) == len(sizes) else []
    written = [one for one in fitting if sizes[one.at].text]
    return (sizes[written[0].at], written[0]) if len(written) == 1 else None


def _other_sizes(found: Misfit, first: Party) -> list[str]:
    wrong = wrong_size(found)
    if wrong is None:
        return _other_width(found, first)
    party, (_, size, shape) = wrong
    was = party.lowest or 0
    other = solved(party.text, was, size)
    told = f"`{party.text}` is {was} and would have to be {size}"
    told += f" (`{other.name}` {other.size} instead of {other.was})" if other is not None else ""
    makers = [one for one in party.sources if one.frame is not None]
    where = "".join(f"; `{one.name}` is `{one.text}` on {line_words(one.frame)}" for one in makers if one.frame)
    return [f"{told} to reshape {name_of(first, 'it')} {shape_words(first.shape)} to {shape_words(shape)}{where}."]


def _other_target(found: Misfit, layer: LayerFacts, first: Party) -> list[str]:
    """A Reshape layer with another size, or an Input with which the one that is asked for fits."""
    asked = numbers_of(layer, "target_shape")
    given = first.shape or []
    # The last size is the one that changes least: what comes before it are steps or rows of a picture.
    other_last = other_sizes(given, [-1, *asked])[-1:]
    words = [f"`Reshape({shape_words(one.shape[1:])})` takes all values" for one in other_last]
    plan = [*(one for one in found.error.facts.layers if one.name != layer.name), layer]
    plan[-1] = msgspec.structs.replace(layer, inputs=_joined(found))
    entrances = [one for one in plan if one.type == "InputLayer"]
    shape = entrances[0].output_shape if len(entrances) == 1 else None
    for axis in range(1, len(shape or []) - 1):
        for size in nearest_sizes(plan, entrances[0].name, shape or [], axis, opened=False):
            other: Shape = [size if at == axis else one for at, one in enumerate(shape or [])]
            where = f" ({line_words(entrances[0].made)})" if entrances[0].made else ""
            words.append(f"`Input({shape_words(other[1:])})`{where} fits it")
    return [f"Either {'; or '.join(words)}."] if len(words) > 1 else [f"{words[0]}."] if words else []


def _other_width(found: Misfit, first: Party) -> list[str]:
    """What each row would have to have, where no size that is asked for can be another."""
    asked = [party.lowest for party in found.error.of_role("size") if party.lowest is not None]
    given = first.shape or []
    needs = count([size for size in asked if size != -1])
    made = next((one for one in first.sources if one.frame is not None and one.text), None)
    if asked[:1] != [-1] or len(given) != 2 or not needs or made is None or made.frame is None or given[1] == needs:
        return []
    sizes = " x ".join(str(size) for size in asked[1:])
    return [
        f"Each row needs {needs} values ({sizes}), and {name_of(first, 'it')} has {given[1]}: make it {needs} wide on "
        f"{line_words(made.frame)}, `{made.text}`."
    ]


def _fed_rows(found: Misfit) -> list[str]:
    """Feeds of a session with different numbers of rows, where these are the two sizes that do not fit."""
    sizes = {found.axes[0][2], found.axes[0][3]} if found.axes and found.axes[0][:2] == (0, 0) else set()
    rows: dict[int, list[str]] = {}
    for party in found.error.of_role("feed"):
        if party.shape and party.shape[0] in sizes:
            rows.setdefault(party.shape[0] or 0, []).append(f"`{party.text}`")
    if len(rows) != 2:
        return []
    told = " and ".join(f"{size} rows for {', '.join(names)}" for size, names in rows.items())
    return [f"This run was fed {told}: feed the same rows for all placeholders."]


def _input_sizes(found: Misfit) -> list[str]:
    """Sizes of the model's Input with which the layers before one that joins several fit each other."""
    facts = found.error.facts
    if facts.layer is None:
        return []
    joined = msgspec.structs.replace(facts.layer, inputs=_joined(found))
    plan = [*(one for one in facts.layers if one.name != facts.layer.name), joined]
    told = _nearest(plan, sorted({at for at, *_ in found.axes}))
    return [f"Layers on the way round the sizes down: {told}. Resize, crop or pad the data to that."] if told else []


def _same_width(found: Misfit) -> list[str]:
    """The layer behind one of two values that are joined, with the size of the other."""
    facts = found.error.facts
    names = _joined(found)
    if facts.layer is None or len(names) != 2 or len(found.axes) != 1 or facts.layer.type == "Concatenate":
        return []
    joined = msgspec.structs.replace(facts.layer, inputs=names)
    plan = [*(one for one in facts.layers if one.name not in (facts.layer.name,)), joined]
    at, _, one, other = found.axes[0]
    for name, wanted in ((names[1], one), (names[0], other)):
        layer = next((each for each in plan if each.name == name), None)
        word = next((each for each in ("units", "filters") if layer is not None and each in layer.settings), None)
        if layer is None or word is None or wanted is None:
            continue
        changed = replaced(plan, with_setting(layer, word, str(wanted)))
        if through(changed, {}, chained=False).refused is None:
            return [f"`{word}={wanted}` in {layer_words(layer)} gives both sides {wanted} on axis {at}."]
    return []


def sizes_that_return(error: FrameworkError, axes: list[int], target: Shape) -> list[str]:
    """Sizes of the Input that come out again, where the targets are as large as the Input and the output is not."""
    entrance = input_layer(error)
    shape = entrance.output_shape if entrance is not None else None
    if shape is None or len(shape) != len(target) or any(shape[at] != target[at] for at in axes):
        return []
    told = _nearest(error.facts.layers, axes, returns=True)
    return [f"Layers on the way round the sizes: {told}. Resize, crop or pad the data to that."] if told else []


def _nearest(plan: list[LayerFacts], axes: list[int], returns: bool = False) -> str:
    """`those of InputLayer … would have to be multiples of 8, 84 → 80 or 88`; empty where one has none. `returns` asks
    that the output is as large."""
    entrances = [one for one in plan if one.type == "InputLayer"]
    shape = entrances[0].output_shape if len(entrances) == 1 else None
    told, divisors = [], set()
    for axis in axes:
        sizes = nearest_sizes(plan, entrances[0].name, shape, axis) if shape and 0 < axis < len(shape) - 1 else []
        if shape is None or not sizes or (returns and not all(_returns(plan, shape, axis, size) for size in sizes)):
            return ""
        divisors.add(common_divisor(sizes))
        told.append(f"{shape[axis]} → {' or '.join(map(str, sizes))}")
    multiple = divisors.pop() if len(divisors) == 1 else None
    kind = f"multiples of {multiple}" if multiple else "others"
    return f"those of {layer_words(entrances[0])} would have to be {kind}, {', '.join(told)}" if told else ""


def _returns(plan: list[LayerFacts], shape: Shape, axis: int, size: int) -> bool:
    """Whether a size of the Input comes out again."""
    entrance = next(one for one in plan if one.type == "InputLayer")
    given: Shape = [size if at == axis else one for at, one in enumerate(shape)]
    made = through(plan, {entrance.name: given}, chained=False).outputs.get(plan[-1].name)
    return made is not None and len(made) > axis and made[axis] == size


def _joined(found: Misfit) -> list[str]:
    """The layers that feed the one at work: those whose outputs have the shapes that it was given."""
    names = []
    for party in found.error.of_role("input"):
        fed = {name for layer in found.error.facts.layers for name in layer.inputs}
        fitting = [one for one in found.error.facts.layers if one.output_shape == party.shape]
        ends = [one.name for one in fitting if one.name not in fed] or [one.name for one in fitting[-1:]]
        names += ends[-1:]
    return names


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
