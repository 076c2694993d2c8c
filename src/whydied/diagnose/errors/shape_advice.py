"""Changes that make shapes fit, each checked against the rule of the op before it is named, and with the edit of the
source that it is. Pure."""

from __future__ import annotations

import ast

import msgspec

from whydied.diagnose.case import line_words
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import (
    Advice,
    Way,
    advised,
    capital,
    changes_of,
    either,
    frame_of,
    nothing,
    source_at,
)
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, layer_words, name_of, shape_words
from whydied.diagnose.errors.misfit import Misfit
from whydied.diagnose.errors.model_ends import input_layer
from whydied.diagnose.errors.operand_changes import operand_changes
from whydied.diagnose.errors.ops.accepted_changes import accepted_shapes
from whydied.diagnose.errors.ops.adjacent_layers import adjacent_layers
from whydied.diagnose.errors.ops.channels import target_channels
from whydied.diagnose.errors.ops.left_out import CUTTING, POOLING, left_out
from whydied.diagnose.errors.ops.loop_shapes import ARRAY, LOOP, loop_changes
from whydied.diagnose.errors.ops.other_axis import other_axis
from whydied.diagnose.errors.ops.size_makers import entry_lengths, made_size
from whydied.records import LayerFacts, Party, ValueSource
from whydied.shapes.input_sizes import common_divisor, nearest_sizes
from whydied.shapes.keras_layers import number, numbers_of
from whydied.shapes.plan import replaced, setting, through, with_setting
from whydied.shapes.reshapes import OtherSize, other_sizes
from whydied.shapes.shape import count
from whydied.source.edits.shapes.loss_edits import called_name
from whydied.source.edits.shapes.shared_sizes import shared_sizes
from whydied.source.edits.shapes.whole_numbers import number_edit
from whydied.source.numbers import constants, evaluate, solved
from whydied.source.trees import nodes_on

_WIDTHS = ("units", "filters", "output_dim")
ANY_SIZE = 64
"""Stands for a size that nobody has said."""


def changes(found: Misfit) -> Advice:
    facts = found.error.facts
    first, second = found.first, found.second
    if facts.layer is not None and first is not None and first.shape and first.shape[-1] is None and not facts.op:
        return _unknown_size(found)
    if facts.layer is not None and facts.layer.type == "Reshape" and first is not None and not facts.op:
        return _other_target(found, facts.layer, first)
    if facts.wanted is not None and facts.layer is not None and found.axes:
        return adjacent_layers(found)
    if facts.op == "Reshape" and first is not None:
        return _other_sizes(found, first)
    if first is None or second is None or first.shape is None or second.shape is None:
        return accepted_shapes(found.error) if facts.op else nothing()
    if facts.op == "Pack" and len(first.shape) == len(second.shape) == 1:
        words = "`tf.ragged.stack` takes rows of different lengths; or pad them to one length before they are stacked."
        return advised(words, "operand", _ragged(found))
    if facts.op in (LOOP, ARRAY):
        return loop_changes(found)
    if facts.op:
        if facts.layer is not None and facts.layer.type.endswith("Cell"):
            return _of_state(found, facts.layer, [first.shape, second.shape])
        return (
            _fed_rows(found)
            or _made_size(found)
            or operand_changes(found.error, [first, second])
            or target_channels(found)
            or _whole_data(found, first, second)
        )
    return (
        _left_out(found, CUTTING)
        or _input_sizes(found)
        or _left_out(found, POOLING)
        or _other_axis(found)
        or _same_width(found)
    )


def _left_out(found: Misfit, kinds: tuple[str, ...]) -> Advice:
    """A layer before one that joins several, without which its inputs fit each other."""
    plan = _plan_to(found)
    return left_out(found.error, plan, plan[-1], kinds) if plan else nothing()


def _made_size(found: Misfit) -> Advice:
    """A size that the program writes, and that has to be another."""
    made = made_size(found)
    if made is None:
        return nothing()
    entries = entry_lengths(found.error, made)
    if entries:
        return advised(f"{made.words}: {entries[0].words}.", "size", *entries)._replace(frame=made.frame)
    return Advice([f"{made.words}."], [], made.frame)


def _other_axis(found: Misfit) -> Advice:
    """Another axis for a layer that puts its inputs beside each other."""
    layer = found.error.facts.layer
    shapes = [party.shape for party in found.error.of_role("input") if party.shape is not None]
    if layer is None or layer.type != "Concatenate" or len(shapes) < 2:
        return nothing()
    return other_axis(found.error, shapes, number(layer, "axis"))


def _ragged(found: Misfit) -> error_edits.Edits:
    place = found.error.facts.place
    source = source_at(found.error.sources, place)
    if source is None or place is None:
        return None
    return called_name(source, place.file, place.line, "stack", "ragged.stack")


def _unknown_size(found: Misfit) -> Advice:
    """Where a size that a layer has to know was left open: in the Input, or by a Flatten of what it left open."""
    facts = found.error.facts
    entrances = [one for one in facts.layers if one.type == "InputLayer"]
    shape = entrances[0].output_shape if len(entrances) == 1 else None
    if facts.layer is None or shape is None or None not in shape[1:]:
        return nothing()
    joined = msgspec.structs.replace(facts.layer, inputs=_joined(found))
    plan, entrance = [*(one for one in facts.layers if one.name != facts.layer.name), joined], entrances[0]
    sized: Shape = [shape[0], *(ANY_SIZE if size is None else size for size in shape[1:])]
    ways, place = [], entrance.made
    if through(plan, {entrance.name: sized}, chained=False).refused is None:
        ways.append(Way(f"give {layer_words(entrance)} sizes in the place of None"))
    flat = next(
        (one for one in reversed(plan) if one.type == "Flatten" and len(one.input_shape or []) in (3, 4, 5)), None
    )
    if flat is not None:
        kind = f"GlobalAveragePooling{len(flat.input_shape or []) - 2}D"
        other = msgspec.structs.replace(flat, type=kind, settings={"data_format": "channels_last"})
        if through(replaced(plan, other), {}, chained=False).refused is None:
            edits = error_edits.other_layer(found.error, flat, kind)
            pooled = Way(f"use `{kind}()` in the place of {layer_words(flat)}", edits)
            # Height and width are left open on purpose: for pictures of several sizes.
            meant = shape[1:].count(None) > 1
            alike = [Way(f"{one.words}, if all pictures have the same size") for one in ways]
            ways, place = ([pooled, *alike], flat.made) if meant else ([*ways, pooled], place)
    told = capital("; or ".join(way.words for way in ways))
    return Advice([f"{told}."], changes_of("layer", ways), place) if ways else nothing()


def wrong_size(found: Misfit) -> tuple[Party, OtherSize] | None:
    """The size of a reshape that alone would have to be another."""
    sizes, given = found.error.of_role("size"), found.first.shape if found.first is not None else None
    asked = [party.lowest for party in sizes if party.lowest is not None]
    fitting = other_sizes(given, asked) if given is not None and asked and len(asked) == len(sizes) else []
    written = [one for one in fitting if sizes[one.at].text]
    return (sizes[written[0].at], written[0]) if len(written) == 1 else None


def _other_sizes(found: Misfit, first: Party) -> Advice:
    wrong = wrong_size(found)
    if wrong is None:
        return _other_width(found, first)
    party, (at, size, shape) = wrong
    was = party.lowest or 0
    other = solved(party.text, was, size)
    told = f"`{party.text}` is {was} and would have to be {size}"
    told += f" (`{other.name}` {other.size} instead of {other.was})" if other is not None else ""
    makers = [one for one in party.sources if one.frame is not None]
    where = "".join(f"; `{one.name}` is `{one.text}` on {line_words(one.frame)}" for one in makers if one.frame)
    words = f"{told} to reshape {name_of(first, 'it')} {shape_words(first.shape)} to {shape_words(shape)}{where}."
    title = f"`{party.text}` {size} instead of {was}" if party.text != str(was) else f"`{size}` in the place of `{was}`"
    return advised(words, "operand", Way(title, error_edits.reshaped(found.error, at, size)))


def _other_target(found: Misfit, layer: LayerFacts, first: Party) -> Advice:
    """A Reshape layer with another size, or an Input with which the one that is asked for fits."""
    asked = numbers_of(layer, "target_shape")
    given = first.shape or []
    # The last size is the one that changes least: what comes before it are steps or rows of a picture.
    other_last = other_sizes(given, [-1, *asked])[-1:]
    ways = [
        Way(
            f"`Reshape({shape_words(each.shape[1:])})` takes all values",
            error_edits.target_shape(found.error, layer, [*asked], each.shape[1:]),
        )
        for each in other_last
    ]
    plan = [*(one for one in found.error.facts.layers if one.name != layer.name), layer]
    plan[-1] = msgspec.structs.replace(layer, inputs=_joined(found))
    entrances = [one for one in plan if one.type == "InputLayer"]
    shape = entrances[0].output_shape if len(entrances) == 1 else None
    for axis in range(1, len(shape or []) - 1):
        for size in nearest_sizes(plan, entrances[0].name, shape or [], axis, opened=False):
            other: Shape = [size if at == axis else one for at, one in enumerate(shape or [])]
            where = f" ({line_words(entrances[0].made)})" if entrances[0].made else ""
            edits = error_edits.declared(found.error, entrances[0], other[1:])
            ways.append(Way(f"`Input({shape_words(other[1:])})`{where} fits it", edits))
    return either("layer", ways)


def _other_width(found: Misfit, first: Party) -> Advice:
    """What each row would have to have, where no size that is asked for can be another."""
    asked = [party.lowest for party in found.error.of_role("size") if party.lowest is not None]
    given = first.shape or []
    needs = count([size for size in asked if size != -1])
    made = next((one for one in first.sources if one.frame is not None and one.text), None)
    if asked[:1] != [-1] or len(given) != 2 or not needs or made is None or made.frame is None or given[1] == needs:
        return nothing()
    sizes = " x ".join(str(size) for size in asked[1:])
    words = (
        f"Each row needs {needs} values ({sizes}), and {name_of(first, 'it')} has {given[1]}: make it {needs} wide on "
        f"{line_words(made.frame)}, `{made.text}`."
    )
    wider = _wider_there(found, made, given, needs)
    return advised(words, "layer", Way(f"make {name_of(first, 'it')} {needs} wide on {line_words(made.frame)}", wider))


def _wider_there(found: Misfit, made: ValueSource, given: Shape, needs: int) -> error_edits.Edits:
    """The width of a layer or of a value, where the statement that makes it has it just once."""
    source = source_at(found.error.sources, made.frame)
    if source is None or made.frame is None:
        return None
    known = constants(source.tree)
    nodes: list[ast.expr] = [
        node for node in nodes_on(source, made.frame.line) if isinstance(node, ast.Constant | ast.Name)
    ]
    widths = [node for node in nodes if evaluate(node, known) == given[-1]]
    edit = number_edit(source, made.frame.file, widths[0], needs) if len(widths) == 1 else None
    return [edit] if edit is not None else None


def _fed_rows(found: Misfit) -> Advice:
    """Feeds of a session with different numbers of rows, where these are the two sizes that do not fit."""
    sizes = {found.axes[0][2], found.axes[0][3]} if found.axes and found.axes[0][:2] == (0, 0) else set()
    rows: dict[int, list[str]] = {}
    for party in found.error.of_role("feed"):
        if party.shape and party.shape[0] in sizes:
            rows.setdefault(party.shape[0] or 0, []).append(f"`{party.text}`")
    if len(rows) != 2:
        return nothing()
    told = " and ".join(f"{size} rows for {', '.join(names)}" for size, names in rows.items())
    return Advice([f"This run was fed {told}: feed the same rows for all placeholders."], [])


def _of_state(found: Misfit, cell: LayerFacts, shapes: list[Shape]) -> Advice:
    """A recurrent layer that was given a state of another width than it has units, or every step of one."""
    error, units = found.error, cell.settings.get("units", "")
    kind = cell.type.removesuffix("Cell")
    wide = shapes[0][-1] if len(shapes[0]) == 2 else None
    if error.facts.op == "MatMul" and units and wide and str(shapes[1][0]) == units != str(wide):
        own = [one for one in error.facts.layers if one.type == kind and one.made == cell.made]
        layer = own[0] if len(own) == 1 else msgspec.structs.replace(cell, type=kind)
        words = f"its state is {wide} wide and it has {units} units: `{kind}({wide})` takes it"
        return either("layer", [Way(words, error_edits.setting(error, layer, "units", str(wide)), cell.made)])
    steps = next((shape[1] for shape in shapes if len(shape) == 3), None)
    layers = [one for one in error.facts.layers if setting(one, "return_sequences") == "True"]
    given = [
        one for one in layers if len(one.output_shape or []) == 3 and (one.output_shape or [])[-1:] == [_int(units)]
    ]
    others = [
        one for one in given if one.made is not None and cell.made is not None and one.made.line != cell.made.line
    ]
    if steps is None or len(others) != 1:
        return nothing()
    words = f"without `return_sequences=True` {layer_words(others[0])} gives one row per sample, as a state has"
    return either(
        "layer", [Way(words, error_edits.setting(error, others[0], "return_sequences", "False"), others[0].made)]
    )


def _int(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _whole_data(found: Misfit, first: Party, second: Party) -> Advice:
    """A value of all rows that meets those of a batch: a step sees a batch at a time."""
    given = [party for party in found.error.of_role("x", "y") if party.shape]
    for one, other in ((first, second), (second, first)):
        shape, batch = one.shape or [None], (other.shape or [None])[0]
        like = next((party for party in given if party.shape == shape and party.text), None)
        if found.error.facts.call != "fit" or like is None or not one.text or batch in (None, shape[0]):
            continue
        targets = next((party.text for party in found.error.of_role("y") if party.text), "y")
        words = (
            f"`{one.text}` has all {shape[0]} rows of `{like.text}`, and a step sees a batch of {batch} at a time: "
            "what belongs to a row has to come with it, such as further columns of the targets: "
            f"`np.concatenate([{targets}, {like.text}], axis=1)`."
        )
        return Advice([words], [])
    return nothing()


def _input_sizes(found: Misfit) -> Advice:
    """Sizes of the model's Input with which the layers before one that joins several fit each other."""
    plan = _plan_to(found)
    if not plan:
        return nothing()
    told = _nearest(plan, sorted({at for at, *_ in found.axes}))
    words = f"Layers on the way round the sizes down: {told}. Resize, crop or pad the data to that."
    entrance = next((one for one in plan if one.type == "InputLayer"), None)
    if not told or entrance is None:
        return nothing()
    ways = [way for way in _shared(found, plan, entrance) if way.edits]
    return Advice([words], changes_of("size", ways), frame_of(ways) if ways else entrance.made)


def _shared(found: Misfit, plan: list[LayerFacts], entrance: LayerFacts) -> list[Way]:
    """The constants that Input and data share, with the next larger and the next smaller sizes."""
    shape, made = entrance.output_shape, entrance.made
    if shape is None or made is None or source_at(found.error.sources, made) is None:
        return []
    ways = []
    for at in (-1, 0):
        wanted = [*shape]
        for axis in {at for at, *_ in found.axes if 0 < at < len(shape)}:
            wanted[axis] = nearest_sizes(plan, entrance.name, shape, axis)[at]
        edits = shared_sizes(found.error.sources, made.file, made.line, shape[1:], wanted[1:])
        frame = error_edits.edited_line(found.error, edits) if edits else made
        ways.append(Way(f"resize to {shape_words(wanted[1:])}", edits, frame))
    return ways


def _plan_to(found: Misfit) -> list[LayerFacts]:
    """The layers up to the one at work, which is the last and has its inputs; empty where none is."""
    facts = found.error.facts
    if facts.layer is None:
        return []
    joined = msgspec.structs.replace(facts.layer, inputs=_joined(found))
    return [*(one for one in facts.layers if one.name != facts.layer.name), joined]


def _same_width(found: Misfit) -> Advice:
    """The layer behind one of two values that are joined, with the size of the other."""
    facts = found.error.facts
    names = _joined(found)
    if facts.layer is None or len(names) != 2 or len(found.axes) != 1:
        return nothing()
    joined = msgspec.structs.replace(facts.layer, inputs=names)
    plan = [*(one for one in facts.layers if one.name not in (facts.layer.name,)), joined]
    at, _, left, right = found.axes[0]
    ways = []
    sides = ((names[1], left), (names[0], right))
    # Of a value and what was made of it the latter is to be like the former.
    for name, wanted in sides[: 1 if _is_behind(plan, names[1], names[0]) else 2]:
        layer = next((each for each in plan if each.name == name), None)
        word = next((each for each in _WIDTHS if layer is not None and each in layer.settings), None)
        if layer is None or word is None or wanted is None:
            continue
        changed = replaced(plan, with_setting(layer, word, str(wanted)))
        if through(changed, {}, chained=False).refused is None:
            words = f"`{word}={wanted}` in {layer_words(layer)} gives both sides {wanted} on axis {at}"
            edits = error_edits.setting(found.error, layer, word, str(wanted))
            ways.append(Way(words, edits, layer.made))
    return either("layer", ways)


def _is_behind(plan: list[LayerFacts], name: str, other: str) -> bool:
    """Whether a layer is fed by another one, directly or through others."""
    behind = {other}
    for layer in plan:
        if behind & set(layer.inputs):
            behind.add(layer.name)
    return name in behind - {other}


def sizes_that_return(error: FrameworkError, axes: list[int], target: Shape) -> Advice:
    """Sizes of the Input that come out again, where the targets are as large as the Input and the output is not."""
    entrance = input_layer(error)
    shape = entrance.output_shape if entrance is not None else None
    if shape is None or len(shape) != len(target) or any(shape[at] != target[at] for at in axes):
        return nothing()
    told = _nearest(error.facts.layers, axes, returns=True)
    words = f"Layers on the way round the sizes: {told}. Resize, crop or pad the data to that."
    return Advice([words], []) if told else nothing()


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
        way = f"{shape[axis]} → {' or '.join(map(str, sizes))}"
        told += [way] if way not in told else []
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


def other_order(found: Misfit, party: Party) -> Advice:
    """Of several inputs another one that has the shape which was wanted here."""
    wanted = found.error.facts.wanted
    if wanted is None or wanted.shape is None:
        return nothing()
    for other in found.error.of_role("x"):
        shape = other.shape or []
        if other is party or len(shape) != len(wanted.shape) or not other.text or not party.text:
            continue
        if all(size is None or size == own for size, own in zip(wanted.shape[1:], shape[1:], strict=True)):
            words = f"`{other.text}` {shape_words(shape)} fits here: pass the data in the order of the model's inputs."
            return advised(words, "data", _swapped(found, party, other))
    return nothing()


def _swapped(found: Misfit, party: Party, other: Party) -> error_edits.Edits:
    """Two of the values that are passed, each in the place of the other."""
    here, there = (
        error_edits.passed(found.error, one, two.text.replace("{", "{{").replace("}", "}}"))
        for one, two in ((party, other), (other, party))
    )
    return [*here, *there] if here and there else None
