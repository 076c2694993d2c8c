"""Changes of a fed value, or of its placeholder, after which the two fit. Pure.

Each is tried on the recorded shapes and numbers. Those that change least come first; what a change means is said, and
it has its edit with it where the entry of the feed, or the placeholder, is written out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.errors.advice import Advice, Way, advised, changes_of, nothing, source_at
from whydied.diagnose.errors.framework_error import Shape, shape_words
from whydied.diagnose.errors.session_error import made_at
from whydied.diagnose.finding import Location
from whydied.records import Fed, Frame, Party
from whydied.shapes.shape import conforms, count
from whydied.source.edits.edit import Edit
from whydied.source.edits.shapes.feed_entries import declared_shape, fed_value

MOST_OFFERED = 2


def is_misfit(fed: Fed) -> bool:
    """Whether a value cannot be what its placeholder declares."""
    wanted = fed.node.shape if fed.node is not None else None
    return wanted is not None and fed.value.shape is not None and not conforms(fed.value.shape, wanted)


def feed_changes(case: Case, fed: Fed, name: str, place: Frame | None) -> Advice:
    """Advice for one entry; `name` is the placeholder, `place` the line of the run."""
    came, wanted = fed.value.shape, fed.node.shape if fed.node is not None else None
    if came is None or wanted is None:
        return nothing()
    value = fed.value.text or "value"
    return value_changes(case, fed, place) or _of_placeholder(case, fed, value, name, came, wanted)


def value_changes(case: Case, fed: Fed, place: Frame | None) -> Advice:
    """Those of the value alone."""
    came, wanted = fed.value.shape, fed.node.shape if fed.node is not None else None
    if came is None or wanted is None:
        return nothing()
    found = dict(_of_value(fed.value, fed.value.text or "value", came, wanted))
    ways = [Way(words, _fed_as(case, fed, place, code)) for words, code in [*found.items()][:MOST_OFFERED]]
    return Advice([way.words for way in ways], changes_of("feed", ways))


def _fed_as(case: Case, fed: Fed, place: Frame | None, code: str) -> list[Edit] | None:
    """The value of an entry where the feed is written."""
    frame = fed.written or place
    source = source_at(case.sources, frame)
    if source is None or frame is None or not fed.text:
        return None
    return fed_value(source, frame.file, frame.line, fed.text, code)


def _of_value(party: Party, value: str, came: Shape, wanted: Shape) -> Iterator[tuple[str, str]]:
    """Each change in words, and its code with `{x}` for the value."""
    if not conforms([1, *came], wanted):
        yield from _labels(party, value, came, wanted)
    if conforms([1, *came], wanted):
        yield f"The batch axis is missing: feed `{value}[None]`, or several rows at once.", _item(party, "None")
    elif conforms([*came, 1], wanted):
        yield f"An axis of size 1 is missing at the end: feed `{value}[..., None]`.", _item(party, "..., None")
    if came and came[-1] == 1 and conforms(came[:-1], wanted):
        yield f"The last axis of size 1 is not expected: feed `{value}[..., 0]`.", _item(party, "..., 0")
    if len(came) > 1 and came[0] == 1 and conforms(came[1:], wanted):
        yield f"The first axis of size 1 is not expected: feed `{value}[0]`.", "{x}[0]"
    yield from _other_order(party, value, came, wanted)
    rows = math.prod(size or 0 for size in came[1:])
    inner = wanted[1:]
    if len(came) != len(wanted) and len(came) > 1 and inner and rows == count(inner):
        target = ", ".join(["-1", *map(str, inner)])
        words = "The rows are not flat" if len(inner) == 1 else "The rows are laid out otherwise"
        told = f"{words}: feed `{value}.reshape({target})`, which keeps its {came[0]} rows."
        yield told, f"{_array(party)}.reshape({target})"


def _array(party: Party) -> str:
    """The value as an array: a list has neither axes nor methods."""
    return "np.asarray({x})" if party.type.rpartition(".")[2] in ("list", "tuple", "DataFrame", "Series") else "{x}"


def _item(party: Party, item: str) -> str:
    return f"{_array(party)}[{item}]"


def _labels(party: Party, value: str, came: Shape, wanted: Shape) -> Iterator[tuple[str, str]]:
    """Class numbers where a column per class is wanted, and the other way round."""
    classes = wanted[-1] if wanted else None
    lowest, highest = party.lowest, party.highest
    column = len(came) == len(wanted) and came[-1:] == [1]
    if (
        lowest is not None
        and highest is not None
        and not party.one_hot
        and classes is not None
        and classes > 1
        and (column or len(came) == len(wanted) - 1)
    ):
        inner = came[:-1] if column else came
        if conforms(inner, wanted[:-1]) and lowest >= 0 and highest < classes and highest > 0:
            whole = "np.asarray({x})" if party.type in ("list", "tuple") else "{x}"
            whole = f"{whole}[..., 0]" if column else whole
            whole = whole if (party.dtype or "").startswith(("int", "uint")) else f"{whole}.astype(int)"
            code = f"np.eye({classes})[{whole}]"
            yield (
                f"`{value}` holds class numbers ({lowest} to {highest}), and one column per class is "
                f"expected: feed one-hot rows, `{code.format(x=value)}`.",
                code,
            )
        elif conforms(inner, wanted[:-1]) and lowest == 1 and highest == classes:
            yield (
                f"`{value}` holds class numbers from 1 to {classes}, and one column per class is expected: feed "
                f"`np.eye({classes})[{value} - 1]`.",
                f"np.eye({classes})[{_array(party)} - 1]",
            )
    if party.one_hot and conforms(came[:-1], wanted):
        yield (
            f"`{value}` holds one-hot rows, and class numbers are expected: feed `np.argmax({value}, axis=-1)`.",
            "np.argmax({x}, axis=-1)",
        )


def _other_order(party: Party, value: str, came: Shape, wanted: Shape) -> Iterator[tuple[str, str]]:
    if len(came) != len(wanted) or len(came) < 2 or len(came) > 5:
        return
    orders = [
        order
        for order in itertools.permutations(range(len(came)))
        if conforms([came[axis] for axis in order], wanted) and list(order) != sorted(order)
    ]
    if len(came) == 2 and orders:
        yield f"The axes are swapped: feed `{value}.T`.", f"{_array(party)}.T"
    # The batch stays in front where it can.
    kept = [order for order in orders if order[0] == 0] or orders
    kept = [order for order in kept if _moves_one(order)] or kept
    if len(came) > 2 and len(kept) == 1:
        code = f"np.transpose({{x}}, {list(kept[0])})"
        yield f"The axes are in another order: feed `{code.format(x=value)}`.", code


def _moves_one(order: tuple[int, ...]) -> bool:
    """Whether all axes but one keep their order: channels that go last, and not a picture that is also turned."""
    rests = [[axis for axis in order if axis != moved] for moved in order]
    return any(rest == sorted(rest) for rest in rests)


def _of_placeholder(case: Case, fed: Fed, value: str, name: str, came: Shape, wanted: Shape) -> Advice:
    place = made_at(case, fed.node)
    line = f" on {line_words(place)}" if place is not None else ""
    if len(came) != len(wanted):
        words = (
            f"No change of the axes makes `{value}` fit: feed data of the shape {shape_words(wanted)}, or declare "
            f"`{name}`{line} for data of shape {shape_words([None, *came[1:]])}."
        )
        return Advice([words], [])
    differ = [axis for axis, (one, other) in enumerate(zip(came, wanted, strict=True)) if other not in (None, one)]
    if differ == [0]:
        words = (
            f"`{name}`{line} has a fixed batch of {wanted[0]}: declare its first axis as `None`, or feed "
            f"{wanted[0]} rows at a time (this one has {came[0]})."
        )
        opened = _declared(case, place, wanted, [None, *wanted[1:]])
        return advised(words, "placeholder", Way(f"declare the first axis of `{name}` as `None`", opened))
    declared = [came[axis] if axis in differ else size for axis, size in enumerate(wanted)]
    sizes = " and ".join(f"axis {axis} to {wanted[axis]}" for axis in differ)
    words = (
        f"If the data is right: declare `{name}`{line} with shape `{declared}`. If the placeholder is right: bring "
        f"{sizes} in `{value}` (cut, pad or select)."
    )
    way = Way(f"declare `{name}`{line} with shape `{declared}`", _declared(case, place, wanted, declared))
    return advised(words, "placeholder", way)


def _declared(case: Case, place: Location | None, was: Shape, wanted: Shape) -> list[Edit] | None:
    source = case.sources.get(place.file) if place is not None else None
    return declared_shape(source, place.file, place.line, was, wanted) if source and place else None
