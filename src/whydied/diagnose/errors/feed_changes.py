"""Changes of a fed value, or of its placeholder, after which the two fit. Pure.

Each is tried on the recorded shapes and numbers. Those that change least come first; what a change means is said, and
it has its edit with it where the entry of the feed, or the placeholder, is written out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.errors.advice import Advice, Way, advised, capital, changes_of, nothing, source_at
from whydied.diagnose.errors.framework_error import Shape, shape_words
from whydied.diagnose.errors.ops.graph_sizes import graph_tried, sizes_of
from whydied.diagnose.errors.session_error import made_at
from whydied.diagnose.finding import Location
from whydied.records import Fed, Frame, GraphTried, Party
from whydied.shapes.shape import conforms, count
from whydied.source.edits.call_edits import calls_at
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.feed_entries import declared_shape, declared_width, fed_value

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


def difference(came: Shape, wanted: Shape) -> str:
    """What is wrong with the shape of a value for a placeholder."""
    if len(came) != len(wanted):
        return f"it has {len(came)} {'axis' if len(came) == 1 else 'axes'} where {len(wanted)} are expected"
    differ = [at for at, (one, other) in enumerate(zip(came, wanted, strict=True)) if other not in (None, one)]
    return f"axis {differ[0]} is {came[differ[0]]}, expected {wanted[differ[0]]}" if differ else "its shape is wrong"


def is_batch_only(fed: Fed) -> bool:
    """Whether nothing but the number of rows is another than its placeholder declares."""
    came, wanted = fed.value.shape or [], fed.node.shape or [] if fed.node is not None else []
    return len(came) == len(wanted) and [*_differing(came, wanted)] == [0]


def declared_as_fed(case: Case, feeds: list[Fed], names: list[str]) -> Advice:
    """Advice for entries whose placeholders are declared for other data, after the graph was built with what was fed:
    nothing where that was not tried, or where a value can be changed."""
    tried = graph_tried(case)
    if tried is None or tried.crossed is not None or any(value_changes(case, one, None) for one in feeds):
        return nothing()
    batch = all(map(is_batch_only, feeds))
    if not tried.fits:
        return _as_declared(case, feeds, tried) if batch else nothing()
    sizes = sizes_of(case, tried)
    ways = [_declaring(case, one, name, batch) for one, name in zip(feeds, names, strict=True)]
    edits = [*(one.edits for one in ways), *(one.edits for one in sizes)]
    whole = [each for one in edits for each in one or []] if all(edits) else None
    sentences = [f"{capital(one.words)}." for one in ways]
    sentences += [f"Then {' and '.join(one.words for one in sizes)}."] if sizes else []
    if batch:
        sentences = [f"Feed {_rows(feeds[0])} rows at a time, or let the graph take any number of them:", *sentences]
    elif sizes:
        sentences = [
            "If the graph is right, bring the data to the shape that it declares. If the data are right:",
            *sentences,
        ]
    # The placeholder alone is wrong where everything behind it takes the data.
    frame = _place(feeds[0], whole) if not sizes and not batch else None
    return Advice(sentences, changes_of("placeholder", [Way(ways[0].words, whole)]), frame)


def _place(fed: Fed, edits: list[Edit] | None) -> Frame | None:
    """The line that has the number, else that of the placeholder."""
    made = fed.node.made[-1] if fed.node is not None and fed.node.made else None
    if edits and made is not None and len({(one.file, one.start[0]) for one in edits}) == 1:
        return Frame(file=edits[0].file, line=edits[0].start[0], function=made.function, user=True)
    return made


def _rows(fed: Fed) -> int | None:
    return (fed.node.shape or [None])[0] if fed.node is not None else None


def _declaring(case: Case, fed: Fed, name: str, batch: bool) -> Way:
    came, wanted = fed.value.shape or [], fed.node.shape or [] if fed.node is not None else []
    place = made_at(case, fed.node)
    line = f" on {line_words(place)}" if place is not None else ""
    now = [None, *came[1:]] if batch or wanted[:1] == [None] else list(came)
    if batch:
        words = f"declare the first axis of `{name}`{line} as `None`"
    else:
        words = f"declare `{name}`{line} with shape `{now}`, which the ops behind it take"
    return Way(words, _declared(case, place, wanted, now))


def _as_declared(case: Case, feeds: list[Fed], tried: GraphTried) -> Advice:
    """The graph has its number of rows at more places than were found: the data are to have it, too. What TensorFlow
    made constant because the size was known might be open in another graph, so no more is said than was seen."""
    rows, place = _rows(feeds[0]), made_at(case, tried.at)
    more = f", and as the graph is built {line_words(place)} takes no other number" if place is not None else ""
    return Advice([f"Feed {rows} rows at a time: the placeholders are declared for as many{more}."], [])


def _differing(came: Shape, wanted: Shape) -> Iterator[int]:
    for axis, (one, other) in enumerate(zip(came, wanted, strict=True)):
        if other not in (None, one):
            yield axis


def value_changes(case: Case, fed: Fed, place: Frame | None) -> Advice:
    """Those of the value alone."""
    came, wanted = fed.value.shape, fed.node.shape if fed.node is not None else None
    if came is None or wanted is None:
        return nothing()
    found = dict(_of_value(fed.value, fed.value.text or "value", came, wanted, _width(case, fed)))
    ways = [Way(words, _fed_as(case, fed, place, code)) for words, code in [*found.items()][:MOST_OFFERED]]
    return Advice([way.words for way in ways], changes_of("feed", ways))


def _width(case: Case, fed: Fed) -> str:
    """The name of the last size of a placeholder, where any line can see it."""
    place = made_at(case, fed.node)
    source = case.sources.get(place.file) if place is not None else None
    return declared_width(source, place.line) if source is not None and place is not None else ""


def _fed_as(case: Case, fed: Fed, place: Frame | None, code: str) -> list[Edit] | None:
    """The value of an entry where the feed is written."""
    frame = fed.written or place
    source = source_at(case.sources, frame)
    if source is None or frame is None or not fed.text:
        return None
    return fed_value(source, frame.file, frame.line, fed.text, code)


def _of_value(party: Party, value: str, came: Shape, wanted: Shape, named: str) -> Iterator[tuple[str, str]]:
    """Each change in words, and its code with `{x}` for the value."""
    if not conforms([1, *came], wanted):
        yield from _labels(party, value, came, wanted, named)
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


def _labels(party: Party, value: str, came: Shape, wanted: Shape, named: str) -> Iterator[tuple[str, str]]:
    """Class numbers where a column per class is wanted, and the other way round. `named` is the name that the program
    has for the number of classes."""
    classes = wanted[-1] if wanted else None
    # A batch of sorted rows may have one class only.
    lowest, highest = (*party.whole,) if party.lowest is not None and party.whole else (party.lowest, party.highest)
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
            code = f"np.eye({named or classes})[{whole}]"
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
    differ = list(_differing(came, wanted))
    if differ == [0]:
        words = (
            f"`{name}`{line} has a fixed batch of {wanted[0]}: declare its first axis as `None`, or feed "
            f"{wanted[0]} rows at a time (this one has {came[0]})."
        )
        opened = _declared(case, place, wanted, [None, *wanted[1:]])
        return advised(words, "placeholder", Way(f"declare the first axis of `{name}` as `None`", opened))
    declared = [came[axis] if axis in differ else size for axis, size in enumerate(wanted)]
    sizes = " and ".join(f"axis {axis} to {wanted[axis]}" for axis in differ)
    tried = graph_tried(case)
    if tried is not None and tried.crossed is not None:
        # It would finish, and compare each value with all of a row.
        at = made_at(case, tried.crossed)
        where = f" on {line_words(at)}" if at is not None else ""
        words = f"Bring {sizes} in `{value}`: declared as it is fed, {tried.crossed.op}{where} would only broadcast it."
        return Advice([words], [])
    words = (
        f"If the data is right: declare `{name}`{line} with shape `{declared}`. If the placeholder is right: bring "
        f"{sizes} in `{value}` (cut, pad or select)."
    )
    way = Way(f"declare `{name}`{line} with shape `{declared}`", _declared(case, place, wanted, declared))
    return advised(words, "placeholder", way)


def _declared(case: Case, place: Location | None, was: Shape, wanted: Shape) -> list[Edit] | None:
    source = case.sources.get(place.file) if place is not None else None
    return declared_shape(source, place.file, place.line, was, wanted) if source and place else None


def plain_values(case: Case, lines: list[Location]) -> list[Edit] | None:
    """What the `constant` calls of some lines are given, in their place."""
    edits = []
    for place in dict.fromkeys((one.file, one.line) for one in lines):
        source = case.sources.get(place[0])
        calls = calls_at(source, place[1], "constant") if source is not None else []
        if len(calls) != 1 or source is None or len(calls[0].args) != 1:
            return None
        edits.append(over(source, place[0], calls[0], written_in(source, calls[0].args[0])))
    return edits or None
