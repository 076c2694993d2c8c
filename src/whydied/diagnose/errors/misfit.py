"""Which values did not fit each other, and at which axis: the kind of a shape or type error. Pure.

The shapes of the objects decide; what the library's message says is used where no object could be had, and to tell
that the error is about shapes at all where the op's rule is not known here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from whydied.diagnose.case import Case
from whydied.diagnose.errors.demands.float_beside import float_beside
from whydied.diagnose.errors.framework_error import (
    FrameworkError,
    Shape,
    conforms,
    framework_error,
    sizes_in,
    sizing_of,
)
from whydied.diagnose.errors.model_ends import (
    input_layer,
    input_layers,
    is_own_array,
    last_layer,
    refused_text,
    single_samples,
    written_tensors,
)
from whydied.records import InputWanted, Party, ValueSource
from whydied.shapes import losses
from whydied.shapes.keras_layers import is_recurrent, wanted_rank
from whydied.shapes.op_words import ELEMENTWISE
from whydied.shapes.ops import PRODUCTS
from whydied.shapes.shape import conforms as shapes_conform
from whydied.shapes.shape import count, differing, unbroadcast
from whydied.source.statements import argument_texts, operand_texts
from whydied.texts import shapes_and_types as texts
from whydied.texts import tensors
from whydied.texts.entry import any_of

MismatchKind = Literal["shape", "rank", "dtype", "target", "below-one", "input", "inputs"]

_LOSSES = ("SparseSoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits")
_BELOW_ONE = any_of(texts.NOT_POSITIVE, texts.NEGATIVE_DIMENSION, texts.NOT_POSITIVE_2)
_ABOUT_TYPES = any_of(
    texts.OTHER_TENSOR_EXPECTED,
    texts.TYPE_OF_ARGUMENT,
    texts.DTYPE_REQUESTED,
    texts.INVALID_DTYPE,
    texts.NOT_ALLOWED,
    texts.NOT_ALLOWED_IN_GRAPH,
    texts.ARRAY_OF_OBJECTS,
    texts.NO_CAST,
    texts.SAME_DTYPE,
    texts.OTHER_TYPES_IN_LIST,
    texts.NO_KERNEL,
    texts.NOT_OF_DTYPE,
)
_NOT_ALLOWED = any_of(texts.NOT_ALLOWED, texts.NOT_ALLOWED_IN_GRAPH)
_ABOUT_SHAPES = any_of(
    texts.INCOMPATIBLE,
    texts.NOT_COMPATIBLE,
    texts.MUST_BE_EQUAL,
    texts.MUST_MATCH,
    texts.MISMATCH,
    texts.MUST_HAVE_THE_SAME,
    texts.MATCHING_SHAPES,
    texts.SAME_SHAPE,
    texts.SIZE_MUST_BE_UNCHANGED,
    texts.RESHAPED,
    texts.DIMENSION,
    texts.MUST_BE_RANK,
    texts.MUST_HAVE_RANK,
    texts.DIMENSIONS_EXPECTED,
)
_ABOUT_RANKS = any_of(texts.MUST_BE_RANK, texts.N_DIMENSIONAL, texts.HAS_DIMENSIONS, texts.NDIM)
_PAIR = texts.PAIR_OF_SHAPES.pattern


class Misfit(NamedTuple):
    """`first` and `second` are what does not fit; `axes` the axes of each that differ, with the sizes."""

    kind: MismatchKind
    error: FrameworkError
    first: Party | None = None
    second: Party | None = None
    axes: tuple[tuple[int, int, int | None, int | None], ...] = ()


def misfit(case: Case) -> Misfit | None:
    error = framework_error(case)
    if error is None:
        return None
    for look in (
        _unbatched,
        _below_one,
        _looped,
        _beside_array,
        _types,
        _target,
        _input,
        _refused,
        _into_model,
        _operation,
        _merged,
        _inputs,
        _said,
        _listed,
    ):
        found = look(error)
        if found is not None:
            return found
    return None


def _unbatched(error: FrameworkError) -> Misfit | None:
    """What was passed to a call of Keras is like one sample of the model's input, without the axis of the batch."""
    entrance = input_layer(error)
    wanted = entrance.output_shape if entrance is not None else None
    said = _about_shapes(error) or _BELOW_ONE.search(error.message) is not None
    if not error.facts.call or not said:
        return None
    if (single := single_samples(error)) is not None:
        return Misfit("rank", error, single)
    given = [party for party in error.of_role("x", "element") if party.shape is not None]
    if len(given) > 1:
        return _one_unbatched(error, given)
    if entrance is None or not wanted or not given or not _is_sample(given[0].shape or [], wanted):
        return None
    facts = msgspec.structs.replace(
        error.facts, wanted=InputWanted(shape=wanted), layer=entrance, feeding=None, shaping=None
    )
    return Misfit("rank", error._replace(facts=facts), given[0])


def _one_unbatched(error: FrameworkError, given: list[Party]) -> Misfit | None:
    """Of several inputs that a data set gives the one that the model was at."""
    wanted = error.facts.wanted.shape if error.facts.wanted is not None else None
    met = [party.shape for party in error.of_role("input")]
    for party in given:
        if party.role == "element" and party.shape in met and _is_sample(party.shape or [], wanted or []):
            return Misfit("rank", error, party)
    return None


def _is_sample(shape: Shape, wanted: Shape) -> bool:
    return len(shape) == len(wanted) - 1 and all(
        size is None or size == other for size, other in zip(wanted[1:], shape, strict=True)
    )


def _below_one(error: FrameworkError) -> Misfit | None:
    if not _BELOW_ONE.search(error.message) or error.facts.layer is None:
        return None
    # Data that are not as the Input says shrink otherwise than the model was made for.
    return _unlike_input(error) or Misfit("below-one", error)


def _looped(error: FrameworkError) -> Misfit | None:
    """A variable of a graph's loop or an element of an array: what it was, and what a round gives."""
    values, kept = error.of_role("operand"), error.facts.op in ("While", "TensorArrayWrite")
    return Misfit("shape", error, values[0], values[1]) if kept and len(values) == 2 else None


def _beside_array(error: FrameworkError) -> Misfit | None:
    """A tensor of a graph and an array of NumPy that cannot be broadcast: TensorFlow leaves the operator to NumPy then,
    which asks the tensor for values that it does not have."""
    values = [one for one in error.link.operands if one.shape is not None]
    kinds = ["ndarray" in one.type for one in values]
    place = error.facts.place.source if error.facts.place is not None else ""
    if tensors.TO_NUMPY.pattern.search(error.message) is None or len(values) != 2 or sum(kinds) != 1:
        return None
    pair = [one.text for one in values]
    op = next((op for op, words in ELEMENTWISE.items() if operand_texts(place, words.strip("`")) == pair), None)
    axes = unbroadcast(values[0].shape or [], values[1].shape or [])
    if op is None or not axes:
        return None
    parties = [Party(role="operand", text=one.text, shape=one.shape, dtype=one.dtype, type=one.type) for one in values]
    facts = msgspec.structs.replace(error.facts, op=op, parties=[*parties, *error.facts.parties])
    return Misfit("shape", error._replace(facts=facts), parties[0], parties[1], axes)


def _types(error: FrameworkError) -> Misfit | None:
    if (pair := float_beside(error)) is not None:
        return Misfit("dtype", error, *pair)
    if not _ABOUT_TYPES.search(error.message):
        return None
    values = error.of_role("operand") or written_tensors(error)
    kinds = {party.dtype for party in values if party.dtype}
    if len(kinds) > 1:
        odd = next(party for party in values if party.dtype != values[0].dtype)
        return Misfit("dtype", error, values[0], odd)
    data = refused_text(error)
    if data:
        return Misfit("dtype", error, data[0])
    if len(values) >= 1 and _NOT_ALLOWED.search(error.message):
        # The op's own rule tells which of them it does not take.
        at = next((one.at for one in error.facts.trials if one.kind == "cast"), 0)
        return Misfit("dtype", error, values[at if 0 <= at < len(values) else 0])
    return None


def _target(error: FrameworkError) -> Misfit | None:
    rows = [party for party in error.of_role("x", "y") if party.shape]
    if error.facts.raiser == "check_data_cardinality" or texts.CARDINALITY.pattern.search(error.message):
        for party in rows[1:]:
            one, other = (rows[0].shape or [None])[0], (party.shape or [None])[0]
            if one != other:
                return Misfit("target", error, rows[0], party, ((0, 0, one, other),))
        return None
    if error.facts.metric and _about_shapes(error):
        pair = _passed_to_a_metric(error)
        misfits = pair and not losses.fits("", pair[0].shape or [], pair[1].shape or [])
        return Misfit("target", error, pair[0], pair[1]) if misfits else None
    weighted = _weighted(error)
    if weighted is not None:
        return weighted
    targets, outputs = error.of_role("target"), error.of_role("output")
    if targets and outputs and len(targets) != len(outputs):
        return Misfit("target", error, targets[0], outputs[0])
    pair = [*targets[:1], *outputs[:1]]
    if len(pair) < 2:
        pair = _passed_to_a_loss(error)
    if len(pair) < 2 or pair[0].shape is None or pair[1].shape is None:
        return None
    target, output = pair
    assert target.shape is not None
    assert output.shape is not None
    told = any_of(texts.LOGITS_AND_LABELS, texts.LABELS_ARE_ROWS).search(error.message) is not None
    refused = _about_shapes(error) or losses.is_a_loss(error.facts.raiser) or told
    if not refused or losses.fits("sparse" if is_sparse(error) else "", target.shape, output.shape):
        return _own_loss(error, target)
    return Misfit("target", error, target, output, differing(target.shape, output.shape))


def _weighted(error: FrameworkError) -> Misfit | None:
    """What a loss gives, and the weights that the samples were given."""
    weights, operands = error.of_role("weight"), error.of_role("operand")
    shape = weights[0].shape if weights else None
    if not shape or error.facts.op != "Mul" or "loss" not in error.facts.node or len(operands) != 2:
        return None
    first, second = operands
    axes = unbroadcast(first.shape or [], second.shape or [])
    same = [one.shape is not None and one.shape[1:] == shape[1:] and len(one.shape) == len(shape) for one in operands]
    return Misfit("target", error, weights[0], first if same[1] else second) if axes and sum(same) == 1 else None


def _own_loss(error: FrameworkError, target: Party) -> Misfit | None:
    """What a loss of the program's own gives, where it has lost the rows: Keras multiplies it with the weights."""
    operands = error.of_role("operand")
    rows = (target.shape or [None])[0]
    lost = [one for party in operands for one in party.sources if one.takes and one.takes[0] == rows != first_of(one)]
    other = next((party for party in operands if party.shape and party.shape[0] != rows), None)
    return Misfit("target", error, target, other) if lost and other is not None and "loss" in error.facts.node else None


def first_of(source: ValueSource) -> int | None:
    """The rows that an op gives."""
    return source.gives[0] if source.gives else None


def _passed_to_a_loss(error: FrameworkError) -> list[Party]:
    """Target and output where a loss failed as an op of a graph that ran, or was not reached: what was passed, and what
    the model gives."""
    labels, layer = error.of_role("y"), last_layer(error)
    of_loss = error.facts.op in _LOSSES or error.facts.raiser == "check_loss_and_target_compatibility"
    if of_loss and len(labels) == 1 and layer is not None and layer.output_shape is not None:
        return [labels[0], Party(role="output", shape=layer.output_shape)]
    told, operands = texts.LOGITS_AND_LABELS.pattern.search(error.message), error.of_role("operand")
    if error.facts.op not in _LOSSES or len(operands) < 2:
        return []
    if told is None:
        return [_fed(error, operands[1]), operands[0]]
    sides = zip(operands[1::-1], (told["labels"], told["logits"]), strict=True)
    return [msgspec.structs.replace(party, shape=sizes_in(text)) for party, text in sides]


def _fed(error: FrameworkError, party: Party) -> Party:
    """What a session was fed for a placeholder; the value itself where it is none."""
    names = [source.name for source in party.sources if source.kind == "placeholder"]
    return next((one for one in error.of_role("feed") if one.text in names), party)


def _passed_to_a_metric(error: FrameworkError) -> list[Party]:
    """What a metric compares: the labels as they were passed or as the data set gives them, and the model's output."""
    labels, layer = [*error.of_role("y"), *error.of_role("label")], last_layer(error)
    if len(labels) != 1 or labels[0].shape is None or layer is None or layer.output_shape is None:
        return []
    return [labels[0], Party(role="output", shape=layer.output_shape)]


def is_sparse(error: FrameworkError) -> bool:
    """Whether the loss wants class numbers."""
    words = f"{error.facts.loss} {error.facts.raiser} {error.facts.op}".lower()
    return "sparse" in words


def _input(error: FrameworkError) -> Misfit | None:
    wanted = error.facts.wanted
    given = error.of_role("input")
    if wanted is None or not given or given[0].shape is None:
        return None
    party = given[0]
    shape = party.shape or []
    rank = len(shape)
    ranks = [wanted.rank, len(wanted.shape) if wanted.shape is not None else None]
    wrong_rank = any(size is not None and size != rank for size in ranks)
    wrong_rank |= wanted.least_rank is not None and rank < wanted.least_rank
    wrong_rank |= wanted.most_rank is not None and rank > wanted.most_rank
    if wrong_rank:
        flat = wanted.shape is not None and count(shape[1:]) == count(wanted.shape[1:]) is not None
        return Misfit("input" if flat else "rank", error, party)
    axes = differing(wanted.shape, shape) if wanted.shape is not None else ()
    for text, size in wanted.axes.items():
        at = int(text) % rank if rank else 0
        if at < rank and shape[at] is not None and shape[at] != size:
            axes = (*axes, (at, at, size, shape[at]))
    if not axes:
        return None
    return Misfit("shape" if is_fed(error) else "input", error, party, None, axes)


def _refused(error: FrameworkError) -> Misfit | None:
    """A layer that failed further in, with a number of axes that its rule does not accept."""
    layer, given = error.facts.layer, error.of_role("input")
    rank = wanted_rank(layer) if layer is not None else None
    if rank is None or len(given) != 1 or given[0].shape is None or len(given[0].shape) == rank:
        return None
    facts = msgspec.structs.replace(error.facts, wanted=InputWanted(rank=rank))
    return Misfit("rank", error._replace(facts=facts), given[0])


def _into_model(error: FrameworkError) -> Misfit | None:
    """An op of a layer that failed on data which are not as the model's Input says."""
    written = any(party.text for party in error.of_role("operand"))
    return _unlike_input(error) if error.facts.op and not written else None


def _unlike_input(error: FrameworkError) -> Misfit | None:
    entrance, given = input_layer(error), [party for party in error.of_role("x") if party.shape]
    wanted = entrance.output_shape if entrance is not None else None
    if not error.facts.call or len(given) != 1 or wanted is None or entrance is None:
        return None
    shape = given[0].shape or []
    if shapes_conform([None, *shape[1:]], [None, *wanted[1:]]):
        return None
    facts = msgspec.structs.replace(error.facts, wanted=InputWanted(shape=wanted), layer=entrance, feeding=None, op="")
    axes = differing(wanted[1:], shape[1:])
    moved = tuple((at + 1, other + 1, one, two) for at, other, one, two in axes)
    return Misfit("input", error._replace(facts=facts), given[0], None, moved)


def is_fed(error: FrameworkError) -> bool:
    """Whether what did not fit came out of another layer, and not from the data."""
    feeding, given = error.facts.feeding, error.of_role("input")
    if feeding is not None and feeding.type != "InputLayer":
        # Through layers that give what they are given, data are still data.
        sized = sizing_of(error.facts)
        return (sized is not None and sized.type != "InputLayer") or not given or not is_own_array(given[0])
    return bool(given) and any(source.kind == "layer" for source in given[0].sources[:1])


def _operation(error: FrameworkError) -> Misfit | None:
    values = error.of_role("operand") or _handed_over(error)
    if error.facts.op == "Reshape" and len(values) > 1 and _about_shapes(error):
        return Misfit("shape", error, values[0], values[1])
    if not error.facts.op or len(values) < 2 or values[0].shape is None or values[1].shape is None:
        return None
    first, second = _as_told(error, values[0], values[1])
    assert first.shape is not None
    assert second.shape is not None
    if error.facts.op in ELEMENTWISE:
        axes = unbroadcast(first.shape, second.shape)
        return Misfit("shape", error, first, second, axes) if axes else None
    if error.facts.op in PRODUCTS:
        return _product(error, first, second)
    if error.facts.op in ("ConcatV2", "Concat", "Pack"):
        return _stacked(error, values)
    return None


def _handed_over(error: FrameworkError) -> list[Party]:
    """The operands of a graph that ran, whose values are gone: their shapes from the message, and the words of the
    statement that made the op. A product may transpose, which only `@` does not."""
    op, pair = error.facts.op, _PAIR.search(error.message)
    place = error.facts.place.source if error.facts.place is not None else ""
    symbol = "@" if op in PRODUCTS else ELEMENTWISE.get(op, "").strip("`")
    texts = argument_texts(place, "reshape", 2) if op == "Reshape" else operand_texts(place, symbol)
    if not error.facts.node or (op != "Reshape" and (pair is None or (op in PRODUCTS and not texts))):
        return []
    if op not in ("Reshape", *ELEMENTWISE, *PRODUCTS):
        return []
    shapes = [sizes_in(text) for text in pair.groups()] if pair is not None else [None, None]
    return [
        Party(role="operand", text=text, shape=shape) for text, shape in zip(texts or ["", ""], shapes, strict=True)
    ]


def _as_told(error: FrameworkError, first: Party, second: Party) -> tuple[Party, Party]:
    """Two operands with the shapes that the error tells, where a graph knew them only in part."""
    pair = _PAIR.search(error.message)
    if pair is None or None not in [*(first.shape or []), *(second.shape or [])]:
        return first, second
    one, other = (sizes_in(text) for text in pair.groups())
    if not conforms(one, first.shape or []) or not conforms(other, second.shape or []):
        return first, second
    return msgspec.structs.replace(first, shape=one), msgspec.structs.replace(second, shape=other)


def _product(error: FrameworkError, first: Party, second: Party) -> Misfit | None:
    one, other = first.shape or [], second.shape or []
    if len(one) < 2 or len(other) < 2:
        return Misfit("rank", error, first if len(one) < 2 else second)
    flips = [*error.facts.transposed, False, False]
    left = len(one) - (2 if flips[0] else 1)
    right = len(other) - (1 if flips[1] else 2)
    if one[left] is not None and other[right] is not None and one[left] != other[right]:
        return Misfit("shape", error, first, second, ((left, right, one[left], other[right]),))
    axes = unbroadcast(one[:-2], other[:-2])
    return Misfit("shape", error, first, second, axes) if axes else None


def _stacked(error: FrameworkError, values: list[Party]) -> Misfit | None:
    shaped = [party for party in values if party.shape is not None and party.type != "int"]
    first = shaped[0]
    for party in shaped[1:]:
        one, other = first.shape or [], party.shape or []
        if len(one) != len(other):
            if error.facts.op == "ConcatV2" and not other:
                continue
            return Misfit("rank", error, first, party)
        along = error.facts.axis
        skip = None if error.facts.op == "Pack" or along is None or not one else along % len(one)
        axes = tuple(axis for axis in differing(one, other) if axis[0] != skip)
        if axes:
            return Misfit("shape", error, first, party, axes)
    return None


def _merged(error: FrameworkError) -> Misfit | None:
    """A layer that takes several inputs. What a recurrent layer is given beside its input are states."""
    values = [party for party in error.of_role("input") if party.shape is not None]
    layer = error.facts.layer
    if len(values) < 2 or not _about_shapes(error) or layer is None or is_recurrent(layer):
        return None
    along = layer.settings.get("axis", "") if layer.type == "Concatenate" else ""
    for party in values[1:]:
        one, other = values[0].shape or [], party.shape or []
        if len(one) != len(other):
            return Misfit("rank", error, values[0], party)
        skip = int(along) % len(one) if along.lstrip("-").isdigit() and one else None
        axes = tuple(axis for axis in differing(one, other) if axis[0] != skip)
        if axes:
            return Misfit("shape", error, values[0], party, axes)
    return None


def _inputs(error: FrameworkError) -> Misfit | None:
    """Another number of arrays than the model has Inputs."""
    entrances, given = input_layers(error), [party for party in error.of_role("x") if party.shape]
    refused = error.facts.raiser == "assert_input_compatibility" and error.facts.wanted is None
    if not error.facts.call or not refused or not given or len(entrances) == len(given):
        return None
    return Misfit("inputs", error, given[0])


def _listed(error: FrameworkError) -> Misfit | None:
    """A list of plain numbers as targets, and an error of Keras about what it made of them."""
    labels = error.of_role("y")
    numbers = len(labels) == 1 and labels[0].type in ("list", "tuple") and labels[0].held in (["int"], ["float"])
    return Misfit("target", error, labels[0], labels[0]) if error.facts.call and numbers else None


def _said(error: FrameworkError) -> Misfit | None:
    """An op or a layer whose rule is not known here: the message says that it is about shapes, and which."""
    if not _about_shapes(error):
        return None
    values = [party for party in error.of_role("operand", "input") if party.shape is not None]
    if error.facts.layer is not None and is_recurrent(error.facts.layer) and not error.facts.op and len(values) > 1:
        return None
    if _ABOUT_RANKS.search(error.message) and values:
        return Misfit("rank", error, values[0], values[1] if len(values) > 1 else None)
    pair = _PAIR.search(error.message)
    if len(values) < 2 and pair is not None:
        first, second = (Party(role="operand", shape=sizes_in(text)) for text in pair.groups())
        return Misfit("shape", error, first, second)
    if values:
        return Misfit("shape", error, values[0], values[1] if len(values) > 1 else None)
    return None


def _about_shapes(error: FrameworkError) -> bool:
    of_library = error.link.type in ("ValueError", "InvalidArgumentError", "UnimplementedError", "TypeError")
    accepts = any(one.kind != "cast" for one in error.facts.trials)
    return of_library and (accepts or _ABOUT_SHAPES.search(error.message) is not None)
