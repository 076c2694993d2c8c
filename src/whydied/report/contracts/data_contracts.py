"""The contracts that a run showed: what its data were, what was asked of them, and the rows that broke it. Runs in the
parent, after the run; pure but for reading captured rows."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from whydied.diagnose.case import Case
from whydied.diagnose.errors import contracts
from whydied.diagnose.finding import Location
from whydied.records import ContractBroken, DataSeen, Numbers, Term
from whydied.report.contracts import blamed_rows
from whydied.source.arrays.array_reading import reading

WIDENED = 0.1
"""A range that was only seen is widened by this share on each side."""
_USUAL = ((0.0, 1.0), (-1.0, 1.0), (0.0, 255.0))


class BrokenRows(msgspec.Struct, frozen=True, kw_only=True):
    """Rows that broke something. `data` is an .npy file with them, None where they were not kept."""

    expected: str
    kind: str
    rows: list[int]
    count: int
    values: list[str]
    batch: int | None = None
    data: bytes | None = None


class DataContract(msgspec.Struct, frozen=True, kw_only=True):
    """One input. `variable` is its name in the program; `load` an expression that reads it again, where the source has
    one; `low` and `high` are what is allowed, `seen_low` and `seen_high` what was seen."""

    name: str
    variable: str
    role: str
    kind: str
    model: str
    location: Location | None
    shape: list[int | None]
    dtype: str
    rows_seen: int
    rows: int | None
    finite: bool
    low: float | None = None
    high: float | None = None
    seen_low: float | None = None
    seen_high: float | None = None
    bounds: str = ""
    classes: list[float] = []
    required: list[str] = []
    load: str | None = None
    broken: list[BrokenRows] = []


def contracts_of(case: Case, went_wrong: bool) -> list[DataContract]:
    """Of the calls that trained, else of the first call. In a run that went wrong, what was asked and broken counts as
    required; in a good one, values that are not finite were meant."""
    seen = _seen(case)
    broken = contracts.broken_in(case)
    made = [_contract(case, one, [other for other in broken if _is_of(other, one)], went_wrong) for one in seen]
    made += [_declared(case, one) for one in broken if one.raised]
    return _with_captures(case, made)


def _seen(case: Case) -> list[DataSeen]:
    found: dict[tuple[object, ...], DataSeen] = {}
    for one in case.records.all(DataSeen):
        key = (one.call, one.kind, one.name)
        earlier = found.get(key)
        terms = [*(earlier.terms if earlier else []), *one.terms]
        found[key] = msgspec.structs.replace(one, terms=list({term.kind: term for term in terms}.values()))
    trained = [one for one in found.values() if one.kind in ("fit", "train_on_batch", "loss")]
    chosen = trained or list(found.values())
    unique: dict[tuple[object, ...], DataSeen] = {}
    for one in chosen:
        line = one.frames[-1].line if one.frames else 0
        place = (one.name, one.model, one.kind, line)
        if place not in unique or (one.sort == "batches" and one.rows_seen > unique[place].rows_seen):
            unique[place] = one
    return list(unique.values())


def _is_of(broken: ContractBroken, seen: DataSeen) -> bool:
    same_line = [frame.line for frame in broken.frames[-1:]] == [frame.line for frame in seen.frames[-1:]]
    return broken.name == seen.name and (broken.call == seen.call or same_line) and not broken.raised


def _contract(case: Case, seen: DataSeen, broken: list[ContractBroken], went_wrong: bool) -> DataContract:
    place = case.locate(seen.frames[-1]) if seen.frames else None
    stand_in = ContractBroken(name=seen.name, term=Term(kind="", words="", by=""), call=seen.call)
    variable = contracts.name_in_source(case, place, stand_in) if place else seen.name
    numbers = seen.numbers
    bounded = _bounds(seen, numbers)
    spoilt = bool(numbers and numbers.nonfinite)
    return DataContract(
        name=seen.name,
        variable=variable,
        role=seen.role,
        kind=seen.kind,
        model=seen.model,
        location=place,
        shape=seen.shape,
        dtype=seen.dtype,
        rows_seen=seen.rows_seen,
        rows=seen.rows,
        finite=_is_float(seen.dtype) and (not spoilt or went_wrong),
        low=bounded[0],
        high=bounded[1],
        seen_low=numbers.least if numbers else None,
        seen_high=numbers.greatest if numbers else None,
        bounds=bounded[2],
        classes=_classes(seen, broken),
        required=[f"{term.words} ({term.source or term.by})" for term in seen.terms],
        load=_reading(case, place, variable),
        broken=[_rows(case, one) for one in broken if one.rows] if went_wrong else [],
    )


def _declared(case: Case, one: ContractBroken) -> DataContract:
    place = case.locate(one.frames[-1]) if one.frames else None
    term = one.term
    return DataContract(
        name=one.name,
        variable=one.name,
        role="declared",
        kind="expect",
        model="",
        location=place,
        shape=[None, *one.shape[1:]],
        dtype=one.dtype,
        rows_seen=one.rows_seen,
        rows=None,
        finite=term.kind == "finite",
        low=term.low,
        high=None if term.high is None else term.high - 1 if term.below else term.high,
        bounds=term.words,
        required=[term.words],
        load=_reading(case, place, one.name),
        broken=[_rows(case, one)] if one.rows else [],
    )


def _rows(case: Case, one: ContractBroken) -> BrokenRows:
    return BrokenRows(
        expected=one.term.words,
        kind=one.term.kind,
        rows=one.rows,
        count=one.count,
        values=one.values,
        batch=one.batch,
        data=blamed_rows.kept(case.recording.directory, one.file) if one.file else None,
    )


def _with_captures(case: Case, made: list[DataContract]) -> list[DataContract]:
    """With the rows that the replay of a captured step blames, in the contract of their input."""
    for blamed in blamed_rows.blamed(case):
        rows = BrokenRows(
            expected=blamed.words,
            kind="step",
            rows=blamed.rows,
            count=blamed.row_count,
            values=blamed.values,
            data=blamed.data,
        )
        at = next((at for at, one in enumerate(made) if one.name == blamed.name), None)
        if at is None:
            made = [*made, _of_blamed(blamed, rows)]
        elif not any(one.kind == "finite" for one in made[at].broken):
            known = msgspec.structs.replace(made[at], broken=[*made[at].broken, rows])
            made = [*made[:at], known, *made[at + 1 :]]
    return made


def _of_blamed(blamed: blamed_rows.Blamed, rows: BrokenRows) -> DataContract:
    return DataContract(
        name=blamed.name,
        variable=blamed.name,
        role="input",
        kind="step",
        model="",
        location=None,
        shape=blamed.shape,
        dtype=blamed.dtype,
        rows_seen=blamed.batch_rows,
        rows=None,
        finite=blamed.not_finite and _is_float(blamed.dtype),
        broken=[rows],
    )


def _bounds(seen: DataSeen, numbers: Numbers | None) -> tuple[float | None, float | None, str]:
    """The range that is allowed, and where it comes from, in words."""
    asked = next((term for term in seen.terms if term.kind in ("classes", "vocabulary")), None)
    if asked is not None and asked.high is not None:
        low = min([asked.low or 0, *asked.spared])
        return low, asked.high - 1, asked.source
    if numbers is None or numbers.least is None or numbers.greatest is None or seen.role == "weight":
        return None, None, ""
    least, greatest = numbers.least, numbers.greatest
    for low, high in _USUAL:
        if low <= least and high / 2 < greatest <= high and (low >= 0 or least < low / 2):
            return low, high, "the usual range around what was seen"
    if seen.distinct:
        return least, greatest, "the values that were seen"
    margin = WIDENED * (greatest - least) or abs(greatest) * WIDENED or 1.0
    if not _is_float(seen.dtype):
        return math.floor(least - margin), math.ceil(greatest + margin), f"what was seen, {WIDENED:.0%} wider"
    return _rounded(least - margin), _rounded(greatest + margin), f"what was seen, {WIDENED:.0%} wider"


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def _classes(seen: DataSeen, broken: list[ContractBroken]) -> list[float]:
    """The values of a target, where they are few."""
    if seen.role != "target" or broken:
        return []
    return seen.distinct


def _is_float(dtype: str) -> bool:
    return "float" in dtype


def as_plain(contract: DataContract) -> dict[str, Any]:
    """For JSON, without the rows themselves."""
    plain: dict[str, Any] = msgspec.to_builtins(
        msgspec.structs.replace(contract, broken=[msgspec.structs.replace(one, data=None) for one in contract.broken])
    )
    return plain


def _reading(case: Case, place: Location | None, name: str) -> str | None:
    """How the program reads the data, as an expression."""
    started = case.recording.started
    return reading(case.sources, place, name, started.cwd if started else "") if place is not None else None
