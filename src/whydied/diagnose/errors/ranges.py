"""A label or an index out of range in words: which data, which rows, what they go from and to, what was asked. Pure.

What is said of the data comes from the first of these that is there: the rows of the data set that broke the model's
contract, the data that were found at the exception, the rows of a batch that broke the contract, the exception alone.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors import contracts
from whydied.diagnose.errors.demands import table_sizes
from whydied.diagnose.errors.demands.table_sizes import TableSize
from whydied.diagnose.errors.exception_context import party_texts
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.framework_error import framework_error
from whydied.diagnose.errors.quotation import nearest_root
from whydied.diagnose.errors.written_numbers import written_number
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location, Rows
from whydied.diagnose.numerics.nonfinite_end import led_to_end
from whydied.records import ContractBroken, DataSeen, Frame, OutOfRangeFound, RaisedException
from whydied.texts import range_error
from whydied.texts.range_error import RangeError
from whydied.words import contract_terms
from whydied.words.contract_terms import rows_text, values_text

_TERMS = {"label": "classes", "index": "vocabulary"}


class Refused(NamedTuple):
    """What an exception of the run says of a value out of range."""

    error: RangeError
    link: RaisedException


MOST_ROWS = 0.5
FEW_ROWS = 8
"""Of fewer rows nothing is said about most of them."""


class Bad(NamedTuple):
    """The rows. `is_batch` says that they count within a batch; `least` and `greatest` are over all values."""

    broken: ContractBroken
    name: str
    is_batch: bool = False
    least: float | None = None
    greatest: float | None = None
    source: str = ""
    limit: str = ""
    made: Frame | None = None
    matched: bool = True
    origin: str = ""
    layers: OutOfRangeFound | None = None
    """What the layers tell, where the data do not hold the value themselves."""
    size: TableSize | None = None
    """The line that fixes the size, where the data show that it is too small."""
    called: Location | None = None
    """The line that failed, where the data are passed."""


def refused(case: Case, kind: str) -> Refused | None:
    for link in nearest_root(case.uncaught):
        error = range_error.parse(link.message)
        if error is not None and error.kind == kind:
            return Refused(error, link)
    return None


def check(case: Case, kind: str) -> tuple[Finding, Bad] | None:
    """The finding without advice, and the rows."""
    told = refused(case, kind)
    if told is None:
        return _silent(case, kind)
    if told.error.high is None:
        return None
    raised = case.uncaught
    assert raised is not None
    called = case.locate_exception([told.link, *raised.chain])
    bad = _bad(case, told.error, called)
    size = table_sizes.too_few(case, bad.broken, bad.limit, bad.made, bad.least, bad.greatest)
    bad = bad._replace(size=size, called=called)
    place = _made(case) or (size.place if size is not None else None) or _too_small(case, bad) or called
    evidence = [*evidence_of(told.link, raised, party_texts(case)), *_evidence(bad), *_setting(case, bad)]
    return _finding(bad, place, "likely" if in_most_rows(bad) and size is None else "certain", evidence), bad


def _setting(case: Case, bad: Bad) -> list[Evidence]:
    """The line that wrote the size of the layer that limits the range, where it is not the layer's own."""
    high = bad.broken.term.high
    found = written_number(case, bad.made, int(high)) if bad.made is not None and high is not None else None
    return [found.evidence] if found is not None else []


def _made(case: Case) -> Location | None:
    """The line of the op, where that is in a function of a data set: the line that failed only asked for a batch."""
    found = framework_error(case)
    return case.locate(found.facts.place) if found is not None and found.facts.in_data and found.facts.place else None


def _too_small(case: Case, bad: Bad) -> Location | None:
    """The line of the layer that has fewer rows than the layer that makes the ids has ids, or than most data need."""
    numbered = bad.layers is not None and bad.layers.numbering
    return case.locate(bad.made) if (numbered or in_most_rows(bad)) and bad.made is not None else None


def in_most_rows(bad: Bad) -> bool:
    """Whether most rows have values beyond what a layer takes: then the layer is too small, and not some rows wrong."""
    one = bad.broken
    return one.rows_seen >= FEW_ROWS and one.count > MOST_ROWS * one.rows_seen and not are_below(bad)


def _silent(case: Case, kind: str) -> tuple[Finding, Bad] | None:
    """No op refused it: on a GPU the loss turns NaN, or the row of an embedding is zero."""
    if case.uncaught is not None and range_error.parse(case.uncaught.chain[-1].message) is not None:
        return None
    for broken in contracts.broken_in(case):
        captured = contracts.step_captured(case, broken) and led_to_end(case)
        if broken.term.kind == _TERMS[kind] and not broken.raised and captured:
            place = case.locate(broken.frames[-1]) if broken.frames else None
            bad = _of_contract(case, broken, place)
            return _finding(bad, place, "likely", _evidence(bad)), bad
    return None


def _bad(case: Case, error: RangeError, place: Location | None) -> Bad:
    wanted = _TERMS[error.kind]
    broken = [
        one
        for one in contracts.broken_in(case)
        if one.term.kind == wanted and one.term.high == error.high and contracts.call_failed(case, one)
    ]
    of_layers = [one for one in _found(case) if one.value == str(error.value) and one.term.high == error.high]
    found = [one for one in of_layers if one.name]
    for one in broken:
        if one.batch is None and not error.allows(error.value):
            return _with_limit(_of_contract(case, one, place), of_layers)
    name = _of_contract(case, broken[-1], place).name if broken else ""
    if found and broken and name != broken[-1].name:
        # The line has a name of its own for the batch that it was given.
        return _of_found(found[-1])._replace(name=name, origin=found[-1].name)
    if found:
        return _of_found(found[-1])
    return _with_limit(_of_contract(case, broken[-1], place) if broken else _of_batch(error), of_layers)


def alike(case: Case, bad: Bad) -> list[Bad]:
    """Other inputs of the same call whose ids go one beyond their own table, too."""
    found = framework_error(case)
    layers = found.facts.layers if found is not None else []
    wrong = []
    for one in contracts.broken_in(case):
        source, high = one.term.source, one.term.high
        layer = next((one for one in layers if source.startswith(f"{one.type} '{one.name}' ")), None)
        other = _of_contract(case, one, None)
        if (one.term.kind, one.batch, other.greatest) == ("vocabulary", None, high) and layer is not None:
            named = f"{layer.type} '{layer.name}'"
            if named != bad.limit and contracts.call_failed(case, one):
                wrong.append(other._replace(limit=named, made=layer.made))
    return wrong


def _found(case: Case) -> list[OutOfRangeFound]:
    return case.principal.all(OutOfRangeFound) if case.principal else []


def _with_limit(bad: Bad, found: list[OutOfRangeFound]) -> Bad:
    if not found:
        return bad
    last = found[-1]
    return bad._replace(limit=last.limit_name, made=last.limit_made, layers=last)


def _of_contract(case: Case, one: ContractBroken, place: Location | None) -> Bad:
    name = contracts.name_in_source(case, place, one) if place else one.name
    seen = [
        data
        for data in (case.principal.all(DataSeen) if case.principal else [])
        if data.call == one.call and data.name == one.name and data.numbers is not None
    ]
    numbers = seen[-1].numbers if seen else None
    least, greatest = (numbers.least, numbers.greatest) if numbers is not None else (None, None)
    return Bad(one, name, one.batch is not None, least, greatest, "ContractBroken")


def _of_found(one: OutOfRangeFound) -> Bad:
    broken = ContractBroken(
        name=one.name,
        term=one.term,
        rows=one.rows,
        count=one.count,
        rows_seen=one.rows_seen,
        values=one.values,
        columns=one.columns,
        shape=one.shape,
        dtype=one.dtype,
        distinct=one.distinct,
    )
    return Bad(
        broken, one.name, False, one.least, one.greatest, "OutOfRangeFound", one.limit_name, one.limit_made, one.matched
    )


def _of_batch(error: RangeError) -> Bad:
    """What the exception alone tells."""
    size = error.high or 0
    label = error.kind == "label"
    rows = error.refused if label else list(error.at[:1])
    values = [str(error.batch[row]) for row in rows] if error.batch else [str(error.value)]
    term = (
        contract_terms.classes(size, "op", f"{size} outputs")
        if label
        else contract_terms.vocabulary(size, "op", error.op)
    )
    broken = ContractBroken(
        name="the labels" if label else "the indices",
        term=term,
        rows=rows[:20],
        count=max(1, len(rows)),
        rows_seen=len(error.batch),
        values=values[:8],
        columns=[list(error.at[1:])] if error.at[1:] else [],
    )
    return Bad(broken, broken.name, True, source="ExceptionRaised")


def _finding(bad: Bad, place: Location | None, certainty: Certainty, evidence: list[Evidence]) -> Finding:
    one = bad.broken
    # An exception names the op, which nobody wrote.
    source = layer_words(bad, one.term.source) if one.term.by == "op" else one.term.source
    by = f" ({source})" if source else ""
    why = f": {bad.size.why}" if bad.size is not None else ""
    expected = f"{one.term.words}{by}{_numbered(bad)}{why}"
    return Finding(
        message=f"{prefix(place)}{bad.name}{_origin(bad)}: {_actual(bad)}; expected {expected}",
        certainty=certainty,
        location=place,
        culprit=Culprit(
            kind="row",
            name=None if bad.source == "ExceptionRaised" else bad.name,
            shape=one.shape or None,
            dtype=one.dtype or None,
            value=one.values[0] if one.values else None,
            rows=Rows(
                batch=one.rows if bad.is_batch else [], dataset=[] if bad.is_batch else one.rows, count=one.count
            ),
            columns=sorted({column[0] for column in one.columns if column}),
        ),
        evidence=evidence,
    )


def _numbered(bad: Bad) -> str:
    """Who makes more ids than that."""
    if bad.layers is None or not bad.layers.numbering:
        return ""
    return f", and {numbering_words(bad.layers)} gives ids from 0 to {bad.layers.numbering_size - 1}"


def numbering_words(found: OutOfRangeFound) -> str:
    return f"{found.numbering} ({line_words(found.numbering_made)})" if found.numbering_made else found.numbering


def _origin(bad: Bad) -> str:
    """The data set, where the line names only the batch that was cut out of it."""
    return f", from {bad.origin}" if bad.origin and bad.origin != bad.name else ""


def _actual(bad: Bad) -> str:
    one = bad.broken
    if bad.is_batch and one.batch is None:
        where = f"row {one.rows[0]} of the batch" if len(one.rows) == 1 else f"{one.count} rows of the batch"
        text = f"{where if one.rows else 'the batch'} {values_text(msgspec.structs.replace(one, count=one.count))}"
    else:
        batch = f" of batch {one.batch}" if one.batch is not None else ""
        text = f"{rows_text(one)}{batch} {values_text(one)}"
    if bad.least is not None and bad.greatest is not None:
        text = (
            text.removesuffix(", …")
            + f"; values range from {contract_terms.number(bad.least)} to {contract_terms.number(bad.greatest)}"
        )
    return text


def _evidence(bad: Bad) -> list[Evidence]:
    one = bad.broken
    source = bad.source
    found = [
        Evidence(fact="rows out of range", value=one.count, source=source),
        Evidence(fact="first values out of range", value=", ".join(one.values), source=source),
    ]
    if one.rows_seen:
        found.append(Evidence(fact="rows checked", value=one.rows_seen, source=source))
    if bad.limit:
        line = f", {line_words(bad.made)}" if bad.made is not None else ""
        found.append(Evidence(fact="range given by", value=f"{bad.limit}{line}", source=source))
    if source == "OutOfRangeFound" and not bad.matched:
        found.append(Evidence(fact="data found by", value="what flows into that line", source="OutOfRangeFound"))
    return found


def are_below(bad: Bad) -> bool:
    """Whether all values that are out of range are negative, as far as they are known."""
    values = [float(value) for value in bad.broken.values]
    return bool(values) and all(value < 0 for value in values) and (bad.greatest is None or bad.greatest < _high(bad))


def are_all_rows(bad: Bad) -> bool:
    """Whether no row is without a bad value, of at least two."""
    return 1 < bad.broken.rows_seen == bad.broken.count


def only_other(bad: Bad) -> int | None:
    """The one number beside 0 in the data, where it is out of range."""
    known = bad.least == 0 and bad.greatest is not None and bool(bad.broken.values)
    same = known and all(float(value) == bad.greatest for value in bad.broken.values)
    return int(bad.greatest or 0) if same else None


def are_positions(bad: Bad) -> bool:
    """Whether the ids of a row are 0, 1, 2 and so on up to its length: where the first bad one stands tells."""
    one = bad.broken
    if not one.shape or bad.least != 0 or bad.greatest is None or one.shape[-1] != bad.greatest + 1:
        return False
    return bool(one.columns) and [str(column[-1]) for column in one.columns if column] == one.values[: len(one.columns)]


def _high(bad: Bad) -> float:
    return bad.broken.term.high or 0.0


def layer_words(bad: Bad, else_words: str) -> str:
    """`Dense 'out' (line 12)`."""
    if not bad.limit:
        return else_words
    return f"{bad.limit} ({line_words(bad.made)})" if bad.made is not None else bad.limit
