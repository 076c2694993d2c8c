"""The terms of a contract and the words of a broken one, in one order for all messages; runs in the user's process."""

from __future__ import annotations

from whydied.records import ContractBroken, Term

_SHOWN = 8


def number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:g}"


def finite(by: str, source: str = "") -> Term:
    return Term(kind="finite", words="finite values", by=by, source=source)


def shape(text: str, by: str, source: str = "") -> Term:
    return Term(kind="shape", words=f"shape ({text})", by=by, source=source, shape=text)


def dtype(name: str, by: str, source: str = "") -> Term:
    return Term(kind="dtype", words=f"dtype {name}", by=by, source=source, dtype=name)


def within(low: float | None, high: float | None, by: str, source: str = "") -> Term:
    if low is None:
        words = f"values of at most {number(high or 0)}"
    elif high is None:
        words = f"values of at least {number(low)}"
    else:
        words = f"values from {number(low)} to {number(high)}"
    return Term(kind="range", words=words, by=by, source=source, low=low, high=high)


def classes(count: int, by: str, source: str = "", spared: list[float] | None = None) -> Term:
    also = f" or {', '.join(number(value) for value in spared)}" if spared else ""
    words = f"classes from 0 to {count - 1}{also}"
    return Term(
        kind="classes", words=words, by=by, source=source, low=0, high=count, below=True, spared=list(spared or [])
    )


def vocabulary(size: int, by: str, source: str = "") -> Term:
    words = f"ids from 0 to {size - 1}"
    return Term(kind="vocabulary", words=words, by=by, source=source, low=0, high=size, below=True)


def one_hot(width: int, by: str, source: str = "") -> Term:
    return Term(kind="one-hot", words=f"{width} values that sum to 1", by=by, source=source)


def one_of(members: list[str], by: str) -> Term:
    shown = ", ".join(members[:12]) + (", …" if len(members) > 12 else "")
    return Term(kind="one-of", words=f"one of {shown}", by=by, members=members[:100])


def unique(by: str) -> Term:
    return Term(kind="unique", words="no row twice", by=by)


def sentence(broken: ContractBroken, where: str) -> str:
    """`train.py:12: images: 3 of 1,000 rows break it: rows 5, 17 and 902 (nan at [2]); expected finite values`."""
    place = f"{where}: " if where else ""
    batch = f" of batch {broken.batch}" if broken.batch is not None else ""
    if not broken.rows:
        shape = "(" + ", ".join(str(extent) for extent in broken.shape) + ")"
        found = f"{broken.values[0] if broken.values else 'wrong shape'}: shape {shape}, {broken.dtype}{batch}"
        return f"{place}{broken.name}: {found}; expected {broken.term.words}"
    return f"{place}{broken.name}: {rows_text(broken)}{batch} {values_text(broken)}; expected {broken.term.words}"


def rows_text(broken: ContractBroken) -> str:
    """`row 5`, or `3 of 1,000 rows (5, 17, 902)`."""
    if broken.count == 1:
        return f"row {broken.rows[0]} of {broken.rows_seen:,}" if broken.batch is None else f"row {broken.rows[0]}"
    shown = ", ".join(str(row) for row in broken.rows[:_SHOWN]) + (", …" if broken.count > _SHOWN else "")
    return f"{broken.count:,} of {broken.rows_seen:,} rows ({shown})"


def values_text(broken: ContractBroken) -> str:
    """`has nan at [2]`, `have 7, 9`; of a row that came twice, that it did."""
    verb = "has" if broken.count == 1 else "have"
    if broken.term.kind == "unique":
        return "was seen before" if broken.count == 1 else "were seen before"
    if broken.term.kind == "one-hot":
        return f"{verb} values that do not sum to 1, such as {broken.values[0]}" if broken.values else verb
    values = list(dict.fromkeys(broken.values[:_SHOWN]))
    at = f" at {broken.columns[0]}" if broken.count == 1 and broken.columns and broken.columns[0] else ""
    more = ", …" if broken.count > len(broken.values) else ""
    return f"{verb} {', '.join(values)}{more}{at}"
