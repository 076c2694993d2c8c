"""An index points outside of what is looked up.

## What it detects
Ids that an embedding has no row for, and indices of `tf.gather`, `gather_nd`, scatter, segment ops and subscripts that
lie outside of the tensor: with `fit`, in a loop of the program's own, inside of a `tf.function`, in a v1 session.

## Why it happens
An `input_dim` that is one too small (n words that count from 1 need n + 1 rows), a vocabulary that grew, -1 for padding
or a missing value, an index that counts from one.

## Evidence
The exception with the index, its place in the batch and the range; the whole of the data, looked at in the program:
what was given to the call, or what flows into the line that failed. Only data that hold the very index that was refused
count. Of ids that a layer makes of words on the way: the size of its vocabulary.

## How it is proved
The exception names the index: certain. Where every id up to the largest one occurs, or the table's size is computed and
one short, the line that fixes the size is told, and why. Where most rows have such ids the table is too small, and its
line is told: likely. Without one (a GPU gives zeros and says nothing), where a step of that call
had values that are not finite: likely.

## Fix
An `input_dim` above the largest id; one id for all unknown words; ids that count from zero.

## Known problems
Ids that the program makes while it runs (in `Dataset.map`, in a generator, in a layer) are known by the batch only.

## References
tensorflow/tensorflow issues 5847, 57174, 62628.
"""

from __future__ import annotations

import msgspec

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.gaps_in_ids import gaps_of
from whydied.diagnose.errors import range_edits, ranges
from whydied.diagnose.errors.advice import Advice, Way, advised, capital, changes_of
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.records import Operand
from whydied.source.edits.edit import Edit
from whydied.source.edits.shapes.column_edits import column_edits

ROLE = "explanation"
YIELDS_TO = ("iterator-exhausted",)


def check(case: Case) -> Finding | None:
    found = ranges.check(case, "index")
    if found is None:
        return _subscript(case)
    finding, bad = found
    advice = _advice(case, finding, bad)
    gaps = gaps_of(case, bad, bad.called or finding.location)
    if gaps is not None:
        finding = msgspec.structs.replace(
            finding,
            message=f"{prefix(gaps.place)}{finding.message.removeprefix(prefix(finding.location))}{gaps.words}",
            location=gaps.place,
        )
    if not advice.changes:
        # The gentlest that can be written for any data: what lies outside becomes the nearest that does not.
        high = int(bad.broken.term.high or 0) - 1
        clipped = Way(
            f"clip the ids to 0 to {high}", range_edits.clipped(case, bad, bad.called or finding.location, high)
        )
        advice = advice._replace(changes=changes_of("data", [clipped]))
    return msgspec.structs.replace(finding, advice=advice.sentences, changes=advice.changes)


def _subscript(case: Case) -> Finding | None:
    """`tensor[5]` of a tensor with three rows."""
    told, raised = ranges.refused(case, "slice"), case.uncaught
    if told is None or raised is None:
        return None
    place = case.locate_exception([told.link, *raised.chain])
    axis = told.error.axis or 0
    shaped = [one for one in told.link.operands if one.shape and len(one.shape) > axis]
    of = f"`{shaped[0].text}`" if shaped else "a tensor"
    extent = shaped[0].shape[axis] if shaped and shaped[0].shape else None
    has = f", which has {extent}" if extent is not None else ""
    advice = _columns(case, place, shaped[0], told.error.value) if shaped and axis == 0 and place is not None else None
    return Finding(
        message=f"{prefix(place)}{of}: index {told.error.value} of axis {axis} was requested{has}; expected "
        + (f"an index from 0 to {extent - 1}" if extent else "an index within it"),
        certainty="certain",
        location=place,
        culprit=Culprit(
            kind="tensor",
            name=shaped[0].text if shaped else None,
            shape=shaped[0].shape if shaped else None,
            value=str(told.error.value),
        ),
        evidence=evidence_of(told.link, raised),
        advice=advice.sentences if advice is not None else [],
        changes=advice.changes if advice is not None else [],
    )


def _columns(case: Case, place: Location, tensor: Operand, index: int) -> Advice | None:
    """An index that the rows of a tensor do not have, and its columns have."""
    shape, source = tensor.shape or [], case.sources.get(place.file)
    columns = shape[1] if len(shape) > 1 else None
    if columns is None or not 0 <= index < columns:
        return None
    words = (
        f"`{tensor.text}[{index}]` is row {index} of the batch; column {index} of every row, of {columns}, is "
        f"`{tensor.text}[:, {index}]`."
    )
    edits = column_edits(source, place.file, place.line, tensor.text, columns) if source is not None else None
    return advised(words, "operand", edits)


def _advice(case: Case, finding: Finding, bad: ranges.Bad) -> Advice:
    size = int(bad.broken.term.high or 0)
    table = ranges.layer_words(bad, "the table")

    def rows(number: int) -> list[Edit] | None:
        return range_edits.size(case, bad.limit, bad.made, "input_dim", size, number)

    if bad.layers is not None and bad.layers.numbering:
        numbering, made = bad.layers.numbering, bad.layers.numbering_made
        limited = range_edits.size(case, numbering, made, "max_tokens", 0, size)
        ways = [
            Way(
                f"give {table} {bad.layers.numbering_size} rows, as many as there are ids",
                rows(bad.layers.numbering_size),
            ),
            Way(f"limit {ranges.numbering_words(bad.layers)} to {size} (`max_tokens={size}`)", limited),
        ]
        return Advice([f"{capital('; or '.join(way.words for way in ways))}."], changes_of("layer", ways))
    if ranges.are_below(bad):
        words = (
            "A negative id has no row. If it marks padding or a missing value, use id 0 for that, count the others "
            "from 1, and add one row."
        )
        return Advice([words], [])
    largest = bad.greatest if bad.greatest is not None else max(map(float, bad.broken.values), default=None)
    gaps = gaps_of(case, bad, bad.called or finding.location)
    if gaps is not None:
        return gaps.advice
    if largest is not None and int(largest) == size:
        shifted = range_edits.values(bad, case, bad.called or finding.location, "x", "{x} - 1")
        return _one_more(case, bad, size, rows(size + 1), shifted)
    if largest is not None and ranges.are_positions(bad):
        words = (
            f"The ids count from 0 to {int(largest)}, one for each place: they are positions, and {table} has {size}. "
            f"Cut the input to {size} (`[:, :{size}]`, or the maximal length of what makes it), or give the table "
            f"{int(largest) + 1} rows."
        )
        return advised(words, "layer", Way(f"give {table} {int(largest) + 1} rows", rows(int(largest) + 1)))
    more = f"{int(largest) + 1} rows" if largest is not None else "more rows"
    otherwise = "" if ranges.in_most_rows(bad) else "; otherwise fix these rows"
    words = f"{capital(table)} has {size} rows. If the ids are right, it needs {more}{otherwise}."
    if (other := range_edits.exchanged(case, bad)) is not None and largest is not None:
        way = Way(f"exchange its numbers, `{other.words}`", other.edits)
        words = (
            f"{capital(table)} has {size} rows of {other.rows} values, and the ids go up to {int(largest)}: its "
            f"numbers look exchanged, `{other.words}`; or it needs {more}."
        )
        return Advice([words], changes_of("layer", [way]))
    enough = rows(int(bad.greatest) + 1) if bad.greatest is not None else None
    return advised(words, "layer", Way(f"give {table} {more}", enough))


def _one_more(case: Case, bad: ranges.Bad, size: int, wider: list[Edit] | None, shifted: list[Edit] | None) -> Advice:
    """The largest id is as large as the table: what counts from 1 can also be made to count from 0. Tables of other
    inputs that are one too small, too, would be the next to fail."""
    table = ranges.layer_words(bad, "the table")
    written = bad.size.written if bad.size is not None else str(size)
    number = size + 1 if written.isdigit() else f"{written} + 1"
    argument = f" (`input_dim={number}`)" if bad.limit.startswith("Embedding") else ""
    needs = f"The largest id is {size}, so {table} needs {size + 1} rows, one more than it has"
    others = ranges.alike(case, bad)
    more = "".join(f", and {ranges.layer_words(one, '')} {int(one.broken.term.high or 0) + 1}" for one in others)
    ways = [Way(f"give {table} {size + 1} rows{argument}{more}", _with_others(case, others, wider))]
    if others:
        return Advice([f"{needs}{argument}{more}; or the ids are wrong."], changes_of("layer", ways))
    if bad.least is None or bad.least < 1:
        otherwise = "" if bad.size is not None else "; or the id is wrong"
        return Advice([f"{needs}{argument}{otherwise}."], changes_of("layer", ways))
    shift = Way(f"subtract 1, to count from 0: `{bad.name} - 1`", shifted)
    words = f"{needs}: ids that count from 1 to n need n + 1 rows{argument}. Or subtract 1, to count from 0."
    return Advice([words], [*changes_of("layer", ways), *changes_of("data", [shift])])


def _with_others(case: Case, others: list[ranges.Bad], edits: list[Edit] | None) -> list[Edit] | None:
    """The edits with those that give each of the other tables one more row; None where one cannot be written."""
    for other in others:
        was = int(other.broken.term.high or 0)
        wider = range_edits.size(case, other.limit, other.made, "input_dim", was, was + 1)
        if edits is None or wider is None:
            return None
        edits = list(dict.fromkeys([*edits, *wider]))
    return edits
