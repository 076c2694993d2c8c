"""The words of a broken contract: where, what, which rows with which values, what was expected; runs in the user's
process. One order for all messages."""

from __future__ import annotations

from whydied.records import ContractBroken

_SHOWN = 8


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
