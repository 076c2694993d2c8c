"""Changes of an op's operands that the rule of the op accepts, the smallest first, each with its edit. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import line_words
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, changes_of, nothing, source_at
from whydied.diagnose.errors.error_edits import Edits
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, shape_words
from whydied.diagnose.errors.ops.accepted_changes import accepted_shapes, odd_axes
from whydied.diagnose.errors.ops.other_axis import other_axis
from whydied.records import Party, ValueSource
from whydied.shapes import ops
from whydied.shapes.changes import Change, changes
from whydied.shapes.op_words import ELEMENTWISE
from whydied.shapes.shape import Refusal, count
from whydied.source.edits.call_edits import calls_at, set_argument
from whydied.source.edits.shapes.vector_products import vector_products
from whydied.source.edits.shapes.whole_numbers import sizes_edits, written_shapes
from whydied.source.trees import nodes_on, written

MOST_OFFERED = 2
UNKNOWN = 1_000_003
_GIVES = {"MatMul": "the product", "ConcatV2": "the result"}


class Candidate(NamedTuple):
    """`kind` and `at` are those of a change of one operand's shape."""

    cost: int
    words: str
    gives: Shape
    edits: Edits = None
    kind: str = ""
    at: int = -1


def operand_changes(error: FrameworkError, parties: list[Party]) -> Advice:
    """Advice that was tried on the shapes; empty where the op's rule is not known or nothing fits."""
    shapes = [_sized(party.shape) for party in parties if party.shape is not None]
    flips = [*error.facts.transposed, False, False]
    op = ops.Op(error.facts.op, (flips[0], flips[1]), error.facts.axis, error.facts.op in ELEMENTWISE)
    if len(shapes) != len(parties) or len(shapes) < 2 or ops.result(op, shapes) is None:
        return accepted_shapes(error)
    if not isinstance(ops.result(op, shapes), Refusal):
        return nothing()
    if op.type in ops.STACKED and (joined := other_axis(error, shapes, op.axis)):
        return joined
    if op.type in ops.PRODUCTS and (vectors := _as_vectors(error, parties)):
        return vectors
    offered = list(_candidates(error, op, parties, shapes))
    found = sorted(odd_axes(offered) if op.elementwise else offered, key=lambda one: one.cost)
    cheapest = [one for one in found if one.cost == found[0].cost][:MOST_OFFERED] if found else []
    gives = _GIVES.get(op.type, "the result")
    ways = [Way(f"{one.words}, and {gives} is {shape_words(_open(one.gives))}", one.edits) for one in cheapest]
    words = "; or ".join(way.words for way in ways)
    return Advice([f"{words}."], changes_of("operand", ways)) if ways else nothing()


def _as_vectors(error: FrameworkError, parties: list[Party]) -> Advice:
    """Where more products around the failing one have operands of one axis, the change that serves them all."""
    place = error.facts.place
    source = source_at(error.sources, place)
    known = {party.text: len(party.shape) for party in parties if party.text and party.shape is not None}
    found = vector_products(source, place.file, place.line, known) if source is not None and place is not None else None
    if found is None:
        return nothing()
    shown = [f"`{one}`" for one in found.vectors[:4]]
    named = f"{', '.join(shown[:-1])} and {shown[-1]} have" if len(shown) > 1 else f"{shown[0]} has"
    lines = f"{', '.join(map(str, found.lines[:-1]))} and {found.lines[-1]}"
    words = f"Write `{found.function}` for the products on lines {lines}"
    sentence = (
        f"{words}: it multiplies a matrix by a vector, and {named} one axis. An axis more on one line would "
        "only move the failure."
    )
    return Advice([sentence], changes_of("operand", [Way(words, found.edits)]), place)


def _sized(shape: Shape) -> Shape:
    """Sizes that are not known as one number that no size has: they are the batch, and agree with each other only."""
    return [UNKNOWN if size is None else size for size in shape]


def _open(shape: Shape) -> Shape:
    return [None if size == UNKNOWN else size for size in shape]


def _candidates(error: FrameworkError, op: ops.Op, parties: list[Party], shapes: list[Shape]) -> Iterator[Candidate]:
    source = error.facts.place.source if error.facts.place else ""
    texts = [party.text for party in parties]
    if op.type in ops.PRODUCTS and len(shapes) == 2:
        # Of the ways to write a product only `tf.matmul` has the words.
        named = any(party.text for party in parties) and (not source or "tf.matmul(" in source)
        if named and (len(shapes[0]) == len(shapes[1]) or shapes[0][:1] != shapes[1][:1]):
            # Else the first axis is the batch of both, and is not to be multiplied.
            yield from _flipped(error, op, texts, shapes)
        if min(len(shape) for shape in shapes) > 1 and not _is_open(error):
            yield from _resized(error, op, parties, shapes)
    if op.type == "Mul" and [len(shape) for shape in shapes] == [2, 2] and shapes[0][1] == shapes[1][0]:
        yield from _products(error, op, texts, shapes)
    for at, party in enumerate(parties):
        # What has no name in the source cannot be written anew.
        if not party.text:
            continue
        other = shapes[1 - at] if len(shapes) == 2 else shapes[0]
        for change in changes(shapes[at], other if op.elementwise or op.type in ops.STACKED else None):
            tried = [*shapes[:at], change.shape, *shapes[at + 1 :]]
            gives = ops.result(op, tried)
            if isinstance(gives, list) and not (op.elementwise and _is_outer(gives, shapes)):
                made = error_edits.argument(error, party, change.code) if change.kind == "expand" else None
                edits = made or error_edits.operand(error, texts, at, change.code)
                yield Candidate(change.cost, _words(party, change), gives, edits, change.kind, at)


def _products(error: FrameworkError, op: ops.Op, texts: list[str], shapes: list[Shape]) -> Iterator[Candidate]:
    """Rows with weights that go together as a matrix product, and were multiplied value by value."""
    if not all(texts):
        return
    gives: Shape = [shapes[0][0], shapes[1][1]]
    left, right = texts
    place = error.facts.place.source if error.facts.place else ""
    if place.count(left) == place.count(right) == 1:
        # What is used once more in the statement goes with a result as large as itself.
        words = f"`{left} @ {right}`, if the matrix product is meant"
        yield Candidate(2, words, gives, error_edits.operator(error, texts, "@"))
    spread: Shape = [*shapes[0], 1]
    made = ops.result(op, [spread, shapes[1]])
    if isinstance(made, list):
        words = f"`tf.expand_dims({left}, -1)`, if each value of a row is to meet each weight of its own"
        yield Candidate(2, words, made, error_edits.operand(error, texts, 0, "tf.expand_dims({x}, -1)"))


def _resized(error: FrameworkError, op: ops.Op, parties: list[Party], shapes: list[Shape]) -> Iterator[Candidate]:
    """A weight of another size, where it is written on a line of the program's."""
    for at, party in enumerate(parties):
        made = next((one for one in party.sources if one.frame is not None), None)
        is_weight = "Variable" in party.type or (made is not None and _makes_weight(made))
        if made is None or made.frame is None or not party.text or not is_weight or len(shapes[at]) != 2:
            continue
        other, axis = shapes[1 - at], at if op.flips[at] else 1 - at
        wanted = other[-1] if (at == 1) != op.flips[1 - at] else other[-2]
        tried: Shape = [wanted if n == axis else size for n, size in enumerate(shapes[at])]
        gives = ops.result(op, [tried, other] if at == 0 else [other, tried])
        if isinstance(gives, list) and wanted != UNKNOWN:
            named = f"`{party.text}` ({line_words(made.frame)})"
            words = f"{named} with the shape {shape_words(_open(tried))} goes with {shape_words(_open(other))}"
            yield Candidate(4, words, gives, _written_anew(error, made, shapes[at], tried))


def _is_open(error: FrameworkError) -> bool:
    """Whether a function was traced for any size: the weight may be right for the calls before this one."""
    open_ = any(None in (party.shape or []) for party in error.of_role("operand"))
    return open_ and bool(error.facts.node) and not error.of_role("feed")


def _written_anew(error: FrameworkError, made: ValueSource, was: Shape, wanted: Shape) -> Edits:
    """The shape of a weight in the statement that makes it, where it is written out there."""
    source = source_at(error.sources, made.frame)
    if source is None or made.frame is None:
        return None
    found = written_shapes(source, nodes_on(source, made.frame.line), was)
    return sizes_edits(source, made.frame.file, found[0], was, wanted) if len(found) == 1 else None


def _makes_weight(source: ValueSource) -> bool:
    return source.kind == "weight" or any(f"{word}(" in source.text for word in ("Variable", "variable", "add_weight"))


def _flipped(error: FrameworkError, op: ops.Op, texts: list[str], shapes: list[Shape]) -> Iterator[Candidate]:
    left, right = op.flips
    for cost, flips in ((1, (left, not right)), (1, (not left, right))):
        gives = ops.result(op._replace(flips=flips), shapes)
        if isinstance(gives, list):
            words = [f"{name}={flag}" for name, flag in zip(("transpose_a", "transpose_b"), flips, strict=True) if flag]
            told = f"`{', '.join(words) or 'no transpose'}` makes it fit"
            yield Candidate(cost, told, gives, _transposing(error, texts, [*op.flips], [*flips]))


def _transposing(error: FrameworkError, texts: list[str], was: list[bool], flips: list[bool]) -> Edits:
    """The words of `tf.matmul`, set or left out."""
    source, place = source_at(error.sources, error.facts.place), error.facts.place
    calls = calls_at(source, place.line, "matmul") if source is not None and place is not None else []
    calls = [call for call in calls if [written(one) for one in call.args[:2]] == texts]
    if len(calls) != 1 or source is None or place is None:
        return None
    names = zip((2, 3), ("transpose_a", "transpose_b"), was, flips, strict=True)
    edits = [
        set_argument(source, place.file, calls[0], name, at, str(new)) for at, name, old, new in names if old != new
    ]
    return [one for one in edits if one is not None] or None


def _is_outer(gives: Shape, shapes: list[Shape]) -> bool:
    """Whether both operands were spread out: every value of one with every value of the other is rarely meant."""
    made, given = count(gives), [count(shape) for shape in shapes]
    if made is None or None in given:
        return len(gives) > max(len(shape) for shape in shapes)
    return made > max(size or 0 for size in given)


def _words(party: Party, change: Change) -> str:
    code = change.code.format(x=party.text)
    made = next((one.frame for one in party.sources if one.kind == "variable" and one.frame is not None), None)
    where = f" (made on {line_words(made)})" if made is not None and change.kind == "expand" else ""
    meaning = f", {change.meaning}" if change.meaning else ""
    return f"`{code}`{where} makes it {shape_words(_open(change.shape))}{meaning}"
